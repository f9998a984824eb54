"""The stage `corpus`: each kind gives the same folder, checked; bad input is named."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.errors import InputError
from pipeline.corpus import __main__ as corpus
from pipeline.formats.contrasts import read_contrasts
from pipeline.formats.tables import Record
from pipeline.formats.text import ANNOTATIONS, SPLITS
from pipeline.params.presets import compose
from tests.imports import ROOT
from tests.parameters import PARAMETERS
from tests.text_folders import contents, stage_argv


def arguments(root: Path, section: dict[str, Any], *overrides: str) -> list[str]:
    (root / "params.yaml").write_text(yaml.safe_dump(PARAMETERS | {"corpus": section}), "utf-8")
    paths = {"out": "corpus", "report": "report.json", "downloads": "downloads"}
    return stage_argv(root, *overrides, **paths)


SAMPLE = {
    **{"kind": "sample", "source_language": "en", "seed": 3, "train": 40, "valid": 5, "test": 6},
    **{"treebank_train": 8, "treebank_dev": 4, "ambiguity": 1.0},
}


def test_the_sample_is_generated_from_its_seed_and_grows_at_its_end(tmp_path: Path) -> None:
    corpus.main(arguments(tmp_path, SAMPLE))
    first = contents(tmp_path / "corpus")
    lines = {name: content.count(b"\n") for name, content in first.items()}
    columns = ("source", "target", "trees", "links", "voice", "tense")
    assert {lines[f"train.{column}"] for column in columns} == {40}
    targets = first["train.target"].decode().splitlines()
    contrasts = read_contrasts(tmp_path / "corpus/train.contrast", pairs=40)
    assert contrasts
    for contrast in contrasts:
        assert contrast.target != targets[contrast.line - 1]
        assert sorted(contrast.target) == sorted(targets[contrast.line - 1])
    assert (lines["valid.target"], lines["test.voice"], lines["test.tense"]) == (5, 6, 6)
    assert (lines["treebank/train.mrg"], lines["treebank/dev.mrg"]) == (8, 4)
    corpus.main(arguments(tmp_path, SAMPLE, "source_language=de"))
    german = contents(tmp_path / "corpus")
    assert german["train.source"] == first["train.target"]
    assert german["train.target"] == first["train.source"]
    assert json.loads(german["corpus.json"])["target_language"] == "en"
    assert (german["train.contrast"], german["treebank/dev.mrg"].count(b"\n")) == (b"", 4)
    languages = {"source_language": "en", "target_language": "de"}
    assert json.loads(first["corpus.json"]) == {"name": "sample", **languages}
    report = Record.read(tmp_path / "report.json")
    assert report == {"train_pairs": 40, "valid_pairs": 5, "test_pairs": 6}

    corpus.main(arguments(tmp_path, SAMPLE, "train=44"))
    after = contents(tmp_path / "corpus")
    changed = {name for name in first if after[name] != first[name]}
    assert changed == {"manifest.json", *(f"train.{c}" for c in columns)}
    for column in columns:
        assert after[f"train.{column}"].startswith(first[f"train.{column}"])
        assert after[f"train.{column}"].count(b"\n") == 44

    corpus.main(arguments(tmp_path, SAMPLE, "seed=4"))
    assert contents(tmp_path / "corpus")["train.source"] != first["train.source"]


@pytest.fixture
def local(tmp_path: Path) -> dict[str, Any]:
    """The settings of a local corpus, and its files."""
    files = {
        "a.en": b"A dog.\r\nA\xe2\x80\xa8cat.\n",
        "a.de": b"\xef\xbb\xbfEin Hund.\nEine Katze.",
        "a.trees": b"(ROOT (NP (DT A) (NN dog) (. .)))\n(ROOT (NP (DT A) (NN cat) (. .)))\n",
        "a.links": b"0-0 1-1 2-2\n\n",
        "a.voice": b"active\npassive\n",
        "a.contrast": b'{"line": 2, "target": "Ein Katze.", "category": "gender"}\n',
        "b.en.gz": gzip.compress(b"One.\n"),
        "b.de": b"Eins.\n",
        "train.mrg": b"( (S (NP (DT A)\n        (NN dog))))\n( (S (NP (NN mud))))\n",
        "dev.mrg": b"(ROOT (S (NP (NN mud))))\n",
    }
    folder = tmp_path / "own"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    none = dict.fromkeys((*ANNOTATIONS, "contrast", "columns", "sets", "lines"))
    given = ("trees", "links", "voice", "contrast")
    train = {**none, **{n: str(folder / f"a.{n}") for n in given}}
    dev = {**none, "source": str(folder / "b.en.gz"), "target": str(folder / "b.de")}
    return {
        **{"kind": "local", "name": "own", "source_language": "en", "target_language": "de"},
        **{"folder": str(tmp_path / "own"), "prefix": "a.", "seed": 1},
        "train": {**train, "source": str(folder / "a.en"), "target": str(folder / "a.de")},
        "valid": dev,
        "test": dev,
        "treebank": {"train": str(folder / "train.mrg"), "dev": str(folder / "dev.mrg")},
    }


def test_a_folder_a_prefix_and_two_languages_name_the_files(
    tmp_path: Path, local: dict[str, Any]
) -> None:
    for split in SPLITS:
        for language in ("fr", "es"):
            (tmp_path / f"own/a.{split}.{language}").write_text(f"{split} {language}\n", "utf-8")
    (tmp_path / "own/a.valid.es").unlink()
    (tmp_path / "own/a.valid.es.gz").write_bytes(gzip.compress(b"valid, packed\n"))
    for split in SPLITS:
        local[split] = dict.fromkeys(local[split])
    corpus.main(arguments(tmp_path, local, "source_language=fr", "target_language=es"))
    assert (tmp_path / "corpus/test.source").read_text("utf-8") == "test fr\n"
    assert (tmp_path / "corpus/train.target").read_text("utf-8") == "train es\n"
    assert (tmp_path / "corpus/valid.target").read_text("utf-8") == "valid, packed\n"
    with pytest.raises(
        InputError, match=r"own/a\.train\.es: expected two files, or one with both l"
    ):
        corpus.main(arguments(tmp_path, local, "source_language=es", "target_language=es"))
    with pytest.raises(InputError, match=r"own/b\.train\.fr: no such file, and none packed"):
        corpus.main(arguments(tmp_path, local, "source_language=fr", "prefix=b."))
    message = r"train.fr_CA: no such.*; .*own/a.train.fr is that of corpus.source_language=fr$"
    with pytest.raises(InputError, match=message):
        corpus.main(arguments(tmp_path, local, "source_language=fr_CA"))
    (tmp_path / "own/a.valid.es.xz").touch()
    message = "es: expected one file, packed or not, found a.valid.es.gz and a.valid.es.xz"
    with pytest.raises(InputError, match=message):
        corpus.main(arguments(tmp_path, local, "source_language=fr", "target_language=es"))


def test_local_files_are_copied_line_by_line(tmp_path: Path, local: dict[str, Any]) -> None:
    corpus.main(arguments(tmp_path, local))
    report = Record.read(tmp_path / "report.json")
    pairs = {"train_pairs": 2, "valid_pairs": 1, "test_pairs": 1}
    assert report == {**pairs, "train_contrasts": 1, "train_contrasts_left_out": 0}
    found = contents(tmp_path / "corpus")
    assert json.loads(found.pop("corpus.json"))["name"] == "own"
    del found["manifest.json"]
    assert found == {
        "train.source": "A dog.\nA\u2028cat.\n".encode(),
        "train.target": b"Ein Hund.\nEine Katze.\n",
        "train.trees": (tmp_path / "own/a.trees").read_bytes(),
        "train.links": b"0-0 1-1 2-2\n\n",
        "train.voice": b"active\npassive\n",
        "train.contrast": b'{"line": 2, "category": "gender", "target": "Ein Katze."}\n',
        **{f"{split}.source": b"One.\n" for split in ("valid", "test")},
        **{f"{split}.target": b"Eins.\n" for split in ("valid", "test")},
        "test.sets": b"test\n",
        "treebank/train.mrg": b"( (S (NP (DT A) (NN dog))))\n( (S (NP (NN mud))))\n",
        "treebank/dev.mrg": b"(ROOT (S (NP (NN mud))))\n",
    }
    corpus.main(arguments(tmp_path, {**local, "train": local["valid"], "treebank": None}))
    found = contents(tmp_path / "corpus")
    names = {f"{split}.{side}" for split in SPLITS for side in ("source", "target")}
    assert set(found) == {
        *names,
        "test.sets",
        "corpus.json",
        "manifest.json",
        "treebank/train.mrg",
        "treebank/dev.mrg",
    }
    assert found["treebank/train.mrg"] == found["treebank/dev.mrg"] == b""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.links", b"0-0\n", "own/a.links:1: ends after 1 line; expected as many as in "),
        (
            "a.contrast",
            b'{"line": 3, "category": "gender", "target": "Die Hund."}',
            "own/a.contrast:1: contrast.line: expected 1 to 2, got 3",
        ),
        ("dev.mrg", b"(S", "own/dev.mrg:1: expected one bracketed tree"),
        ("b.de", None, "own/b.de: no such file"),
    ],
)
def test_bad_input_is_named_and_leaves_outputs(
    tmp_path: Path, local: dict[str, Any], name: str, content: bytes | None, message: str
) -> None:
    corpus.main(arguments(tmp_path, local))
    before = contents(tmp_path / "corpus")
    if content is None:
        (tmp_path / "own" / name).unlink()
    else:
        (tmp_path / "own" / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)):
        corpus.main(arguments(tmp_path, local))
    assert contents(tmp_path / "corpus") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("corpus", "own", "params.yaml", "report.json")
    ]


def test_variants_that_are_no_contrast_are_left_out_and_counted(
    tmp_path: Path, local: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["Ein Katze.", "Eine Katze.", "Eine\u200b  Katze .", "\u00ad "]
    variants = [{"line": 2, "category": "x", "target": text} for text in texts]
    (tmp_path / "own/a.contrast").write_text("".join(f"{json.dumps(v)}\n" for v in variants))
    corpus.main(arguments(tmp_path, local))
    assert [c.target for c in read_contrasts(tmp_path / "corpus/train.contrast", pairs=2)] == [
        "Ein Katze."
    ]
    report = Record.read(tmp_path / "report.json")
    assert (report["train_contrasts"], report["train_contrasts_left_out"]) == (1, 3)
    assert capsys.readouterr().err == (
        f"{tmp_path}/own/a.contrast: 3 of 4 variants are left out, without a word, or with those "
        "of another (the first one of pair 2)\n"
    )


SGML = """<{tag} setid="newstest2014" srclang="any"{more}>
<doc sysid="{tag}" docid="1"><p>
<seg id="1">{text} &amp; {text}</seg>
</p></doc>
</{tag}>
"""


def test_a_test_set_in_sgml_serves_both_directions(
    tmp_path: Path, downloaded: dict[str, Any]
) -> None:
    """Of WMT14's four files there is one for each language: its source, or its reference."""
    mirror = tmp_path / "mirror"
    source = SGML.format(tag="srcset", more="", text="D")
    (mirror / "dev.en.sgm").write_text(source)
    (mirror / "dev.de.sgm").write_text(SGML.format(tag="refset", more=' trglang="de"', text="d"))
    for file in downloaded["files"]:
        content = (mirror / Path(file["url"]).name).read_bytes()
        file["sha256"] = hashlib.sha256(content).hexdigest()
    for source, target in (("en", "de"), ("de", "en")):
        codes = (f"source_language={source}", f"target_language={target}")
        corpus.main(arguments(tmp_path, downloaded, *codes))
        found = contents(tmp_path / "corpus")
        texts = {"en": b"D & D\n", "de": b"d & d\n"}
        assert (found["test.source"], found["test.target"]) == (texts[source], texts[target])


def test_links_of_other_tools_are_written_in_pharaohs_format(
    tmp_path: Path, local: dict[str, Any]
) -> None:
    giza = """# Sentence pair (1) source length 2 target length 2 alignment score : 0.01
A dog .
NULL ({ 3 }) Ein ({ 1 }) Hund ({ 2 })
# Sentence pair (2) source length 2 target length 2 alignment score : 0.01
A cat .
NULL ({ 2 }) Eine ({ }) Katze ({ 1 })
"""
    (tmp_path / "own/a.links").write_text(giza)
    corpus.main(arguments(tmp_path, local))
    assert (tmp_path / "corpus/train.links").read_text() == "0-0 1-1\n0-1\n"


@pytest.fixture
def downloaded(tmp_path: Path) -> dict[str, Any]:
    """The settings of a public corpus, and a local folder that stands in for its server."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    with tarfile.open(folder / "train.tgz", "w:gz") as tar:
        for name, content in (("x/c.en", b"A.\nB.\n"), ("x/c.de", b"a.\nb.\n"), ("../up", b"")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    (folder / "more.en.gz").write_bytes(gzip.compress(b"C.\n"))
    (folder / "more.de").write_bytes(b"c.\n")
    for language in ("en", "de"):
        (folder / f"dev.{language}.sgm").write_text('<doc>\n<seg id="1">D.</seg>\n</doc>\n')
    files = [
        {
            "url": f"https://example.org/data/{path.name}",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(folder.iterdir())
    ]
    dev = {"lines": None, "sets": None, "texts": {"en": ["dev.en.sgm"], "de": ["dev.de.sgm"]}}
    return {
        **{"kind": "download", "name": "public", "source_language": "en", "target_language": "de"},
        **{"seed": 1, "folder": str(folder)},
        "files": files,
        "train": {
            "texts": {
                "en": ["train.tgz/x/c.en", "more.en.gz"],
                "de": ["train.tgz/x/c.de", "more.de"],
            },
            **{"sets": None, "lines": None},
        },
        **{"valid": dev, "test": dev},
    }


def test_downloaded_files_are_put_together(tmp_path: Path, downloaded: dict[str, Any]) -> None:
    corpus.main(arguments(tmp_path, downloaded))
    found = contents(tmp_path / "corpus")
    assert json.loads(found.pop("corpus.json"))["source_language"] == "en"
    assert json.loads(found.pop("manifest.json"))["files"].keys() == {*found, "corpus.json"}
    assert found == {
        "treebank/train.mrg": b"",
        "treebank/dev.mrg": b"",
        **{"train.source": b"A.\nB.\nC.\n", "train.target": b"a.\nb.\nc.\n"},
        **{"valid.source": b"D.\n", "valid.target": b"D.\n"},
        **{"test.source": b"D.\n", "test.target": b"D.\n", "test.sets": b"test\n"},
    }


def train_of(english: list[str], german: list[str]) -> dict[str, Any]:
    return {"train": {"sets": None, "lines": None, "texts": {"en": english, "de": german}}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folder": "nowhere"}, "nowhere/dev.de.sgm: no such file; expected what https://example"),
        (train_of(["train.tgz/z"], ["more.de"]), "train.tgz: no member z"),
        (
            train_of(["other.en"], ["more.de"]),
            "corpus: train: other.en is in none of the files dev.de.sgm, dev.en.sgm, more.de, ",
        ),
        (
            train_of(["more.de", "more.en.gz"], ["more.de"]),
            "corpus: train: expected as many source as target files, at least one",
        ),
        ({"files": []}, "corpus: train: train.tgz/x/c.en is in none of the files "),
        (
            train_of(["train.tgz/x/c.en"], ["more.de"]),
            "more.de:1: ends after 1 line; expected as many as in {mirror}/train.tgz/x/c.en (2 l",
        ),
        (
            train_of(["train.tgz/../up"], ["more.de"]),
            "train.tgz: damaged archive: ",
        ),
        ({"target_language": "fr"}, "params.yaml: corpus: no files in fr; public has de, en"),
        ({"target_language": "en"}, "train.tgz/x/c.en: expected two files, or one with both lan"),
    ],
)
def test_downloads_that_cannot_be_are_named(
    tmp_path: Path, downloaded: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    message = message.replace("{mirror}", str(tmp_path / "mirror"))
    with pytest.raises(InputError, match=re.escape(message)):
        corpus.main(arguments(tmp_path, {**downloaded, **change}))
    assert not list(tmp_path.glob("*up*"))
    assert not (tmp_path / "corpus").exists()


def test_a_file_is_downloaded_once_and_an_unknown_hash_is_told(
    tmp_path: Path, downloaded: dict[str, Any], serve: Any
) -> None:
    server = serve("whole")
    for file in downloaded["files"]:
        name = Path(file["url"]).name
        server.files[f"/some/{name}"] = (tmp_path / "mirror" / name).read_bytes()
        file["url"] = server.url(name)
    downloaded["folder"] = None
    known = downloaded["files"][0]["sha256"]
    downloaded["files"][0]["sha256"] = None
    with pytest.raises(InputError, match=f"dev.de.sgm: its SHA-256 is {known}: compare it with"):
        corpus.main(arguments(tmp_path, downloaded))
    downloaded["files"][0]["sha256"] = known
    for _ in range(2):
        corpus.main(arguments(tmp_path, downloaded))
    assert len(server.paths) == len(downloaded["files"])
    assert (tmp_path / "corpus/train.source").read_bytes() == b"A.\nB.\nC.\n"


@pytest.mark.real
def test_multi30k_is_the_files_of_the_preset(tmp_path: Path, shared: Path) -> None:
    section = compose(ROOT / "conf", ["corpus=multi30k"])["corpus"]
    corpus.main(arguments(tmp_path, {**section, "folder": str(shared / "multi30k")}))
    assert Record.read(tmp_path / "report.json") == {
        "train_pairs": 29_000, "valid_pairs": 1_014, "test_pairs": 1_000
    }  # fmt: skip
