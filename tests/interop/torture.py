"""Settings from scripts/torture: the seed, and the number of rounds or seconds. Without them, a test is short."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

SEED = int(os.environ.get("LOOPMEM_TORTURE_SEED") or 7)
ROUNDS = int(os.environ.get("LOOPMEM_TORTURE_ROUNDS") or 0)
SECONDS = float(os.environ.get("LOOPMEM_TORTURE_SECONDS") or 0)
IS_TORTURE = any(name.startswith("LOOPMEM_TORTURE_") for name in os.environ)


def rounds(short: int) -> Iterator[tuple[int, random.Random]]:
    """The rounds, each with its own random generator: the given number, else for the given time, else `short`.

    A failure shows the round and the seed, since pytest prints the output of a failing test.
    """
    begun, round_ = time.monotonic(), 0
    while round_ < ROUNDS if ROUNDS else time.monotonic() - begun < SECONDS if SECONDS else round_ < short:
        print(f"seed {SEED}, round {round_}")
        yield round_, random.Random(f"{SEED} {round_}")
        round_ += 1
