"""A lock that another process holds, and whether a process waits for it."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPO = "b" * 64


@contextmanager
def held_lock(home: Path) -> Iterator[None]:
    """Another process holds the lock of the repository's memory."""
    path = home / "repos" / REPO / "memory.json.lock"
    command = ["flock", "--exclusive", str(path), "sh", "-c", "echo held; exec cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            holder.kill()


def somebody_waits(home: Path) -> bool:
    """A process that waits for a lock holds its gate."""
    with open(home / "repos" / REPO / "memory.json.gate") as gate:
        try:
            fcntl.flock(gate, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
