"""Homes that are read-only, mounted over, or on an overlay: readable data is read, and no write leaves half a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from callers import Refused, callers
from mounts import change, mounted
from reader import litter, read_conventions, read_summaries
from writers import REPO


def stored(folder: Path) -> tuple[list[tuple[object, object]], list[object]]:
    """The stored records, read without loopmem."""
    conventions = [(it["id"], it["content"]) for it in read_conventions(folder)]
    return conventions, [it["stepId"] for it in read_summaries(folder)]


def fill(home: Path) -> Path:
    """A home with some records. Returns the folder of its repository."""
    with callers(home) as languages:
        for caller in languages:
            caller.upsert(caller.language, "before")
            caller.append(caller.language, "before")
    return home / "repos" / REPO


def names(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


@contextmanager
def turned(at: Path) -> Iterator[None]:
    """The whole file system becomes read-only, as when its disk fails."""
    change(at, "remount,ro")
    yield


@contextmanager
def bound(at: Path) -> Iterator[None]:
    """Only this mount of the folder is read-only, as in containers."""
    with mounted(at, "--bind", at):
        change(at, "remount,ro,bind")
        yield


@pytest.mark.parametrize("has_locks", [True, False], ids=["locks", "no-locks"])
@pytest.mark.parametrize("read_only", [turned, bound])
def test_a_read_only_home_is_read_and_nothing_is_created_in_it(
    read_only: Callable[[Path], AbstractContextManager[None]], has_locks: bool, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "-t", "tmpfs", "-o", "size=1m", "loopmem"):
        home = disk / "home"
        folder = fill(home)
        if not has_locks:
            for path in [*folder.glob("*.lock"), *folder.glob("*.gate")]:
                path.unlink()
        before = (names(home), stored(folder))
        with read_only(disk), callers(home) as languages:
            for caller in languages:
                memory = caller.call("memory.get", {})
                assert isinstance(memory, dict)
                assert [it["id"] for it in memory["conventions"]] == [other.language for other in languages]
                summaries = caller.call("summary.list", {})
                assert isinstance(summaries, list) and len(summaries) == len(languages)
                assert "before" in str(caller.call("context.build", {"maxChars": 2_000}))
                for write in (caller.upsert, caller.append):
                    with pytest.raises(Refused) as refused:
                        write("new", "new")
                    assert refused.value.code == "IOError", refused.value
            assert (names(home), stored(folder)) == before


def test_a_document_that_is_a_mount_point_is_overwritten_in_place(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = fill(home)
    document = folder / "memory.json"
    other = tmp_path / "other.json"
    other.write_bytes(document.read_bytes())
    with mounted(document, "--bind", other):
        writes_whole(home)
        now = other.read_bytes()
        assert document.read_bytes() == now
    # The folder under the mount was not touched, and is writable again.
    with callers(home) as languages:
        assert len(read_conventions(folder)) == len(languages)
        for caller in languages:
            caller.upsert(f"{caller.language}-after", "after")
    assert len(read_conventions(folder)) == 2 * len(languages)
    assert litter(folder) == []
    assert other.read_bytes() == now


def test_a_home_on_an_overlay_is_written(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    # The upper folder is on a separate file system, since not every file system supports this.
    with mounted(disk, "-t", "tmpfs", "-o", "size=4m", "loopmem"):
        lower, upper, work, merged = (disk / name for name in ("lower", "upper", "work", "merged"))
        for folder in (lower, upper, work, merged):
            folder.mkdir()
        below = fill(lower / "home")
        before = stored(below)
        with mounted(merged, "-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", "overlay"):
            writes_whole(merged / "home")
        assert stored(below) == before


def writes_whole(home: Path) -> None:
    """Every language writes, and the files are intact after each."""
    folder = home / "repos" / REPO
    with callers(home) as languages:
        for caller in languages:
            id_ = f"{caller.language}-mounted"
            conventions, steps = stored(folder)
            caller.upsert(id_, "mounted")
            conventions.append((id_, "mounted"))
            assert stored(folder) == (conventions, steps)
            caller.append(id_, "mounted")
            steps.append(id_)
            assert stored(folder) == (conventions, steps)
            assert litter(folder) == [] and not list(folder.glob("*.copying"))
