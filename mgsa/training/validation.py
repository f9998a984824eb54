"""Loss and BLEU on the validation split.

BLEU is that of tokens, sacreBLEU's with `tokenize="none"`, and is called `bleu_tokenized`: it
follows a run. A score to publish is the pipeline's, of detokenised text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import torch
from lightning_fabric import Fabric

from mgsa.base.errors import InputError
from mgsa.config import STANDARD_SEARCH, TrainConfig
from mgsa.data.batch import Batch
from mgsa.data.batching import evaluation_batches
from mgsa.data.dataset import Dataset
from mgsa.data.vocabulary import join_subwords
from mgsa.decoding.beam import search_batch
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.gradients import sum_over_processes
from mgsa.training.loss import NUM_SUMS, LossSums, LossWeights, Objective

SPLIT = "valid"


class Validation:
    """Scores a model on the validation split, each process on a share of the batches."""

    def __init__(self, fabric: Fabric, dataset: Dataset, config: TrainConfig) -> None:
        self.fabric = fabric
        self.dataset = dataset
        self.config = config
        self.search = replace(STANDARD_SEARCH, beam=config.validation_beam)
        if dataset.num_rows(SPLIT) == 0:
            raise InputError(f"expected pairs in the split {SPLIT}", path=dataset.folder)
        count = min(config.validation_sentences, dataset.num_rows(SPLIT))
        self.references = list(dataset.texts(SPLIT, "target_tokens", 0, count))

    def score(self, model: EncoderDecoder) -> dict[str, float]:
        """`valid_nll`, `valid_perplexity`, …, `valid_bleu_tokenized`; the same in every process."""
        training = model.training
        model.eval()
        with torch.inference_mode(), self.fabric.autocast():
            metrics = self._losses(model).metrics()
            del metrics["loss"]  # the NLL, here
            metrics["bleu_tokenized"] = self._bleu(model)
        model.train(training)
        return {f"valid_{name}": value for name, value in metrics.items()}

    def _losses(self, model: EncoderDecoder) -> LossSums:
        """Of translation alone, without label smoothing, so that variants compare."""
        objective = Objective(model, LossWeights(label_smoothing=0.0, tags=0.0, alignment=0.0))
        sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=self.fabric.device)
        for batch in self._share(model, limit=None):
            sums += objective(vars(batch))[1]
        return LossSums.of(sum_over_processes(self.fabric, sums))

    def _bleu(self, model: EncoderDecoder) -> float:
        import sacrebleu

        vocabulary = self.dataset.vocabularies[1]
        texts: dict[int, str] = {}
        for batch in self._share(model, limit=len(self.references)):
            found = search_batch([model], [batch], self.search)
            for row, (best, *_) in zip(batch.index.tolist(), found, strict=True):
                texts[row] = join_subwords(vocabulary.decode(best.ids))
        if self.fabric.world_size > 1:
            shares: list[dict[int, str]] = [{}] * self.fabric.world_size
            torch.distributed.all_gather_object(shares, texts)
            texts = {row: text for share in shares for row, text in share.items()}
        hypotheses = [text for _, text in sorted(texts.items())]
        assert len(hypotheses) == len(self.references)
        bleu = sacrebleu.corpus_bleu(hypotheses, [self.references], tokenize="none", force=True)
        return bleu.score

    def _share(self, model: EncoderDecoder, *, limit: int | None) -> Iterator[Batch]:
        """The batches of this process, on its device."""
        batches = evaluation_batches(
            self.dataset,
            SPLIT,
            batch_tokens=self.config.batch_tokens,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
            limit=limit,
            links=model.alignment_head is not None,
        )
        for batch in islice(batches, self.fabric.global_rank, None, self.fabric.world_size):
            yield batch.to(self.fabric.device)
