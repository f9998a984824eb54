"""Labels of probing data, of sentences and of subwords."""

from __future__ import annotations

from dataclasses import replace

from mgsa.data.batch import NO_LABEL, Row, RowColumns
from mgsa.data.ragged import Ragged
from pipeline.probe.examples import class_counts, labels_of


def columns_of(words: list[list[int]], classes: list[list[int]], voice: list[int]) -> RowColumns:
    """Sentences of so many subwords a word, with a class for each word and one for the sentence."""
    rows = [Row(0, list(range(4, 4 + sum(counts))), (), counts, [], []) for counts in words]
    of_sentences, of_words = Ragged.of([voice])[0], Ragged.of(classes)
    return replace(RowColumns.of(rows), labels={"voice": of_sentences, "pos": of_words})


def test_subwords_have_the_class_of_their_word() -> None:
    columns = columns_of([[1], [1, 2]], [[9], [7, 8]], [1, NO_LABEL])
    assert labels_of(columns, "voice").tolist() == [1, NO_LABEL]
    assert labels_of(columns, "pos").tolist() == [[9, -1, -1, -1], [7, 8, 8, -1]]
    assert class_counts(columns, "pos", 10).tolist() == [0] * 7 + [1, 2, 1]
    assert class_counts(columns, "voice", 2).tolist() == [0, 1]
