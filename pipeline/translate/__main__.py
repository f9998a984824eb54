"""Command `translate`: raw text from stdin translated line by line.

Text is tokenised, parsed, cut into phrases and split into subwords as the model's training data
was, and what comes out is put together again.
"""

import os
import sys
from collections.abc import Iterator
from json import dumps
from typing import Annotated, BinaryIO

from mgsa.cli.command import Option
from mgsa.cli.errors import InputError
from mgsa.cli.files import not_utf_8
from mgsa.cli.guard import is_stdout
from mgsa.cli.languages import CHINESE, base_language
from mgsa.cli.run import for_stdout, run
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TranslateConfig
from mgsa.decoding.commands import ModelFolders
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.formats.text_settings import read_text_settings
from pipeline.stage.command import stage
from pipeline.text_model import TOKENIZED, ParserOption, TextModel

READ_BYTES = 1 << 18
"""At most so much text is taken at once; of what a terminal or a pipe holds ready, all of it."""

STDIN = "stdin"


def read_chunks(stream: BinaryIO) -> Iterator[list[str]]:
    """Yield the lines that are ready on a stream, decoded as in `pipeline.formats.text`.

    Raises:
        InputError: a line is not UTF-8; the lines before it are yielded first.
    """
    number, rest, block = 0, b"", b"\n"
    while block:
        block = stream.read1(READ_BYTES)  # type: ignore[attr-defined]
        *lines, rest = (rest + block).split(b"\n")
        if rest and not block:
            lines.append(rest)
        decoded: list[str] = []
        for line in lines:
            number += 1
            try:
                text = line.removesuffix(b"\r").decode("utf-8")
            except UnicodeDecodeError as error:
                yield decoded
                raise not_utf_8(error, path=STDIN, line=number) from None
            decoded.append(text.removeprefix("\ufeff") if number == 1 else text)
        if decoded:
            yield decoded


def translate_stdin(
    translate: TranslateConfig = DEFAULT_TRANSLATE_CONFIG,
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: ModelFolders,
    tokenized: Annotated[bool, Option(f"{TOKENIZED}; translations too")] = False,
    whole_lines: Annotated[
        bool, Option("translate a line as one sentence, as --json and --tokenized do")
    ] = False,
    parser: ParserOption = None,
    json: Annotated[
        bool, Option("a line of JSON with tokens, phrases, translations, scores")
    ] = False,
    n_best: Annotated[int, Option("with --json: translations of each sentence", "N")] = 1,
    links: Annotated[bool, Option("with --json: of source and target tokens")] = False,
    weights: Annotated[bool, Option("with --json: of cross-attention, in subwords")] = False,
) -> None:
    """Translate raw text from stdin to stdout, line by line, each sentence of a line by itself.

    Without params.yaml: beam 5, length penalty 0.6. `python -m pipeline.translate.split` translates
    a split of a dataset.
    """
    from pipeline.tokenizers.sentences import split_sentences

    if (n_best > 1 or links or weights) and not json:
        raise InputError("--n-best, --links and --weights come with --json")
    if (links or weights) and len(model) > 1:
        raise InputError("--links, --weights: expected one --model, got several")
    if not 1 <= n_best <= translate.beam:
        raise InputError(f"--n-best: expected 1 to {translate.beam} (beam), got {n_best}")
    if is_stdout(os.fstat(0)):
        raise InputError("expected an input apart from stdout", path=STDIN)
    loaded = TextModel.load(model, parser=parser, run=run)
    recorded = read_text_settings(model[0])
    codes = (recorded.source_language, recorded.target_language)
    source_language, target_language = map(base_language, codes)
    blank = "" if target_language in (*CHINESE, "ja") else " "
    whole = whole_lines or tokenized or json or recorded.tokenize.source == "none"
    number, out = 1, sys.stdout.buffer
    for texts in read_chunks(sys.stdin.buffer):
        lines = [[text] if whole else split_sentences(text, source_language) for text in texts]
        translations = loaded.translate_stream(
            [sentence for line in lines for sentence in line],
            translate,
            n_best=n_best,
            links=links,
            need_weights=weights,
            tokenized=tokenized,
            path=STDIN,
            lines=[n for n, line in enumerate(lines, start=number) for _ in line],
        )
        for line in lines:
            found = [next(translations) for _ in line]
            written = [dumps(t.to_json(), ensure_ascii=False) if json else t.text for t in found]
            out.write(f"{for_stdout(blank.join(written))}\n".encode())
        out.flush()
        number += len(lines)


main = stage(translate_stdin)

if __name__ == "__main__":
    sys.exit(run(main))
