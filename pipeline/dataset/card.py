"""The card of a dataset."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from mgsa.cli.languages import base_language
from mgsa.cli.run import markdown_text
from mgsa.cli.settings import write_yaml
from pipeline.formats.tables import markdown
from pipeline.formats.text import SIDES

COUNTS = {
    "rows": "pairs",
    "source_words": "source words",
    "target_words": "target words",
    "source_subwords": "source subwords",
    "target_subwords": "target subwords",
    "phrases": "phrases",
    "links": "links",
}
"""Counts of a split that a card shows, and what they are called."""

COLUMNS = {
    "source_text, target_text": "the sentences as the corpus has them",
    "source_tokens, target_tokens": "their tokens, separated by a space",
    "source_ids, target_ids": "their subwords, as places in `vocab.json`, without end of sentence",
    "source_length, target_length": "how many subwords these are",
    "subwords_per_word, target_subwords_per_word": "how many subwords each token has",
    "phrase_lengths": "for each level, the lengths of its phrases in subwords, which add up to the "
    "source's",
    "phrase_tags": "for each level, the tag of each phrase, as a place in `tags.json`",
    "links": "word alignments, as places of subwords; null where there are none",
    "set": "the test set that the pair is of",
    "references": "translations besides the target text, as the corpus has them",
}

HUB_SPLITS = {"train": "train", "valid": "validation", "test": "test"}
"""Names of the splits on dataset hubs."""

FIGURES = {
    "train_pairs": "training pairs of the corpus",
    "train_kept": "of them kept",
    "train_dropped_empty": "dropped, as one side was empty",
    "train_dropped_short": "dropped as too short",
    "train_dropped_long": "dropped as too long",
    "train_dropped_ratio": "dropped for the ratio of their lengths",
    "train_dropped_token": "dropped for a token of more than 1,000 characters",
    "train_dropped_duplicate": "dropped as duplicates",
    "train_dropped_overlap": "dropped, as valid or test has them too",
    "valid_pairs_in_train": "pairs of valid that are training pairs too",
    "test_pairs_in_train": "pairs of test that are training pairs too",
    "labelled_f1": "parser: labelled bracketing F1, per cent",
    "tagging_accuracy": "parser: part-of-speech accuracy, per cent",
    "dev_trees": "parser: held-out trees that these are of",
    "flat_too_long": "sentences too long to parse, with a flat tree",
    "flat_failed": "sentences that the parser gave no tree for, with a flat one",
    "train_unaligned_source": "share of source words without a link",
    "test_aer": "aligner: alignment error rate on the test split, per cent",
}
"""Figures of the stages before that a card shows, and what they are."""

_USE = """\
## Use

```console
$ mgsa train --dataset DIR --config params.yaml --out MODEL
$ python -m pipeline.dataset --verify DIR
```

```python
import pandas
pandas.read_parquet("DIR/{file}")
```"""


def _facts(content: Mapping[str, Any]) -> dict[str, str]:
    """A manifest's facts about the dataset as a whole, by heading."""
    sizes, made_by = content["vocabulary"], content["made_by"]
    parser, aligner = made_by["parser"], made_by["aligner"]
    vocabulary = f"{sizes['source']:,} subwords of the source, {sizes['target']:,} of the target"
    if sizes["joint"]:
        vocabulary = f"{sizes['source']:,} subwords of both languages"
    match parser["kind"]:
        case "stanza":
            trees = f"by stanza's {parser['language']} package {parser['package']}"
        case "trees":
            trees = "that came with the corpus"
        case _:
            trees = "that are flat, as nothing parsed"
    phrases = "none: trains models that ask for no syntactic ones"
    if content["levels"]:
        phrases = f"{content['levels']} levels, {content['tags']} tags; trees {trees}"
        phrases += f" ({parser['identity'][:12]})"
    links = "none"
    if aligner and aligner["kind"] != "none":
        again = "" if aligner["deterministic"] else ", which gives others when it runs again"
        links = f"between words, by {aligner['kind']}{again}"
    found = {
        "languages": f"{content['source_language']} to {content['target_language']}",
        "vocabulary": vocabulary,
        "phrases": phrases,
        "links": links,
        "made with": ", ".join(f"{name} {v}" for name, v in made_by["libraries"].items()),
    }
    if "reversed_from" in made_by:
        found["turned round"] = f"from the dataset {made_by['reversed_from']}"
    return found


def dataset_card(content: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    """The card `README.md`: Markdown with the front matter of dataset hubs.

    Args:
        content: the manifest.
        figures: reports of earlier stages; those in `FIGURES` are shown.
    """
    splits = content["splits"]
    files = [
        {"split": HUB_SPLITS[split], "path": counts["files"]} for split, counts in splits.items()
    ]
    front_matter = {
        "pretty_name": content["name"],
        "language": [base_language(content[f"{side}_language"]) for side in SIDES],
        "task_categories": ["translation"],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    write_yaml(front_matter, head := StringIO())
    rows = [[s, *(f"{counts[name]:,}" for name in COUNTS)] for s, counts in splits.items()]
    shown = [(what, f"{figures[name]:,}") for name, what in FIGURES.items() if name in figures]
    columns = [(f"`{names}`", what) for names, what in COLUMNS.items()]
    sections = [
        f"---\n{head.getvalue()}---",
        f"# {markdown_text(content['name'])}, "
        f"{content['source_language']} → {content['target_language']}",
        "Sentence pairs as arrays for neural machine translation: subwords, syntactic phrases with "
        "their tags, word links, and the text that they are of.",
        "\n".join(markdown(["", ""], _facts(content).items(), "---")),
        "## Splits",
        "\n".join(markdown(["split", *COUNTS.values()], rows)),
        *(["## How it came about", "\n".join(markdown(["", ""], shown))] if shown else []),
        "Every parameter of the stages that made it stands in `manifest.json`, with the SHA-256 of "
        "every file. Terms of use are those of the corpus.",
        "## Columns",
        "\n".join(markdown(["column", "what"], columns, "---")),
        _USE.format(file=splits["test"]["files"][0]),
    ]
    return "\n\n".join(sections) + "\n"
