"""Settings of the stage `probe_data`."""

from dataclasses import dataclass

from mgsa.cli.settings import InputPath, Positive, Seed


@dataclass(frozen=True)
class ProbeDataSettings:
    """The data that probes are trained and tested on."""

    #: source of labels: `parsed` (the parser's trees of the training split), `gold` (those of the
    #: corpus), or a file of bracketed trees with their words.
    trees: InputPath
    sentences: Positive  #: the most to take.
    shares: tuple[Positive, ...]  #: of train, valid and test.
    #: the most frequent top-level syntactic sequences; the others share one more.
    tss_classes: Positive
    seed: Seed  #: of the choice of sentences.

    def __post_init__(self) -> None:
        if len(self.shares) != 3:
            raise ValueError(f"shares: expected those of train, valid, test, got {self.shares}")
        if self.sentences < sum(self.shares):
            message = f"sentences: expected at least the {sum(self.shares)} of the shares"
            raise ValueError(f"{message}, got {self.sentences}")
