"""Tokens, phrases and links of a sentence to a row of ids, of datasets and of raw text alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.data.schema import LONGEST, TAGS, VOCABULARY
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from mgsa.data.word_links import Link, subword_links
from pipeline.formats.phrases import Phrase
from pipeline.subwords import CACHE_WORDS, SubwordSplitter


class SideEncoder:
    """Tokens of one language to subwords and their ids."""

    def __init__(self, splitter: SubwordSplitter, vocabulary: Vocabulary) -> None:
        self._splitter = splitter
        self._vocabulary = vocabulary
        self._word = lru_cache(CACHE_WORDS)(self._split_word)

    def segment(self, tokens: Sequence[str]) -> str:
        """Marked subwords, joined by spaces."""
        return " ".join([text for text, _ in map(self._word, tokens)])

    def encode(self, tokens: Sequence[str]) -> tuple[list[int], list[int]]:
        """Subword ids, and the number of subwords of each token."""
        words = [ids for _, ids in map(self._word, tokens)]
        return list(chain.from_iterable(words)), list(map(len, words))

    def _split_word(self, word: str) -> tuple[str, list[int]]:
        subwords = self._splitter.split((word,))
        return " ".join(subwords), self._vocabulary.encode(subwords)


class Encoder:
    """Subwords, phrases and tags of a pair as ids."""

    def __init__(self, source: SideEncoder, target: SideEncoder, tags: Sequence[str]) -> None:
        """`tags` are phrase tags by id; id 0 also stands for unknown tags."""
        self.source = source
        self.target = target
        self._tag_ids = {tag: index for index, tag in enumerate(tags)}

    @classmethod
    def load(cls, folder: Path) -> Encoder:
        """The encoder of a dataset or model artifact: its BPE files, `vocab.json`, `tags.json`."""
        splitters = SubwordSplitter.load_recorded(folder)
        vocabularies = read_vocabularies(folder / VOCABULARY)
        source, target = map(SideEncoder, splitters, vocabularies)
        return cls(source, target, read_tags(folder / TAGS))

    def encode(
        self,
        source: Sequence[str],
        target: Sequence[str] | None = None,
        *,
        phrases: Sequence[Sequence[Phrase]] = (),
        links: Iterable[Link] | None = None,
    ) -> dict[str, Any]:
        """The row of a sentence or pair: the columns of `mgsa.data.schema` without texts.

        Args:
            source, target: tokens.
            phrases: by level; each level covers the source tokens.
            links: (source, target) token pairs; all their subwords are linked.
        """
        ids, counts = self.source.encode(source)
        bounds = [0, *accumulate(counts)]
        row: dict[str, Any] = {
            "source_ids": ids,
            "source_length": len(ids),
            "subwords_per_word": counts,
            "phrase_lengths": [
                [bounds[end] - bounds[start] for start, end, _ in p] for p in phrases
            ],
            "phrase_tags": [[self._tag_ids.get(tag or "", 0) for _, _, tag in p] for p in phrases],
        }
        if target is not None:
            ids, target_counts = self.target.encode(target)
            row |= {
                "target_ids": ids,
                "target_length": len(ids),
                "target_subwords_per_word": target_counts,
                "links": None,
            }
            if links is not None:
                row["links"] = subword_links(links, source_words=counts, target_words=target_counts)
        return row


def check_length(length: int, *, path: Path | str, line: int) -> None:
    """Raise `InputError` for a sentence of more subwords than a row may have."""
    if length > LONGEST:
        raise InputError(f"expected at most {LONGEST} subwords, got {length}", path=path, line=line)
