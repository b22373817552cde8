"""What only Python can get wrong: exceptions and their bases, the interpreter's lock, Ctrl-C, asyncio, bad values."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import loopmem
import pytest
from loopmem import Cancel, Cancelled, LockAcquisitionError, LoopmemError, Misuse, Panic, Store, ValidationError, aio

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


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Store.open(home=tmp_path) as store:
        store.memory.upsert_convention(repo_hash=REPO, convention={"title": "t", "content": "c"})
    return tmp_path


def test_every_kind_of_error_has_its_class_and_its_bases() -> None:
    assert len(loopmem.errors.ERROR_CLASSES) == 16
    for code, error in loopmem.errors.ERROR_CLASSES.items():
        assert error.__name__ == code
        assert issubclass(error, LoopmemError)
        assert getattr(loopmem, code) is error
    assert issubclass(loopmem.ValidationError, ValueError)
    assert issubclass(loopmem.ParseError, ValueError)
    assert issubclass(loopmem.IOError, OSError)
    assert issubclass(loopmem.RenameError, OSError)
    assert issubclass(loopmem.LockAcquisitionError, TimeoutError)


def test_an_error_tells_its_code_operation_and_whether_to_try_again(home: Path) -> None:
    with Store.open(home=home) as store, pytest.raises(ValidationError) as caught:
        store.memory.get(repo_hash="x")
    error = caught.value
    assert (error.code, error.operation, error.retryable) == ("ValidationError", "memory.get", False)
    assert str(error).startswith("memory.get: repoHash: expected 64 hex digits")


def test_a_panic_is_an_exception_and_its_payload_is_not_told(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def call() -> None:
        async with await aio.Store.open(home=home) as store:
            await store.call("debug.panic")

    with Store.open(home=home) as store, pytest.raises(Panic) as blocking:
        store.call("debug.panic")
    with pytest.raises(Panic) as awaited:
        asyncio.run(call())
    printed = capfd.readouterr()
    assert "payload of a panic" not in f"{blocking.value}{awaited.value}{printed.out}{printed.err}"


@pytest.mark.parametrize("value", [float("nan"), b"bytes", {1, 2}, object(), "\ud800", "a\0b"])
def test_what_json_cannot_tell_is_refused(home: Path, value: object) -> None:
    with Store.open(home=home) as store:
        with pytest.raises(ValidationError):
            store.call("memory.upsertConvention", {"repoHash": REPO, "convention": {"title": value, "content": "c"}})
        assert len(store.memory.get(repo_hash=REPO)["conventions"]) == 1


def test_a_value_that_holds_itself_is_refused(home: Path) -> None:
    circle: dict[str, object] = {}
    circle["circle"] = circle
    with Store.open(home=home) as store, pytest.raises(ValidationError):
        store.call("memory.upsertConvention", circle)


@pytest.mark.parametrize("options", [{"home": 5}, {"home": b"/x"}, {"home": "a\0b"}, {"lock_timeout_ms": -1}, {"lock_timeout_ms": True},
                                     {"redaction_patterns": "x("}, {"redaction_patterns": [1]}, {"clock": "noon"}])  # fmt: skip
def test_options_that_are_not_fit_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Store.open(**options)  # type: ignore[arg-type]


def test_a_closed_store_is_misuse_and_closing_it_again_is_not(home: Path) -> None:
    store = Store.open(home=home)
    store.close()
    store.close()
    with pytest.raises(Misuse):
        store.memory.get(repo_hash=REPO)


def test_paths_may_be_path_objects(tmp_path: Path) -> None:
    with Store.open(home=tmp_path / "home") as store:
        assert store.repo.identify(workspace=tmp_path)["path"] == str(tmp_path.resolve())
    assert not (tmp_path / "home").exists()


def test_a_wait_holds_no_interpreter_lock_and_a_time_out_ends_it(home: Path) -> None:
    with Store.open(home=home) as store, held_lock(home):
        cancel = Cancel()
        caught: list[BaseException] = []

        def wait() -> None:
            try:
                store.memory.get(repo_hash=REPO, timeout_ms=60_000, cancel=cancel)
            except LoopmemError as error:
                caught.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        # While the thread waits, this one runs: its own short wait comes to an end.
        with pytest.raises(LockAcquisitionError) as late:
            store.memory.get(repo_hash=REPO, timeout_ms=20)
        assert late.value.retryable
        cancel.request()
        waiting.join()
        assert [type(error) for error in caught] == [Cancelled]


def test_ctrl_c_ends_a_wait_with_keyboard_interrupt(home: Path) -> None:
    program = (
        "import sys, loopmem\n"
        "store = loopmem.Store.open(home=sys.argv[1])\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    store.memory.get(repo_hash=sys.argv[2], timeout_ms=600_000)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(home), REPO]
    with held_lock(home), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "ready\n"
        # The signal may come before the wait begins: it is answered either way.
        os.kill(waiting.pid, signal.SIGINT)
        assert waiting.stdout.readline() == "interrupted\n"
        assert waiting.wait() == 0


def test_gathered_calls_keep_their_order(home: Path) -> None:
    async def append() -> list[str]:
        async with await aio.Store.open(home=home) as store:
            calls = (store.summary.append(repo_hash=REPO, run_id="r", step_id=str(n), summary="s") for n in range(40))
            await asyncio.gather(*calls)
            return [summary["stepId"] for summary in await store.summary.list(repo_hash=REPO)]

    assert asyncio.run(append()) == [str(n) for n in reversed(range(40))]


def test_cancelling_a_task_ends_its_wait(home: Path) -> None:
    async def wait() -> None:
        async with await aio.Store.open(home=home) as store:
            waiting = asyncio.create_task(store.memory.get(repo_hash=REPO, timeout_ms=600_000))
            # The loop is not held: this call is answered while the other one waits.
            await store.summary.list(repo_hash=REPO)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    with held_lock(home):
        asyncio.run(wait())


def test_opening_imports_no_json_typing_or_asyncio(home: Path) -> None:
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import loopmem\n"
        f"loopmem.Store.open(home={str(home)!r})\n"
        "print(sorted({'json', 'typing', 'asyncio', 'dataclasses', 're'} & (set(sys.modules) - before)))\n"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"
