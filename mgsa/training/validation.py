"""How good the present weights are: loss and BLEU on the validation split.

BLEU is that of tokens, not of text: subwords joined, compared with the tokenised reference by
sacreBLEU with `tokenize="none"`. Detokenisation is the pipeline's, and so is a score to publish;
this one follows a run, and is called `bleu_tokenized` for that reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import torch
from lightning_fabric import Fabric
from torch import Tensor

from mgsa.base.errors import InputError
from mgsa.config import STANDARD_SEARCH, TrainConfig
from mgsa.data.batch import Batch
from mgsa.data.batching import evaluation_batches
from mgsa.data.dataset import Dataset
from mgsa.decoding.search import search_batch
from mgsa.decoding.translate import join_subwords
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.loss import NUM_SUMS, LossSums, LossWeights, Objective

SPLIT = "valid"


class Validation:
    """Scores a model on the validation split, each process a share of the batches."""

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
        """Not label-smoothed, and of translation alone, so that variants compare."""
        objective = Objective(model, LossWeights(label_smoothing=0.0, tags=0.0, alignment=0.0))
        sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=self.fabric.device)
        for batch in self._own(self._batches(model, limit=None)):
            sums += objective(vars(batch.to(self.fabric.device)))[1]
        total = self.fabric.all_reduce(sums, reduce_op="sum")
        assert isinstance(total, Tensor)
        return LossSums.of(total)

    def _bleu(self, model: EncoderDecoder) -> float:
        import sacrebleu

        found: dict[int, str] = {}
        for batch in self._own(self._batches(model, limit=len(self.references))):
            found.update(self._translate(model, batch.to(self.fabric.device)))
        hypotheses = [text for _, text in sorted(self._gather(found).items())]
        assert len(hypotheses) == len(self.references)
        return sacrebleu.corpus_bleu(
            hypotheses, [self.references], tokenize="none", force=True
        ).score

    def _translate(self, model: EncoderDecoder, batch: Batch) -> dict[int, str]:
        """The tokens found for each row of a batch, by row."""
        vocabulary = self.dataset.vocabularies[1]
        found = search_batch([model], [batch], self.search)
        texts = [join_subwords(vocabulary.decode(best.ids)) for best, *_ in found]
        return dict(zip(batch.index.tolist(), texts, strict=True))

    def _gather(self, found: dict[int, str]) -> dict[int, str]:
        """What all processes found, in every process."""
        if self.fabric.world_size == 1:
            return found
        shares: list[dict[int, str]] = [{}] * self.fabric.world_size
        torch.distributed.all_gather_object(shares, found)
        return {index: text for share in shares for index, text in share.items()}

    def _batches(self, model: EncoderDecoder, *, limit: int | None) -> Iterator[Batch]:
        return evaluation_batches(
            self.dataset,
            SPLIT,
            batch_tokens=self.config.batch_tokens,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
            limit=limit,
            links=model.alignment_head is not None,
        )

    def _own(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The share of this process."""
        return islice(batches, self.fabric.global_rank, None, self.fabric.world_size)
