"""Chinese sentences as they are written, without blanks, and their translations.

python -m tests.chinese FOLDER writes `train`, `valid` and `test`, each with `.zh` and `.en`.
"""

from __future__ import annotations

import random
import sys
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


def pairs() -> list[tuple[str, str]]:
    """560 pairs, in an order that looks like none."""
    found = [
        (f"{time}{person}{place}{act}。", f"{english} {did} {where} {when}.")
        for (time, when), (person, english), (place, where), (act, did) in product(
            TIMES.items(), PEOPLE.items(), PLACES.items(), ACTS.items()
        )
    ]
    random.Random(1).shuffle(found)
    return [(source, target[0].upper() + target[1:]) for source, target in found]


def splits() -> dict[str, list[tuple[str, str]]]:
    """480 pairs to train on, 40 each to validate and test."""
    every = pairs()
    return {"train": every[:-80], "valid": every[-80:-40], "test": every[-40:]}


if __name__ == "__main__":
    for split, rows in splits().items():
        for place, language in enumerate(("zh", "en")):
            write_lines(Path(sys.argv[1], f"{split}.{language}"), [row[place] for row in rows])
