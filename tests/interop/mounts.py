"""File systems mounted for the duration of a test. If mounting is not permitted, the test is skipped with a message."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(at: Path, *arguments: str | Path) -> Iterator[Path]:
    """`mount ARGUMENTS at`, always unmounted at the end."""
    said = subprocess.run(["mount", *arguments, at], capture_output=True, text=True)
    if said.returncode != 0:
        # scripts/test runs the tests in a private namespace, in which every user may mount most of what they need.
        pytest.skip(f"this may not be mounted here: {said.stderr.strip()}")
    try:
        yield at
    finally:
        # Lazy: what is still in use is unmounted once it is not. It must not outlive the test.
        if subprocess.run(["umount", at], capture_output=True).returncode != 0:
            subprocess.run(["umount", "--lazy", at], check=True)


def change(at: Path, options: str) -> None:
    """Remounts it with other options."""
    subprocess.run(["mount", "-o", options, at], check=True)


class Ballast:
    """Fills a small file system."""

    def __init__(self, disk: Path) -> None:
        self._bytes = disk / "ballast"
        self._names = disk / "names"
        self._names.mkdir()

    def leave_blocks(self, count: int) -> None:
        """Leaves exactly this many blocks free."""
        with self._bytes.open("ab", buffering=0) as file:
            # If the last block is too much for a larger write, it may still fit by itself.
            for size in (1 << 16, 1 << 12, 1 << 9):
                try:
                    while file.write(b"b" * size):
                        pass
                except OSError:
                    continue
            file.truncate(max(0, file.tell() - count * 4096))

    def leave_no_name(self) -> None:
        """Creates files until no more can be created."""
        number = 0
        try:
            while True:
                (self._names / str(number)).touch(exist_ok=False)
                number += 1
        except OSError:
            pass

    def drop(self) -> None:
        self._bytes.unlink(missing_ok=True)
        for name in self._names.iterdir():
            name.unlink()
