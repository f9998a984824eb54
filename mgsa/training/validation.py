"""Loss and BLEU on the validation split.

`bleu_tokenized` is sacreBLEU's with `tokenize="none"`, to follow a run: it compares the corpus's
tokens, whatever the language. Scores to publish are the pipeline's, of detokenised text.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

import torch
from lightning_fabric import Fabric

from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TrainConfig
from mgsa.data.batch import Batch
from mgsa.data.batching import evaluation_batches
from mgsa.data.dataset import Dataset
from mgsa.data.vocabulary import join_subwords
from mgsa.decoding.beam import search_batch
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.loss import NUM_SUMS, LossSums, LossWeights, Objective
from mgsa.training.processes import sum_over_processes

SPLIT = "valid"


def validate(
    fabric: Fabric, model: EncoderDecoder, dataset: Dataset, config: TrainConfig
) -> dict[str, float]:
    """`valid_nll`, `valid_perplexity`, …, `valid_bleu_tokenized`; the same in every process.

    The NLL is that of translation alone, without label smoothing.
    """
    batches = partial(
        evaluation_batches,
        dataset,
        SPLIT,
        batch_tokens=config.batch_tokens,
        granularities=model.granularities,
        ngram_unit=model.ngram_unit,
        links=model.alignment_head is not None,
    )
    objective = Objective(model, LossWeights(label_smoothing=0.0, tags=0.0, alignment=0.0))
    sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=fabric.device)
    search = replace(DEFAULT_TRANSLATE_CONFIG, beam=config.validation_beam)
    count = min(config.validation_sentences, dataset.num_rows(SPLIT))
    texts: dict[int, str] = {}
    training = model.training
    model.eval()
    with torch.inference_mode(), fabric.autocast():
        for batch in _share(fabric, batches(limit=None)):
            sums += objective(vars(batch))[1]
        for batch in _share(fabric, batches(limit=count)):
            results = search_batch([model], [batch], search)
            for row, (best, *_) in zip(batch.index.tolist(), results, strict=True):
                texts[row] = join_subwords(dataset.vocabularies[1].decode(best.ids))
    model.train(training)
    metrics = LossSums(*sum_over_processes(fabric, sums).tolist()).metrics()
    del metrics["loss"]  # equals the NLL
    references = list(dataset.texts(SPLIT, "target_tokens", 0, count))
    metrics["bleu_tokenized"] = _bleu(fabric, texts, references)
    return {f"valid_{name}": value for name, value in metrics.items()}


def _share(fabric: Fabric, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches of this process, on its device."""
    for batch in islice(batches, fabric.global_rank, None, fabric.world_size):
        yield batch.to(fabric.device)


def _bleu(fabric: Fabric, texts: dict[int, str], references: list[str]) -> float:
    """BLEU of the texts, by row, of all processes."""
    import sacrebleu

    if fabric.world_size > 1:
        shares: list[dict[int, str]] = [{}] * fabric.world_size
        torch.distributed.all_gather_object(shares, texts)
        texts = {row: text for share in shares for row, text in share.items()}
    hypotheses = [texts[row] for row in range(len(references))]
    return sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none", force=True).score
