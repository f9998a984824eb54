"""`mgsa align`: a model artifact and a split of a dataset in, links between words out."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from mgsa.base.cli import STANDARD_OUTPUT, opened
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_file
from mgsa.decoding.settings import STANDARD

_DESCRIPTION = """\
Align the words of every pair of a split as the model sees them (forced alignment): one line a row,
in the order of the rows, links `SOURCE-TARGET` between words counted from 0. A model with an
alignment head is asked for that of the head, any other for the mean of a decoder layer's heads."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mgsa align`."""
    parser.description = _DESCRIPTION
    parser.add_argument("--model", type=Path, required=True, metavar="DIR", help="model artifact")
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="dataset artifact"
    )
    parser.add_argument("--split", required=True, metavar="NAME", help="such as test")
    parser.add_argument(
        "--out", default=STANDARD_OUTPUT, metavar="FILE", help="- is stdout (default: -)"
    )
    parser.add_argument(
        "--layer",
        type=int,
        metavar="N",
        help="take the mean of the heads of decoder layer N, counted from 1 (default: the "
        "alignment head, or else the last layer but one)",
    )
    parser.add_argument(
        "--soft",
        type=Path,
        metavar="FILE",
        help="write how much each target word is aligned to each source word too, for a split of "
        "moderate size: an .npz file of arrays ROW/words, (target words, source words), and "
        "ROW/subwords",
    )
    parser.add_argument(
        "--batch-tokens",
        type=int,
        default=STANDARD.batch_tokens,
        metavar="N",
        help="padded subwords of the longer side in a batch (default: %(default)s)",
    )
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )


def align(arguments: argparse.Namespace) -> None:
    """Run `mgsa align`."""
    if arguments.batch_tokens < 1:
        raise InputError(f"--batch-tokens: expected at least 1, got {arguments.batch_tokens}")

    from mgsa.alignment.aligner import Aligner
    from mgsa.alignment.pharaoh import format_links
    from mgsa.arrays_file import ArraysFile
    from mgsa.data.artifact import open_dataset

    dataset = open_dataset(arguments.dataset)
    dataset.num_rows(arguments.split)  # before the model is opened: whether there is such a split
    aligner = Aligner.load(
        arguments.model, layer=arguments.layer, accelerator=arguments.accelerator
    )
    found = aligner.align_split(dataset, arguments.split, batch_tokens=arguments.batch_tokens)
    with ExitStack() as files:
        out = files.enter_context(opened(arguments.out))
        soft = None
        if arguments.soft is not None:
            file = files.enter_context(atomic_file(arguments.soft, "wb"))
            soft = files.enter_context(ArraysFile(file))
        for row, alignment in enumerate(found):
            out.write(f"{format_links(alignment.links)}\n")
            if soft is not None:
                soft.write(row, {"words": alignment.words, "subwords": alignment.matrix})
        out.flush()  # before the arrays are put in place: both files are new, or none
