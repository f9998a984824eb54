"""What the partition stage counts: sentences, phrases and tags, as a report and as plots."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.io import open_to_write

if TYPE_CHECKING:
    from pipeline.partition import Phrase


@dataclass(frozen=True)
class PhraseCounts:
    """How many sentences have each length, and phrases of each level each length and each tag."""

    sentence_lengths: Counter[int] = field(default_factory=Counter)
    phrase_lengths: Counter[tuple[int, int]] = field(default_factory=Counter)
    tags: Counter[tuple[int, str | None]] = field(default_factory=Counter)

    def add(self, partitions: Sequence[Sequence[Phrase]]) -> None:
        """Count the levels of one sentence."""
        self.sentence_lengths[partitions[0][-1].end] += 1
        for level, phrases in enumerate(partitions, start=1):
            self.phrase_lengths.update([(level, end - start) for start, end, _ in phrases])
            self.tags.update([(level, tag) for _, _, tag in phrases])

    def update(self, other: PhraseCounts) -> None:
        """Add what `other` counted."""
        self.sentence_lengths.update(other.sentence_lengths)
        self.phrase_lengths.update(other.phrase_lengths)
        self.tags.update(other.tags)

    def report(self, *, levels: int, ngrams: Sequence[int]) -> dict[str, float]:
        """Sentences, words, and the mean numbers of phrases a sentence and words a phrase."""
        sentences = self.sentence_lengths.total()
        words = sum(length * count for length, count in self.sentence_lengths.items())
        phrases = {}
        for n in ngrams:
            phrases[f"ngram_{n}"] = sum(
                -(-length // n) * count for length, count in self.sentence_lengths.items()
            )
        for level in range(1, levels + 1):
            phrases[f"syntactic_{level}"] = sum(
                count for (of, _), count in self.phrase_lengths.items() if of == level
            )
        return {
            "sentences": sentences,
            "words": words,
            "words_per_sentence": round(words / sentences, 4),
            **{f"phrases_per_sentence_{k}": round(v / sentences, 4) for k, v in phrases.items()},
            **{f"words_per_phrase_{k}": round(words / v, 4) for k, v in phrases.items()},
            "tags": len({tag for _, tag in self.tags}),
        }

    def write_plots(self, folder: Path) -> None:
        """Write `phrase_lengths.csv` and `tags.csv`: a count for each level and length, or tag."""
        for name, counts in (("phrase_lengths", self.phrase_lengths), ("tags", self.tags)):
            with open_to_write(folder / f"{name}.csv") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["level", name.removeprefix("phrase_").removesuffix("s"), "count"])
                writer.writerows((*key, count) for key, count in sorted(counts.items()))
