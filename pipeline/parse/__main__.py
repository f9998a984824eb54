"""Stage `parse`: one constituency tree for each tokenised source sentence.

With `--text FILE`, the trees of a file's sentences instead.
"""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import tee
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, Option, OutputFile, OutputFolder, ParameterFile, Report
from mgsa.cli.errors import InputError
from mgsa.cli.run import STANDARD_OUTPUT, opened, run
from mgsa.run_config import RunConfig
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.ready_trees import ready_tree
from pipeline.formats.text import SPLITS, files_to_write, read_sentences, read_splits, split_tokens
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import PARSER, bracketed, flat_tree
from pipeline.parse.sentences import SplitTree, loaded_parser
from pipeline.parse.settings import ParseSettings
from pipeline.stage.command import stage, stage_outputs
from pipeline.tokenizers.side import SideText

Memory = Annotated[
    Path,
    OutputFile(
        "parsed sentences, kept between runs (default: data/parse_memory.sqlite)",
        form="edited file",
        shared=True,
    ),
]


def read_tokens(tokenized: Path) -> Iterator[tuple[str, list[str]]]:
    """Split and tokens of the source sentences of all splits, in order."""
    for split, line, (text,) in read_splits((tokenized, "source")):
        yield split, split_tokens(text, path=tokenized / f"{split}.source", line=line)


def ready_trees(tokenized: Path, parser: Path, counts: Counter[str]) -> Iterator[SplitTree]:
    """Trees of the parser's folder or else of the corpus; counted flat ones for failed parses."""
    for split in SPLITS:
        paths = [folder / f"{split}.trees" for folder in (parser, tokenized)]
        path = next(filter(Path.is_file, paths), None)
        if path is None:
            hint = "parser=trees takes those of corpus.train.trees, or of parser.train"
            raise InputError(f"no such file: {hint}", path=paths[-1])
        source = tokenized / f"{split}.source"
        rows = zip(_lines_of_kept(path, tokenized, split), read_sentences(source), strict=True)
        for number, ((line, brackets), text) in enumerate(rows, start=1):
            tokens = split_tokens(text, path=source, line=number)
            tree = ready_tree(brackets, tokens, path=path, line=line)
            counts["flat_failed"] += tree is None
            yield split, bracketed(tree or flat_tree(tokens))


def _lines_of_kept(path: Path, tokenized: Path, split: str) -> Iterator[tuple[int, str]]:
    """Numbers and lines of a file that has one for each kept pair, or each pair of the corpus."""
    lines = enumerate(read_sentences(path), start=1)
    num_trees, num_kept = (
        sum(1 for _ in read_sentences(file)) for file in (path, tokenized / f"{split}.source")
    )
    if num_trees == num_kept:
        return lines
    kept = {int(number) for number in read_sentences(tokenized / f"{split}.lines")}
    if num_trees < max(kept):
        message = f"{num_trees:,} trees: expected {num_kept:,}, one for each line of {tokenized}"
        raise InputError(f"{message}, or one for each pair of the corpus", path=path)
    return ((number, line) for number, line in lines if number in kept)


def flat_trees(tokenized: Path) -> Iterator[SplitTree]:
    """A flat tree for each sentence."""
    for split, tokens in read_tokens(tokenized):
        yield split, bracketed(flat_tree(tokens))


def parse_source(
    parse: ParseSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    parser: Annotated[Path, Input("the parser", kind="parser")],
    out: Annotated[Path, OutputFolder("trees", "trees")],
    memory: Memory = Path("data/parse_memory.sqlite"),
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Parse the source side of a corpus, or check and copy its trees, or write flat ones.

    With --text FILE, parse the sentences of a file: see --text FILE --help.
    """
    used = read_parser_folder(parser)
    counts: Counter[str] = Counter()
    reported = ["sentences"]
    with stage_outputs(out, report) as (folder, metrics), ExitStack() as stack:
        match used.kind:
            case "trees":
                reported += ["flat_too_long", "flat_failed"]
                trees = ready_trees(tokenized, parser, counts)
            case "none":
                trees = flat_trees(tokenized)
            case _:
                reported += ["flat_too_long", "flat_failed"]
                parse_all = stack.enter_context(
                    loaded_parser(parser, used, run, memory=memory, max_words=parse.max_words)
                )
                total = sum(1 for _ in read_splits((tokenized, "source")))
                trees = parse_all(read_tokens(tokenized), counts, total=total)
        shutil.copyfile(parser / PARSER, folder / PARSER)
        with files_to_write(folder, [f"{split}.trees" for split in SPLITS]) as files:
            for split, tree in trees:
                files[f"{split}.trees"].write(f"{tree}\n")
                counts["sentences"] += 1
        metrics.update({name: counts[name] for name in reported})
    if used.kind == "none":
        counts["flat_none"] = counts["sentences"]
    print_counts(counts)


def print_counts(counts: Counter[str]) -> None:
    """Say what became of the sentences.

    How many were parsed now depends on earlier runs, so reports are silent on it.
    """
    flat = sum(count for name, count in counts.items() if name.startswith("flat_"))
    print(
        f"parse: {counts['sentences']:,} sentences, {counts['parsed']:,} parsed now, {flat:,} flat",
        file=sys.stderr,
    )


def parse_text(
    parse: ParseSettings,
    run: RunConfig,
    *,
    params: Annotated[Path, ParameterFile()],
    text: Annotated[Path, Input("sentences, one a line", "FILE")],
    parser: Annotated[Path, Input("the parser", kind="parser")] = Path("data/parser"),
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    tokenized: Annotated[bool, Option("the text is in tokens, separated by one space")] = False,
    memory: Memory = Path("data/parse_memory.sqlite"),
) -> None:
    """Parse a file of sentences; write a tree a line, and a blank line for a blank one."""
    if text.exists() and not text.is_file():
        raise InputError("expected a file, as it is read twice, found a pipe", path=text)
    used = read_parser_folder(parser)
    if used.kind != "stanza":
        raise InputError(f"expected a parser, got the kind {used.kind}", path=parser)
    side = SideText(text_settings(params), "source", used.language)
    rows, lines = tee(
        [token for token in line.split(" ") if token] if tokenized else side.tokenize(line)
        for line in read_sentences(text)
    )
    counts: Counter[str] = Counter()
    sentences = ((text.name, tokens) for tokens in rows if tokens)
    total = sum(1 for _ in read_sentences(text))
    loaded = loaded_parser(parser, used, run, memory=memory, max_words=parse.max_words)
    with opened(out) as file, loaded as parse_all:
        trees = parse_all(sentences, counts, total=total)
        for tokens in lines:
            file.write(f"{next(trees)[1]}\n" if tokens else "\n")
            counts["sentences"] += bool(tokens)
    print_counts(counts)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the stage, or parse a file of sentences."""
    words = sys.argv[1:] if argv is None else argv
    of_text = any(word.partition("=")[0] == "--text" for word in words)
    stage(parse_text if of_text else parse_source)(words)


if __name__ == "__main__":
    sys.exit(run(main))
