"""What scripts/torture tells a test: its seed, and for how many rounds or seconds it goes on. Without, it is short."""

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
    """The rounds, each with its own chance: so many as told, else for as long as told, else `short`.

    What fails says which round of which seed it was: pytest prints what a failing test has printed.
    """
    begun, round_ = time.monotonic(), 0
    while round_ < ROUNDS if ROUNDS else time.monotonic() - begun < SECONDS if SECONDS else round_ < short:
        print(f"seed {SEED}, round {round_}")
        yield round_, random.Random(f"{SEED} {round_}")
        round_ += 1
