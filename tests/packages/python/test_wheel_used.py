"""The installed package in programs: each is one of `programs`, which knows nothing of these tests."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from installed import PROGRAMS, Installed
from locks import REPO, held_lock, somebody_waits

SHARED = "a" * 64


@pytest.fixture
def home(installed: Installed, tmp_path: Path) -> Path:
    """A home whose repository `REPO` has one note, so that its lock can be held."""
    note = {"repoHash": REPO, "note": {"content": "c"}}
    call = (installed.command, "--home", tmp_path, "call", "memory.upsertNote")
    installed.run(*call, given=json.dumps(note))
    return tmp_path


@pytest.mark.parametrize("options", [(), ("-I",), ("-O",), ("-OO",), ("-X", "dev", "-W", "error")], ids=" ".join)
def test_a_program_remembers_and_reads(installed: Installed, tmp_path: Path, options: tuple[str, ...]) -> None:
    found = json.loads(installed.program("everyday", tmp_path / "home", options=options))
    assert Path(found["file"]).is_relative_to(installed.folder)
    assert found["titles"] == ["Use pnpm"]
    # Gathered calls take effect in the order in which they were made.
    assert found["notes"] == [f"n{number}" for number in range(8)]
    assert "Use pnpm" in found["pack"]


@pytest.mark.parametrize("options", [("-W", "error"), ("-X", "dev", "-W", "error"), ("-bb",), ("-OO",)], ids=" ".join)
def test_every_module_is_imported_without_a_warning(installed: Installed, options: tuple[str, ...]) -> None:
    # Compiled anew, since a warning of the compiler is not repeated.
    fresh = str(installed.home / "compiled")
    assert int(installed.program("every_module", options=options, variables={"PYTHONPYCACHEPREFIX": fresh})) > 20
    assert int(installed.program("every_module", variables={"PYTHONDEVMODE": "1", "PYTHONSAFEPATH": "1"})) > 20


def test_the_home_is_in_the_users_home_folder(installed: Installed, tmp_path: Path) -> None:
    program = f"import loopmem; loopmem.upsert_note({SHARED!r}, {{'content': 'c'}})"
    installed.run(installed.python, "-c", program, variables={"HOME": str(tmp_path)})
    assert [path.name for path in tmp_path.iterdir()] == [".codex-toolloop"]


def test_ctrl_c_ends_a_wait_and_the_store_can_be_used_afterwards(installed: Installed, home: Path) -> None:
    with installed.running(installed.python, PROGRAMS / "waits.py", home, REPO) as program:
        assert program.stdin is not None and program.stdout is not None
        with held_lock(home):
            while not somebody_waits(home):
                assert program.poll() is None
            os.kill(program.pid, signal.SIGINT)
            assert program.stdout.readline() == "interrupted\n"
        program.stdin.write("go on\n")
        program.stdin.close()
        assert program.stdout.readline() == "1\n"
        assert program.wait() == 0


def test_other_threads_run_while_one_waits(installed: Installed, home: Path) -> None:
    command = (installed.python, PROGRAMS / "waiting_thread.py", home, REPO)
    with held_lock(home), installed.running(*command) as program:
        assert program.stdin is not None and program.stdout is not None
        while not somebody_waits(home):
            assert program.poll() is None
        program.stdin.write("still here\n")
        program.stdin.close()
        assert program.stdout.read() == "still here\nCancelled\n"
        assert program.wait() == 0


def test_threads_lose_no_update(installed: Installed, tmp_path: Path) -> None:
    assert installed.program("writing_threads", tmp_path) == f"{8 * 25}\n"


def test_a_child_and_its_parent_use_the_store_that_was_open_before_the_fork(
    installed: Installed, tmp_path: Path
) -> None:
    # Python itself warns of a fork in a process with threads.
    quiet = ("-W", "ignore::DeprecationWarning")
    assert installed.program("forked", tmp_path, options=quiet) == f"[0, 0, 0, 0] {7 * 20}\n"


def test_a_blocking_store_starts_no_threads_so_that_a_fork_is_safe(installed: Installed, tmp_path: Path) -> None:
    program = (
        "import os, sys, loopmem\n"
        "store = loopmem.Store.open(home=sys.argv[1])\n"
        "store.memory.upsert_note({'content': 'c'}, repo_hash='a' * 64)\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    assert installed.run(installed.python, "-c", program, tmp_path).stdout == "1\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_lose_no_update_and_pass_errors_on(installed: Installed, tmp_path: Path, method: str) -> None:
    quiet = ("-W", "ignore::DeprecationWarning")
    printed = installed.program("pools", method, tmp_path, options=quiet)
    assert printed == f"[0, 0, 0, 0]\n{2 * 16} True\n{8 * 15}\n"


def test_errors_can_be_pickled_and_copied(installed: Installed) -> None:
    # Sixteen classes with every detail, these and the base with a message, and one that was raised; in six protocols
    # and two kinds of copies.
    assert installed.program("pickled_errors") == f"{(16 + 17 + 1) * (6 + 2)} []\n"


def test_a_sub_interpreter_works_or_refuses_the_package(installed: Installed, tmp_path: Path) -> None:
    report = tmp_path / "report"
    quiet = ("-W", "ignore::DeprecationWarning")
    printed = installed.program("subinterpreters", tmp_path / "home", report, options=quiet)
    if installed.interpreter.version < (3, 12):
        assert report.read_text() == "ValidationError\n" * 2
        assert printed == "3\n"
    else:
        # One with its own lock cannot share the module.
        refused = report.read_text().splitlines()
        assert len(refused) == 2 and all("does not support loading in subinterpreters" in line for line in refused)
        assert printed == "1\n"


@pytest.mark.parametrize(
    "how",
    ["waiting thread", "writing threads", "unanswered calls", "answers of threads", "os._exit", "atexit", "while idle"],
)
def test_a_process_ends_with_its_own_status_in_the_middle_of_calls(installed: Installed, home: Path, how: str) -> None:
    command = (installed.python, "-X", "faulthandler", PROGRAMS / "exits.py", how, home, REPO)
    with held_lock(home):
        # What races with the end is tried more than once.
        for _ in range(5 if "threads" in how else 1):
            ended = installed.run(*command, status=7)
            assert ended.stderr == ""
            assert ended.stdout == ("written\n" if how == "atexit" else "")
    checked = installed.run(installed.command, "--home", home, "call", "doctor.check", given="{}")
    # A write that was cut off may leave a temporary file, which is no error.
    assert json.loads(checked.stdout)["counts"]["errors"] == 0


def test_a_signal_ends_a_program_that_waits(installed: Installed, home: Path) -> None:
    with held_lock(home), installed.running(installed.python, PROGRAMS / "waits.py", home, REPO) as program:
        while not somebody_waits(home):
            assert program.poll() is None
        os.kill(program.pid, signal.SIGTERM)
        assert program.wait() == -signal.SIGTERM


def test_a_store_cannot_be_pickled(installed: Installed, tmp_path: Path) -> None:
    program = (
        "import pickle, sys, loopmem\n"
        "try:\n"
        "    pickle.dumps(loopmem.Store.open(home=sys.argv[1]))\n"
        "except TypeError as error:\n"
        "    print(error)\n"
    )
    assert "cannot pickle" in installed.run(installed.python, "-c", program, tmp_path).stdout
