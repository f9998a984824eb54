"""The file of a tagger that was trained here: NLTK's averaged perceptron.

NLTK's own files may lie in its data folders only.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.cli.files import open_to_write, read_json

if TYPE_CHECKING:
    from nltk.tag.perceptron import PerceptronTagger

TAGGER = "tagger.json"
"""Its name in a parser's folder; packages of stanza's have taggers of their own."""


def save_tagger(tagger: PerceptronTagger, path: Path) -> None:
    """Write weights, words of one tag, and tags, in an order that doesn't depend on hashes."""
    weights, words, tags = tagger.encode_json_obj()
    with open_to_write(path) as file:
        json.dump([weights, words, sorted(tags)], file, ensure_ascii=False)


def load_tagger(path: Path) -> PerceptronTagger:
    """Read what `save_tagger` wrote."""
    from nltk.tag.perceptron import PerceptronTagger

    return PerceptronTagger.decode_json_obj(read_json(path))
