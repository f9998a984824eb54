"""Corpora as people bring them: the right tokens, trees and phrases, or one line that says why not.

Situations of public bug reports, by kind; each ran through the commands of the first stages.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path

import pytest
import yaml
from sacrebleu import corpus_bleu

from mgsa.cli.files import read_json
from mgsa.cli.run import run
from pipeline.params.presets import compose
from tests.all_stages import main_of
from tests.chinese import splits, write_formats
from tests.imports import ROOT
from tests.lines import lines

Files = Mapping[str, str | bytes]
ENGLISH = ["A man sleeps.", "A dog runs."]
GERMAN = ["Ein Mann schläft.", "Ein Hund rennt."]
TOKENIZED = ["Ein Mann schläft .", "Ein Hund rennt ."]
STAGES = {
    "corpus": "pipeline.corpus --out corpus --report corpus.json",
    "tokenize": "pipeline.tokenize --corpus corpus --out tokenized --report tokenize.json",
    "parser": "pipeline.parser --corpus corpus --out parser --report parser.json",
    "parse": "pipeline.parse --tokenized tokenized --parser parser --out parsed --memory memory",
    "partition": "pipeline.partition --parsed parsed --tokenized tokenized --out partitions "
    "--plots plots",
    "bpe": "pipeline.bpe --tokenized tokenized --out bpe",
    "dataset": "pipeline.dataset --corpus corpus --tokenized tokenized --partitions partitions "
    "--parser parser --bpe bpe --out dataset",
    "train": "pipeline.train --dataset dataset --out model --checkpoints checkpoints "
    "--plots curves",
    "translate": "pipeline.translate.split --model model --dataset dataset --split test "
    "--out translations",
}


def text(sentences: Sequence[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


def stages(folder: Path, files: Files, *overrides: str, last: str = "tokenize") -> int:
    """Write a corpus of English and German but for `files`, and run the stages up to `last`."""
    own = folder / "own"
    own.mkdir(exist_ok=True)
    pair = {"en": text(ENGLISH), "de": text(GERMAN)}
    given = {f"{s}.{code}": pair[code] for s in ("train", "valid", "test") for code in pair}
    for name, content in (given | dict(files)).items():
        path = own / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    presets = ["corpus=local", "corpus.folder=own", "parser=none", "align=none", "run.workers=1"]
    parameters = compose(ROOT / "conf", [*presets, "model=transformer_tiny", *overrides])
    (folder / "params.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    with chdir(folder):
        for stage, command in STAGES.items():
            module, *argv = command.split()
            if status := run(main_of(module), argv):
                return status
            if stage == last:
                break
    return 0


SEGMENTS = ["".join(f"<seg>{one}</seg>\n" for one in side) for side in (ENGLISH, GERMAN)]
XML = (
    '<?xml version="1.0"?>\n<dataset id="x"><doc id="d">\n'
    f'<src lang="en"><p>{SEGMENTS[0]}</p></src>\n<ref lang="de"><p>{SEGMENTS[1]}</p></ref>\n'
    "</doc></dataset>\n"
)
TMX = (
    '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/>\n<body>\n'
    + "".join(
        f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv>\n'
        f'<tuv xml:lang="de"><seg>{target}</seg></tuv></tu>\n'
        for source, target in zip(ENGLISH, GERMAN, strict=True)
    )
    + "</body></tmx>\n"
)
TSV = text([*map("\t".join, zip(ENGLISH, GERMAN, strict=True))])
BOTH = "corpus.train.source=own/both corpus.train.target=own/both"
ONE_EACH = BOTH.replace("both", "copy", 1)


@pytest.mark.parametrize(
    ("files", "overrides", "output", "expected"),
    [
        # One file of both sides.
        ({"both": TMX}, BOTH, "tokenized/train.target", TOKENIZED),
        ({"both": TSV}, BOTH, "tokenized/train.target", TOKENIZED),
        ({"both": XML}, BOTH, "tokenized/train.target", TOKENIZED),
        ({"copy": XML, "both": XML}, ONE_EACH, "corpus/train.source", ENGLISH),
        # Packed, under the name of the text.
        (
            {"train.en": lzma.compress(text(ENGLISH).encode())},
            "",
            "corpus/train.source",
            ENGLISH,
        ),
        # Entities, whatever the file is called.
        (
            {"s.sgml": '<srcset srclang="en">\n<seg id="1">AT&amp;T said &quot;no&quot;.</seg>\n'
             '<SEG id="2">It is &lt; 3.</SEG>\n</srcset>\n'},
            "corpus.test.source=own/s.sgml",
            "corpus/test.source",
            ['AT&T said "no".', "It is < 3."],
        ),
        # Codes of regions, of three letters, with a script.
        (
            {f"{s}.pt_BR": text(["Não é fácil.", "Olá!"]) for s in ("train", "valid", "test")},
            "corpus.target_language=pt_BR",
            "tokenized/train.target",
            ["Não é fácil .", "Olá !"],
        ),
        (
            {f"{s}.kor": text(["산에 가니까?", "나는 가다."]) for s in ("train", "valid", "test")},
            "corpus.target_language=kor",
            "tokenized/train.target",
            ["산에 가니까 ?", "나는 가다 ."],
        ),
        # Marks and joiners that carry spelling.
        (
            {f"{s}.th": text(["น้ำ ไม่ ร้อน", "เด็ก เล่น"]) for s in ("train", "valid", "test")},
            "corpus.target_language=th",
            "tokenized/train.target",
            ["น้ำ ไม่ ร้อน", "เด็ก เล่น"],
        ),
        (
            {f"{s}.fa": text(["من می‌خواهم", "او می‌رود"]) for s in ("train", "valid", "test")},
            "corpus.target_language=fa",
            "tokenized/train.target",
            ["من می‌خواهم", "او می‌رود"],
        ),
        # Text that was worked on before.
        (
            {"train.en": text(["I do n't know .", "He ca n't go ."])},
            "tokenize.source=none",
            "tokenized/train.source",
            ["I do n't know .", "He ca n't go ."],
        ),
        (
            {"train.en": text(["I don &apos;t &#91; R &amp; D", "well ##AT##-##AT## known"])},
            "",
            "tokenized/train.source",
            ["I don 't [ R & D", "well-known"],
        ),
        (
            {"train.en": text(["<2de> The <b>old</b> man .", "Click __URL__ or ｟ph_1｠ ."])},
            "",
            "tokenized/train.source",
            ["<2de> The <b> old </b> man .", "Click __URL__ or ｟ph_1｠ ."],
        ),
        # A contrast that is none, JSON after a byte order mark or a blank line.
        (
            {"c": '\ufeff\n{"line": 1, "category": "x", "target": "Eine Mann schläft."}\n'
             '{"line": 2, "category": "x", "target": "Ein Hund\u200b rennt."}\n'},
            "corpus.test.contrast=own/c",
            "corpus/test.contrast",
            ['{"line": 1, "category": "x", "target": "Eine Mann schläft."}'],
        ),
    ],
)  # fmt: skip
def test_what_comes_is_read_rightly(
    tmp_path: Path, files: Files, overrides: str, output: str, expected: list[str]
) -> None:
    assert stages(tmp_path, files, *overrides.split()) == 0
    assert lines(tmp_path / output) == expected


TREES = "parser=trees corpus.train.trees=own/trees"
GOLD = "(ROOT (S (NP (DT {}) (NN {})) (VP (VBZ {})) (. .)))"
OWN = [GOLD.format(*sentence.rstrip(".").split()) for sentence in ENGLISH]


def trees(sentences: Sequence[str], brackets: Sequence[str]) -> dict[str, str]:
    """A corpus with trees of training pairs."""
    own = {f"{split}.trees": text(OWN) for split in ("valid", "test")}
    return own | {"train.en": text(sentences), "train.de": text(sentences), "trees": text(brackets)}


@pytest.mark.parametrize(
    ("sentences", "brackets", "output", "expected"),
    [
        # A blank pair goes with its tree; a failed parse is flat.
        (
            ["She slept .", "", "It rained ."],
            ["(ROOT (S (NP (PRP She)) (VP (VBD slept)) (. .)))", "", "(())"],
            "parsed/train.trees",
            [
                "(ROOT (S (NP (PRP She)) (VP (VBD slept)) (. .)))",
                "(ROOT (FRAG (X It) (X rained) (X .)))",
            ],
        ),
        # Functions and indices are no tags.
        (
            ["Anna will join .", "He slept ."],
            [
                "( (S (NP-SBJ-1 (NNP Anna)) (VP (MD will) (VP (VB join))) (. .)) )",
                "(TOP (S (NP=2 (PRP He)) (VP|ADVP (VBD slept)) (. .)))",
            ],
            "partitions/train.phrases",
            ["1:NP 2:VP 1:.", "1:NP 1:VP 1:."],
        ),
        # Over the tokens of the Penn Treebank.
        (
            ["I don't (yet.", '"Go!" he said.'],
            [
                "(S (NP (PRP I)) (VP (VBP do) (RB n't) (X (-LRB- -LRB-) (RB yet))) (. .))",
                "(S (`` ``) (VP (VB Go)) (. !) ('' '') (NP (PRP he)) (VP (VBD said)) (. .))",
            ],
            "parsed/train.trees",
            [
                "(S (NP (PRP I)) (VP (VBP don) (RB 't) (X (-LRB- -LRB-) (RB yet))) (. .))",
                "(S (`` \") (VP (VB Go)) (. !) ('' \") (NP (PRP he)) (VP (VBD said)) (. .))",
            ],
        ),
    ],
)  # fmt: skip
def test_trees_of_any_parser_are_taken(
    tmp_path: Path, sentences: list[str], brackets: list[str], output: str, expected: list[str]
) -> None:
    named = [f"corpus.{split}.trees=own/{split}.trees" for split in ("valid", "test")]
    files = trees(sentences, brackets)
    assert stages(tmp_path, files, *TREES.split(), *named, last="partition") == 0
    assert [line.split(" ||| ")[0] for line in lines(tmp_path / output)] == expected


@pytest.mark.parametrize(
    ("files", "overrides", "told"),
    [
        ({}, "", "2 of 2 pairs of test are training pairs too"),
        (
            {"train.en": "Hello, world!\nYes, sir.\n", "links": "0-0 1-1\n0-0 1-1\n"},
            "align=corpus corpus.train.links=own/links",
            "none reaches beyond the words between blanks",
        ),
        (
            {f"{s}.xh": text(GERMAN) for s in ("train", "valid", "test")},
            "corpus.target_language=xh",
            "tokenize.target: Moses has no rules of xh: those for any script",
        ),
        (
            {f"{s}.zh": text(["我爱北京。", "你好！"]) for s in ("train", "valid", "test")},
            "corpus.target_language=zh",
            "leave its words together: spacy and characters part them",
        ),
    ],
)
def test_what_seems_wrong_is_told(
    tmp_path: Path,
    files: Files,
    overrides: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert stages(tmp_path, files, *overrides.split()) == 0
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "overrides", "told"),
    [
        (
            {"train.en": TMX.replace("xml:", "x:")},
            "",
            "own/train.en:4: expected XML: unbound",
        ),
        ({"train.en": "<html>\n<p>a</p>\n"}, "", "own/train.en:1: expected text, a line for each"),
        (
            {"train.en": TSV.replace("\t", "\tx\t")},
            "",
            "own/train.en:1: expected text in en",
        ),
        (
            {},
            "corpus.train.target=own/train.en",
            "own/train.en: expected two files, or one",
        ),
        (
            {"tb": "(S (VB 0=Has) (N 1=Anna))\n"},
            "parser=treebank",
            "own/tb:1: expected words",
        ),
    ],
)
def test_what_cannot_be_is_one_line(
    tmp_path: Path, files: Files, overrides: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [f"parser.{part}=own/tb" for part in ("train", "dev") if "tb" in files]
    assert stages(tmp_path, files, *overrides.split(), *named, last="parser") == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"error: {told}")


def test_four_references_of_a_test_set_in_chinese(tmp_path: Path) -> None:
    """A translation memory, a table and SGML, through all stages to scores."""
    write_formats(tmp_path / "own")
    files = [
        f"corpus.{split}.{side}=own/{name}"
        for split, name in (("train", "train.tmx"), ("valid", "valid.tsv"))
        for side in ("source", "target")
    ]
    files += [f"corpus.test.{s}=own/test.{c}.sgm" for s, c in (("source", "zh"), ("target", "en"))]
    pair = "corpus.source_language=zh corpus.target_language=en tokenize.source=spacy"
    small = "bpe.merges=150 train.max_updates=20 train.warmup=5 train.validate_every=20"
    assert stages(tmp_path, {}, *pair.split(), *small.split(), *files, last="translate") == 0
    rows = splits()["test"]
    assert lines(tmp_path / "corpus/test.target.4") == [english[3] for _, english in rows]
    train = lines(tmp_path / "tokenized/train.source")
    assert {"北京", "图书馆", "老师"} <= {word for line in train for word in line.split(" ")}
    references = sorted((tmp_path / "translations").glob("test.references*"))
    assert len(references) == 4
    with chdir(tmp_path):
        argv = ["--hypotheses", "translations/test.hypotheses", "--corpus", "corpus"]
        argv += ["--references", *map(str, references), "--report", "scores.json"]
        assert run(main_of("pipeline.evaluate"), argv) == 0
    scores = read_json(tmp_path / "scores.json")
    assert "nrefs:4" in scores["signatures"][0]["signature"]
    hypotheses = lines(tmp_path / "translations/test.hypotheses")
    four = [lines(path) for path in references]
    assert scores["bleu"] == pytest.approx(corpus_bleu(hypotheses, four).score)
