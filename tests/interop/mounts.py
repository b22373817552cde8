"""File systems that are mounted for one test. Where none may be mounted the test is skipped and says so."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(at: Path, *arguments: str | Path) -> Iterator[Path]:
    """`mount ARGUMENTS at`, undone in the end whatever happens."""
    said = subprocess.run(["mount", *arguments, at], capture_output=True, text=True)
    if said.returncode != 0:
        # scripts/test gives the tests a namespace of their own, in which every user may mount most of what they need.
        pytest.skip(f"this may not be mounted here: {said.stderr.strip()}")
    try:
        yield at
    finally:
        # What is still in use goes as soon as it is not: it must not outlive the test.
        if subprocess.run(["umount", at], capture_output=True).returncode != 0:
            subprocess.run(["umount", "--lazy", at], check=True)


def change(at: Path, options: str) -> None:
    """Mounts it anew with other options."""
    subprocess.run(["mount", "-o", options, at], check=True)


class Ballast:
    """What fills a small file system."""

    def __init__(self, disk: Path) -> None:
        self._bytes = disk / "ballast"
        self._names = disk / "names"
        self._names.mkdir()

    def leave_blocks(self, count: int) -> None:
        """Leaves so many blocks free, and no more."""
        with self._bytes.open("ab", buffering=0) as file:
            # Where one block is too much for a bigger write, it may still go in by itself.
            for size in (1 << 16, 1 << 12, 1 << 9):
                try:
                    while file.write(b"b" * size):
                        pass
                except OSError:
                    continue
            file.truncate(max(0, file.tell() - count * 4096))

    def leave_no_name(self) -> None:
        """Makes files until no more can be made."""
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
