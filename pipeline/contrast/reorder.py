"""Contrasts of real sentences: a reference, and the same with translated phrases in another order.

Source trees and word links say which target words translate a phrase: those from its first linked
word to its last, if none of them is linked elsewhere (phrase pairs of Koehn, Och & Marcu 2003).

`attachment`, for targets like German: `V NP PP` whose PP is the noun's has its translation behind
that of the NP, one that is the verb's may precede it. The variant exchanges the two, and so says
what the other tree does:

    carried (NP (NP the guitars) (PP on the stage))    die Gitarren auf der Bühne     noun
    carried (NP the guitars) (PP on the stage)         auf der Bühne die Gitarren     verb

`clause`, for targets like Japanese: a clause at the end of the source that stands elsewhere in the
reference. The variant has it at the end as well, before the final marks.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from mgsa.cli.command import Input, Option, OutputFolder, Report
from mgsa.cli.files import open_to_write
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.data.word_links import Link
from pipeline.formats.contrasts import Contrast, is_contrast, write_contrasts
from pipeline.formats.link_files import read_link_file
from pipeline.formats.links import translation
from pipeline.formats.text import SIDES, SPLITS, read_parallel
from pipeline.formats.trees import Constituent, constituents, read_parse
from pipeline.stage.command import stage, stage_outputs
from pipeline.tokenizers.side import side_text

Kind = Literal["attachment", "clause"]


class Reordering(NamedTuple):
    """Target words in another order than the reference's."""

    category: str
    order: list[int]
    level: int  #: of the partition that tells.


def attachments(
    tree: Sequence[Constituent], links: Set[Link], target: Sequence[str]
) -> Iterator[Reordering]:
    """References where the PP of `V NP PP` is the noun's or precedes the verb's object.

    Their neighbours are linked, too: a word that is not may be a part of the phrases.
    """
    linked = {place for _, place in links}
    for phrase in tree:
        if phrase.label != "VP":
            continue
        for object_, next_ in zip(phrase.children[1:], [*phrase.children[2:], None], strict=False):
            if object_.label != "NP":
                continue
            if [child.label for child in object_.children] == ["NP", "PP"]:
                category, parts = "noun", object_.children
            elif next_ is not None and next_.label == "PP":
                category, parts = "verb", [next_, object_]
            else:
                continue
            first, second = (translation(part.span, links) for part in parts)
            if first is None or second is None or first[1] != second[0]:
                continue
            before, after = range(first[0]), range(second[1], len(target))
            if before and before[-1] in linked and (not after or after[0] in linked):
                order = [*before, *range(*second), *range(*first), *after]
                yield Reordering(category, order, object_.level)


def clauses(
    tree: Sequence[Constituent], links: Set[Link], target: Sequence[str]
) -> Iterator[Reordering]:
    """References whose translation of a clause at the source's end stands before other words.

    A mark is no word: its part of speech has no letters. Target words without a link belong to what
    precedes them, like particles.
    """
    lettered = [one.span[1] for one in tree if not one.children and one.label[:1].isalpha()]
    last = max(lettered, default=0)
    words = [place for place, word in enumerate(target) if any(map(str.isalnum, word))]
    linked = {place for _, place in links}
    for clause in tree:
        moved = translation(clause.span, links) if clause.label == "SBAR" else None
        if moved is None or clause.span[1] < last:
            continue
        start, end = moved
        while end < len(target) and end not in linked:
            end += 1
        if words and end <= words[-1]:
            before_marks = range(words[-1] + 1)
            order = [place for place in before_marks if not start <= place < end]
            order += [*range(start, end), *range(words[-1] + 1, len(target))]
            yield Reordering("clause", order, clause.level)


KINDS = {"attachment": attachments, "clause": clauses}


def make_contrasts(
    *,
    kind: Annotated[Kind, Option("which phrases change places", "KIND")],
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    trees: Annotated[Path, Input("NAME.trees of its source sides: --tokenized or data/parsed")],
    links: Annotated[Path, Input("NAME.links of its words: --tokenized or data/alignments")],
    out: Annotated[Path, OutputFolder("for NAME.contrast of each split", "contrasts")],
    report: Annotated[Path | None, Report("how many, by split and category (JSON)")] = None,
) -> None:
    """Make contrasts of real sentences: references with two phrases in another order.

    A variant is left out if its text has other tokens, as where blanks between words are lost.
    """
    text = side_text(tokenized, "target")
    with stage_outputs(out, report) as (folder, metrics):
        for split in SPLITS:
            names = ("lines", *SIDES)
            paths = [*(tokenized / f"{split}.{name}" for name in names), trees / f"{split}.trees"]
            rows = progress(read_parallel(paths), f"reorder {split}", unit="pairs")
            pairs = zip(
                rows, read_link_file(links / f"{split}.links", tokenized, split), strict=True
            )
            made: dict[Contrast, None] = {}
            for line, ((raw_line, source, target, brackets), of_pair) in enumerate(pairs, start=1):
                tree = read_parse(brackets, source, path=paths[-1], tokens_path=paths[1], line=line)
                words = target.split(" ")
                for category, order, level in KINDS[kind](constituents(tree), of_pair, words):
                    tokens = [words[place] for place in order]
                    variant = text.detokenize(tokens)
                    if (
                        is_contrast(variant, text.detokenize(words))
                        and text.tokenize(variant) == tokens
                    ):
                        made[Contrast(int(raw_line), category, variant, level or None)] = None
            with open_to_write(folder / f"{split}.contrast") as file:
                write_contrasts(made, file)
            metrics[split] = Counter(contrast.category for contrast in made)


main = stage(make_contrasts)

if __name__ == "__main__":
    sys.exit(run(main))
