"""Random numbers that depend on where training stands, and on nothing that came before.

Dropout masks are drawn from a generator that is seeded anew before every micro-batch, from the
run's seed and the micro-batch's place in the run. So they do not depend on which process computes
the micro-batch, on how many there are, or on where a run was stopped and taken up again: there is
no generator state to save, and a resumed run draws what an undisturbed one does.
"""

from __future__ import annotations

import hashlib

import torch


def seed_weights(seed: int) -> None:
    """Seed torch's generators before the model is built."""
    torch.manual_seed(place_seed(seed, "weights"))


def seed_micro_batch(seed: int, *, epoch: int, micro_batch: int) -> None:
    """Seed torch's generators (all devices) for one micro-batch, by its index in the epoch."""
    torch.manual_seed(place_seed(seed, f"{epoch}/{micro_batch}"))


def place_seed(seed: int, place: str) -> int:
    """The seed of a place in a run, 63 bits; neighbouring places have unrelated ones."""
    digest = hashlib.blake2b(f"{seed}/{place}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
