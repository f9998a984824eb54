r"""Train and test JoeyNMT on the very text, BPE codes and sizes of a run of this project.

JoeyNMT needs an environment of its own:

    python -m venv ENV && ENV/bin/pip install torch==2.13.0 joeynmt==2.3.0 importlib_metadata

    python -m benchmarks.joeynmt_peer --python ENV/bin/python --tokenized data/tokenized \
        --bpe data/bpe --work FOLDER --epochs 20

FOLDER/peer.json has its training target tokens/s and the seconds that beam search took on the test
split, model loading left out. FOLDER/test.hypotheses is its output detokenised as ours is: a
baseline for `python -m pipeline.evaluate`. `--updates N` stops after N updates, enough to compare
the speed of training; `--translate-only` takes the model that an earlier run left in FOLDER.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from pipeline.formats.text_settings import read_text_settings
from pipeline.tokenizers.moses import MosesText

SPECIAL_SYMBOLS = ("<unk>", "<pad>", "<s>", "</s>")


def configuration(
    tokenized: Path, codes: Path, work: Path, model: dict[str, Any], train: dict[str, Any]
) -> dict[str, Any]:
    """JoeyNMT's configuration with the sizes and the schedule of our `model` and `train`."""
    side = {
        "level": "bpe",
        "lowercase": False,
        "normalize": False,
        "max_length": 1024,
        "voc_file": str(work / "vocabulary"),
        "tokenizer_type": "subword-nmt",
        "tokenizer_cfg": {"codes": str(codes), "pretokenizer": "none", "num_merges": 0},
    }
    layers = {
        "type": "transformer",
        "num_heads": model["heads"],
        "hidden_size": model["dim"],
        "ff_size": model["ffn_dim"],
        "dropout": model["dropout"],
        "layer_norm": model["norm"],
        "embeddings": {"embedding_dim": model["dim"], "scale": True, "dropout": 0.0},
    }
    return {
        "name": "peer",
        "joeynmt_version": "2.3.0",
        "model_dir": str(work / "model"),
        "use_cuda": False,
        "random_seed": train["seed"],
        "data": {
            "train": str(tokenized / "train"),
            "dev": str(tokenized / "valid"),
            "test": str(tokenized / "test"),
            "dataset_type": "plain",
            "src": {"lang": "source", **side},
            "trg": {"lang": "target", **side},
        },
        "training": {
            "normalization": "tokens",
            "loss": "crossentropy",
            "label_smoothing": train["label_smoothing"],
            "optimizer": "adam",
            "adam_betas": train["optimizer_betas"],
            "learning_rate": train["learning_rate"],
            "learning_rate_min": 1e-9,
            "learning_rate_warmup": train["warmup"],
            "scheduling": "warmupinversesquareroot",
            "clip_grad_norm": train["clip_norm"],
            "batch_size": train["batch_tokens"],
            "batch_type": "token",
            "epochs": train["max_epochs"],
            "updates": train["max_updates"],
            "validation_freq": train["validate_every"],
            # A divisor: it asks for one, and for several reports between validations.
            "logging_freq": max(
                n for n in range(1, 51) if train["validate_every"] % (4 * n) == 0 or n == 1
            ),
            "early_stopping_metric": "bleu",
            "keep_best_ckpts": 1,
            "overwrite": True,
            "print_valid_sents": [0],
        },
        "testing": {
            "beam_size": 5,
            "beam_alpha": 1.0,
            "batch_size": 4096,
            "batch_type": "token",
            "max_output_length": 100,
            "eval_metrics": ["bleu"],
            "sacrebleu_cfg": {"tokenize": "none"},
        },
        "model": {
            "initializer": "xavier_uniform",
            "embed_initializer": "xavier_uniform",
            "bias_initializer": "zeros",
            "tied_embeddings": True,
            "tied_softmax": True,
            "encoder": {**layers, "num_layers": model["encoder_layers"]},
            "decoder": {**layers, "num_layers": model["decoder_layers"]},
        },
    }


def write_vocabulary(bpe: Path, path: Path) -> None:
    """The joint vocabulary of both sides in JoeyNMT's form."""
    subwords = {
        line.rsplit(" ", 1)[0]
        for side in ("source", "target")
        for line in (bpe / f"vocab.{side}").read_text(encoding="utf-8").splitlines()
    }
    path.write_text("\n".join([*SPECIAL_SYMBOLS, *sorted(subwords)]) + "\n", encoding="utf-8")


def training_speed(log: str) -> float:
    """Mean target tokens/s over the reports of JoeyNMT's own log, the first left out."""
    rates = [int(rate) for rate in re.findall(r"Tokens per Sec:\s+(\d+)", log)][1:]
    return sum(rates) / len(rates)


def generation_seconds(log: str) -> float:
    """Seconds that the last translation in JoeyNMT's output took."""
    return float(re.findall(r"Generation took ([\d.]+)\[sec\]", log)[-1])


def detokenize(tokenized: Path, path: Path, language: str) -> None:
    """Write tokenised lines as the text that our own translations become."""
    moses = MosesText(language)
    lines = tokenized.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{moses.detokenize(line.split())}\n" for line in lines), "utf-8")


def main() -> None:
    """Write the configuration, train, translate the test split, collect the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", required=True, help="interpreter that has JoeyNMT")
    parser.add_argument("--tokenized", type=Path, required=True)
    parser.add_argument("--bpe", type=Path, required=True)
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--updates", type=int, default=1_000_000)
    parser.add_argument("--translate-only", action="store_true")
    arguments = parser.parse_args()

    params = yaml.safe_load(arguments.params.read_text(encoding="utf-8"))
    if params["train"]["decay"] != "inverse_sqrt":
        parser.error("expected train.decay=inverse_sqrt, the schedule that JoeyNMT has too")
    train = {
        **params["train"],
        "max_epochs": arguments.epochs,
        "max_updates": arguments.updates,
        "validate_every": min(500, arguments.updates),
    }
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    write_vocabulary(arguments.bpe, work / "vocabulary")
    config = configuration(
        arguments.tokenized.resolve(),
        (arguments.bpe / "bpe.codes").resolve(),
        work,
        params["model"],
        train,
    )
    (work / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")

    joeynmt = [arguments.python, "-m", "joeynmt"]
    if not arguments.translate_only:
        subprocess.run([*joeynmt, "train", str(work / "config.yaml"), "--skip-test"], check=True)
    test = subprocess.run(
        [*joeynmt, "test", str(work / "config.yaml"), "--output-path", str(work / "output")],
        check=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    language = read_text_settings(arguments.tokenized).target_language
    detokenize(work / "output.test", work / "test.hypotheses", language)
    figures = {
        "training_target_tokens_per_second": training_speed(
            (work / "model" / "train.log").read_text(encoding="utf-8")
        ),
        "translation_seconds": generation_seconds(test.stderr),
        "test_sentences": len((work / "output.test").read_text(encoding="utf-8").splitlines()),
    }
    (work / "peer.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
