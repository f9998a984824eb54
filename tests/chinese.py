"""Chinese sentences as they are written, without blanks, and four translations of each.

python -m tests.chinese FOLDER writes `train`, `valid` and `test`, each with `.zh` and `.en`, and
the same as a translation memory, a table, and a test set with four references.
"""

from __future__ import annotations

import random
import sys
from html import escape
from itertools import product
from pathlib import Path

from tests.lines import write_lines

PEOPLE = {
    "我": "I", "他": "he", "她": "she", "老师": "the teacher", "学生们": "the students",
    "我的朋友": "my friend", "那个孩子": "that child",
}  # fmt: skip
TIMES = {"今天": "today", "昨天": "yesterday", "去年夏天": "last summer", "2008年": "in 2008"}
PLACES = {
    "在北京": "in Beijing", "在图书馆": "in the library", "在公园里": "in the park",
    "在火车站旁边": "beside the railway station",
}  # fmt: skip
ACTS = {
    "看了一本书": "read a book", "买了三个苹果": "bought three apples",
    "写了一封信": "wrote a letter", "见到了一位医生": "met a doctor",
    "拍了很多照片": "took many photos",
}  # fmt: skip


ORDERS = (
    "{who} {did} {where} {when}.",
    "{when}, {who} {did} {where}.",
    "{who} {did} {when} {where}.",
    "{when} {who} {did} {where}.",
)
Sentences = list[tuple[str, list[str]]]
"""Chinese and its English translations."""


def sentences() -> Sentences:
    """560 of them, in an order that looks like none."""
    found = []
    for when, who, where, did in product(
        *(all_of.items() for all_of in (TIMES, PEOPLE, PLACES, ACTS))
    ):
        words = {"when": when[1], "who": who[1], "where": where[1], "did": did[1]}
        english = [order.format(**words) for order in ORDERS]
        chinese = f"{when[0]}{who[0]}{where[0]}{did[0]}。"
        found.append((chinese, [text[0].upper() + text[1:] for text in english]))
    random.Random(1).shuffle(found)
    return found


def splits() -> dict[str, Sentences]:
    """480 to train on, 40 each to validate and test."""
    every = sentences()
    return {"train": every[:-80], "valid": every[-80:-40], "test": every[-40:]}


def write_plain(folder: Path) -> None:
    """Write `SPLIT.zh` and `SPLIT.en`, with the first translation of each sentence."""
    for split, rows in splits().items():
        write_lines(folder / f"{split}.zh", [chinese for chinese, _ in rows])
        write_lines(folder / f"{split}.en", [english[0] for _, english in rows])


def write_formats(folder: Path) -> None:
    """Write `train.tmx`, `valid.tsv`, and `test.zh.sgm` and `test.en.sgm` with all references."""
    rows = splits()
    variant = '<tuv xml:lang="{}"><seg>{}</seg></tuv>'
    units = (
        f"<tu>{variant.format('zh-CN', source)}{variant.format('en-US', escape(english[0]))}</tu>"
        for source, english in rows["train"]
    )
    header = '<?xml version="1.0" encoding="UTF-8"?>', '<tmx version="1.4"><header/><body>'
    write_lines(folder / "train.tmx", [*header, *units, "</body></tmx>"])
    table = [f"{number}\t{zh}\t{en[0]}" for number, (zh, en) in enumerate(rows["valid"], start=1)]
    write_lines(folder / "valid.tsv", ["id\tzh\ten", *table])
    sources, references = zip(*rows["test"], strict=True)
    texts = {f"r{number}": of_one for number, of_one in enumerate(zip(*references, strict=True), 1)}
    languages = 'srclang="Chinese" trglang="English"'
    for kind, name, documents in (("src", "zh", {"src": sources}), ("ref", "en", texts)):
        body = [
            line
            for system, of_one in documents.items()
            for line in (
                f'<DOC docid="d" sysid="{system}">',
                *(f"<seg id={n}> {escape(text)} </seg>" for n, text in enumerate(of_one, start=1)),
                "</DOC>",
            )
        ]
        lines = f'<{kind}set setid="x" {languages}>', *body, f"</{kind}set>"
        write_lines(folder / f"test.{name}.sgm", lines)


if __name__ == "__main__":
    write_plain(Path(sys.argv[1]))
    write_formats(Path(sys.argv[1]))
