"""The trees of a corpus on disk, in the order of its sentences."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

from mgsa.base.io import open_to_write
from pipeline.base.stage import SPLITS
from pipeline.parsing.corpus_windows import Window
from pipeline.parsing.parse_memory import ParseMemory
from pipeline.parsing.stanza_parser import Unparsed
from pipeline.trees import bracketed, check_leaves, flat_tree, read_tree


class TreeWriter:
    """Writes the trees of windows, flat ones where there is no other, and counts."""

    def __init__(self, folder: Path, memory: ParseMemory, max_words: int, files: ExitStack) -> None:
        self._memory = memory
        self._max_words = max_words
        self._files = {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }
        self.failed: dict[bytes, Unparsed] = {}
        self.counts = {"sentences": 0, "flat_too_long": 0, "flat_failed": 0}

    def write(self, window: Window) -> None:
        """Write the trees of a window whose sentences are all in the memory, or failed."""
        keys = [self._memory.key(tokens) for _, _, tokens in window.sentences]
        trees = self._memory.trees(set(keys))
        for key, (split, line, tokens) in zip(keys, window.sentences, strict=True):
            self.counts["sentences"] += 1
            if len(tokens) > self._max_words:
                self.counts["flat_too_long"] += 1
                tree = bracketed(flat_tree(tokens))
            elif key not in trees:
                if self.counts["flat_failed"] == 0:
                    why = f"the first sentence without a tree: {self.failed[key].reason}"
                    print(f"parse: {split}.source:{line}: {why}", file=sys.stderr)
                self.counts["flat_failed"] += 1
                tree = bracketed(flat_tree(tokens))
            else:
                tree = trees[key]
                where = f"the remembered tree of {split}.source"
                check_leaves(read_tree(tree, path=where, line=line), tokens, path=where, line=line)
            self._files[split].write(f"{tree}\n")
