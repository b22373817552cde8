"""The progress of a long call: reported while it runs, and never after it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from loopmem import Cancel, Cancelled, Misuse, Store, ValidationError, aio

from adapters import unraisable


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with forty files."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for number in range(40):
        (folder / f"part{number}.py").write_text(f"def part{number}() -> None: ...\n")
    return folder


EXPECTED = [(done, 40) for done in range(41)]


def test_a_refresh_of_the_index_reports_the_files_that_it_reads(tmp_path: Path, workspace: Path) -> None:
    reports: list[tuple[int, int]] = []
    with Store.open(home=tmp_path / "home") as store:
        store.index.refresh(workspace=workspace, on_progress=lambda done, total: reports.append((done, total)))
        with pytest.raises(ValidationError):
            store.index.refresh(workspace=workspace, on_progress=7)  # type: ignore[arg-type]
    assert reports == EXPECTED


def test_it_reports_to_the_event_loop(tmp_path: Path, workspace: Path) -> None:
    reports: list[tuple[int, int]] = []

    async def refresh() -> list[tuple[int, int]]:
        loop = asyncio.get_running_loop()

        def report(done: int, total: int) -> None:
            assert asyncio.get_running_loop() is loop
            reports.append((done, total))

        async with aio.Store.open(home=tmp_path / "home") as store:
            await store.index.refresh(workspace=workspace, on_progress=report)
            return list(reports)

    assert asyncio.run(refresh()) == EXPECTED == reports


def test_a_function_that_raises_changes_nothing(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(done: int, total: int) -> None:
        raise ValueError(f"{done} of {total}")

    async def refresh() -> int:
        async with aio.Store.open(home=tmp_path / "other") as store:
            return (await store.index.refresh(workspace=workspace, on_progress=fail))["files"]

    with unraisable(monkeypatch) as caught, Store.open(home=tmp_path / "home") as store:
        assert store.index.refresh(workspace=workspace, on_progress=fail)["files"] == 40
        assert asyncio.run(refresh()) == 40
    assert [str(error) for error in caught] == [f"{done} of 40" for done in range(41)] * 2


def test_it_can_end_the_call(tmp_path: Path, workspace: Path) -> None:
    reports: list[int] = []

    def interrupt(done: int, _: int) -> None:
        reports.append(done)
        raise KeyboardInterrupt

    cancel = Cancel()
    with Store.open(home=tmp_path / "home") as store:
        with pytest.raises(KeyboardInterrupt):
            store.index.refresh(workspace=workspace, on_progress=interrupt)
        with pytest.raises(Cancelled):
            store.index.refresh(workspace=workspace, cancel=cancel, on_progress=lambda *_: cancel.request())
    assert reports == [0]


def test_calls_that_it_makes_are_misuse(tmp_path: Path, workspace: Path) -> None:
    refused: list[str] = []

    with Store.open(home=tmp_path / "home") as store:

        def call(*_: int) -> None:
            with pytest.raises(Misuse) as caught:
                store.repo.list()
            refused.append(str(caught.value))

        store.index.refresh(workspace=workspace, on_progress=call)
        store.repo.list()
    assert len(refused) == 41 and "progress callback" in refused[0]
