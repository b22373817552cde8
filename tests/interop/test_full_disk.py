"""A disk that is really full: no file is ever shortened or damaged, and writes work again once there is room."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from callers import LANGUAGES, Caller, Refused, callers
from mounts import Ballast, mounted
from reader import litter, read_conventions, read_summaries
from torture import IS_TORTURE
from writers import REPO

# Free blocks, of 4,096 bytes, while a caller writes. The document grows to about ten, and a copy of it does not fit
# into fewer; a summary takes more than one.
FREE = [*range(24), *reversed(range(24))]
KINDS = ["tmpfs", "ext4"] if IS_TORTURE else ["tmpfs"]
PARAGRAPH = "It crosses from one block into another. " * 150 + "The end."


class Kept:
    """A store, and its expected contents: what was acknowledged, and nothing else."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "repos" / REPO
        self.conventions: dict[str, str] = {}
        self.steps: list[tuple[str, str]] = []

    def upsert(self, caller: Caller, id_: str) -> bool:
        """Whether there was room. The files are checked in either case."""
        try:
            caller.upsert(id_, id_ * 20)
        except Refused as refused:
            return self.refused(refused)
        self.conventions[id_] = id_ * 20
        self.check()
        return True

    def append(self, caller: Caller, step: str) -> bool:
        """Whether there was room. The files are checked in either case."""
        try:
            caller.append(step, PARAGRAPH)
        except Refused as refused:
            return self.refused(refused)
        self.steps.append((caller.language, step))
        self.check()
        return True

    def refused(self, refused: Refused) -> bool:
        assert refused.code == "IOError", refused
        self.check()
        return False

    def check(self) -> None:
        assert {it["id"]: it["content"] for it in read_conventions(self.folder)} == self.conventions
        summaries = read_summaries(self.folder)
        assert [(it["runId"], it["stepId"]) for it in summaries] == self.steps
        assert all(it["summary"] == PARAGRAPH for it in summaries)
        assert litter(self.folder) == []

    def works(self, caller: Caller) -> None:
        assert self.upsert(caller, f"{caller.language}-again-{len(self.conventions)}")
        assert self.append(caller, f"again-{len(self.steps)}")


@contextmanager
def small_disk(kind: str, folder: Path) -> Iterator[Path]:
    at = folder / "disk"
    at.mkdir()
    if kind == "tmpfs":
        with mounted(at, "-t", "tmpfs", "-o", "size=1m,nr_inodes=64", "loopmem"):
            yield at
    else:
        image = folder / "image"
        with image.open("wb") as file:
            file.truncate(8 << 20)
        subprocess.run(
            ["mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-N", "64", "-O", "^has_journal", image], check=True
        )
        with mounted(at, "-o", "loop", image):
            yield at


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_without_space_fails_and_damages_nothing(kind: str, tmp_path: Path) -> None:
    with small_disk(kind, tmp_path) as disk:
        ballast = Ballast(disk)
        # One after the other: a replaced file takes up space as long as another process has it open.
        for language in LANGUAGES:
            home = disk / language
            kept = Kept(home)
            with closing(Caller(language, home)) as caller:
                for n in range(120):
                    assert kept.upsert(caller, f"first-{n}")
                upserts, appends = [], []
                for round_, blocks in enumerate(FREE):
                    ballast.leave_blocks(blocks)
                    upserts.append(kept.upsert(caller, f"{round_}"))
                    ballast.leave_blocks(blocks)
                    appends.append(kept.append(caller, f"{round_}"))
                for stored in (upserts, appends):
                    assert not stored[0] and any(stored) and not stored[-1], (
                        "there was never too little room, or enough"
                    )
                ballast.drop()
                kept.works(caller)
            # Nothing was only cached: all find the same.
            with callers(home) as languages:
                for caller in languages:
                    kept.works(caller)
            shutil.rmtree(home)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_accepts_no_new_entry_damages_nothing(kind: str, tmp_path: Path) -> None:
    with small_disk(kind, tmp_path) as disk:
        ballast, kept = Ballast(disk), Kept(disk / "home")
        with callers(disk / "home") as languages:
            # An empty home: not even its folders can be created.
            ballast.leave_no_name()
            for caller in languages:
                assert not kept.upsert(caller, "nowhere")
                assert not kept.append(caller, "nowhere")
            ballast.drop()
            for caller in languages:
                kept.works(caller)
        for language in LANGUAGES:
            with closing(Caller(language, disk / "home")) as caller:
                ballast.leave_no_name()
                assert not kept.upsert(caller, f"{language}-nameless")
                # The file exists: an append needs no new directory entry.
                assert kept.append(caller, "nameless")
                ballast.drop()
                kept.works(caller)
