"""The plain functions, on the store of the process: blocking, and asynchronous in `loopmem.aio`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path

import loopmem
import pytest
from loopmem import (
    IoError,
    Store,
    ValidationError,
    _functions,
    aio,
    append_summary,
    build_context_from_memory,
    get_repo_memory,
    upsert_convention,
    upsert_decision,
    upsert_note,
)

from locks import REPO, held_lock

OTHER = "d" * 64


@pytest.fixture
def own(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the store of this process."""
    monkeypatch.setenv("CODEX_TOOLLOOP_HOME", str(home))
    monkeypatch.chdir(home)
    monkeypatch.setattr(_functions, "_opened", {})
    return home


def test_the_example_of_the_specification_works_unchanged(own: Path) -> None:
    run_id, step_id = "run-1", "step-1"
    with Store.open() as store:
        repo_hash = store.repo.identify()["repoHash"]

    memory = get_repo_memory(repo_hash)
    updated = upsert_convention(
        repo_hash,
        {
            "title": "Use pnpm workspaces",
            "content": "All packages live under packages/ with NodeNext ESM.",
        },
    )
    append_summary(run_id, step_id, "Added MCP tool caching.")
    context = build_context_from_memory(repo_hash, 8_000)

    assert memory == {"conventions": [], "decisions": [], "notes": [], "summaries": []}
    assert get_repo_memory(repo_hash)["conventions"] == [updated]
    assert "All packages live under packages/" in context and context.endswith("Added MCP tool caching.")


def test_the_example_of_the_specification_works_with_asyncio(own: Path) -> None:
    async def example(run_id: str, step_id: str) -> None:
        async with await aio.Store.open() as store:
            repo_hash = (await store.repo.identify())["repoHash"]

        memory = await aio.get_repo_memory(repo_hash)
        updated = await aio.upsert_convention(
            repo_hash,
            {
                "title": "Use pnpm workspaces",
                "content": "All packages live under packages/ with NodeNext ESM.",
            },
        )
        await aio.append_summary(run_id, step_id, "Added MCP tool caching.")
        context = await aio.build_context_from_memory(repo_hash, 8_000)

        assert memory == {"conventions": [], "decisions": [], "notes": [], "summaries": []}
        assert (await aio.get_repo_memory(repo_hash))["conventions"] == [updated]
        assert "All packages live under packages/" in context and context.endswith("Added MCP tool caching.")
        # Blocking and asynchronous functions use one store.
        assert get_repo_memory(repo_hash)["conventions"] == [updated]
        assert len(_functions._opened) == 1

    asyncio.run(example("run-1", "step-1"))


def test_decisions_and_notes_are_stored_and_a_returned_record_can_be_stored_again(own: Path) -> None:
    upsert_decision(REPO, {"summary": "Use JSONL", "rationale": "Appends are cheap.", "impactedPaths": ["src/"]})
    upsert_note(REPO, {"content": "CI is slow on Mondays.", "source": "manual"})
    read = get_repo_memory(REPO)
    assert upsert_convention(REPO, read["conventions"][0])["createdAt"] == read["conventions"][0]["createdAt"]
    assert upsert_decision(REPO, read["decisions"][0])["impactedPaths"] == ["src/"]
    assert upsert_note(REPO, read["notes"][0])["source"] == "manual"
    again = get_repo_memory(REPO)
    assert [len(again["conventions"]), len(again["decisions"]), len(again["notes"])] == [1, 1, 1]


def test_a_call_can_select_the_branch_scope_and_the_folder(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "main", str(repository)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True, cwd=repository)
    monkeypatch.chdir(repository)
    with Store.open() as store:
        branch = store.repo.identify()["repoHash"]
        shared = store.repo.identify(branch_scope="sharedRepo")["repoHash"]
    assert branch != shared
    append_summary("r", "branch", "Done.")
    append_summary("r", "shared", "Done.", branch_scope="sharedRepo")
    monkeypatch.chdir("/")
    append_summary("r", "elsewhere", "Done.", branch_scope="sharedRepo", workspace=repository)
    asyncio.run(aio.append_summary("r", "awaited", "Done.", branch_scope="sharedRepo", workspace=repository))
    assert [it["stepId"] for it in get_repo_memory(branch)["summaries"]] == ["branch"]
    assert [it["stepId"] for it in get_repo_memory(shared)["summaries"]] == ["awaited", "elsewhere", "shared"]
    # A hash names one memory.
    refused: list[Callable[[], object]] = [
        lambda: get_repo_memory(shared, branch_scope="perBranch"),
        lambda: upsert_convention(REPO, {"title": "t", "content": "c"}, branch_scope="sharedRepo"),
        lambda: upsert_decision(REPO, {"summary": "s", "rationale": "r"}, branch_scope="sharedRepo"),
        lambda: upsert_note(REPO, {"content": "n"}, branch_scope="sharedRepo"),
        lambda: build_context_from_memory(REPO, 900, branch_scope="sharedRepo"),
        lambda: asyncio.run(aio.upsert_note(REPO, {"content": "n"}, branch_scope="perBranch")),
    ]
    for call in refused:
        with pytest.raises(ValidationError):
            call()
    with pytest.raises(ValidationError):
        append_summary("r", "s", "Done.", branch_scope="all")  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        asyncio.run(aio.get_repo_memory(REPO, branch_scope="all"))  # type: ignore[arg-type]


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [("get_repo_memory", [None]), ("get_repo_memory", ["x"]),
     ("upsert_convention", [None, {"title": "t", "content": "c"}]),
     ("upsert_decision", [None, {"summary": "s", "rationale": "r"}]), ("upsert_note", [5, {"content": "n"}]),
     ("upsert_convention", [REPO, {"content": "c"}]), ("upsert_convention", [REPO, {"title": " ", "content": "c"}]),
     ("upsert_note", [REPO, None]),
     ("build_context_from_memory", [None, 8_000]), ("build_context_from_memory", [REPO, -1]),
     ("append_summary", ["r", "s", None]), ("append_summary", ["r", "s", ""]),
     ("append_summary", ["r", "s", "x" * 65_537])],
)  # fmt: skip
def test_missing_and_invalid_arguments_are_refused(
    own: Path, function: str, arguments: list[object], awaited: bool
) -> None:
    with pytest.raises(ValidationError):
        answer = getattr(aio if awaited else _functions, function)(*arguments)
        asyncio.run(answer)


def test_a_store_that_could_not_be_opened_is_opened_by_a_later_call(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "file").touch()
    monkeypatch.setenv("CODEX_TOOLLOOP_HOME", str(own / "file" / "home"))
    with pytest.raises(IoError):
        get_repo_memory(REPO)
    with pytest.raises(IoError):
        asyncio.run(aio.get_repo_memory(REPO))
    monkeypatch.setenv("CODEX_TOOLLOOP_HOME", str(own))
    assert len(get_repo_memory(REPO)["conventions"]) == 1
    # From here on it is open, and the environment no longer matters.
    monkeypatch.setenv("MEMORY_BRANCH_SCOPE", "all")
    assert len(get_repo_memory(REPO)["conventions"]) == 1


def test_threads_that_open_at_once_get_one_store(own: Path) -> None:
    ready = threading.Barrier(8)
    opened = []

    def first_use() -> None:
        ready.wait()
        opened.append(_functions.default_store())

    threads = [threading.Thread(target=first_use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 8 and len(set(map(id, opened))) == 1


def test_gathered_calls_keep_their_order_including_the_first(own: Path) -> None:
    async def append() -> None:
        await asyncio.gather(*(aio.append_summary("r", str(n), "s") for n in range(20)))

    asyncio.run(append())
    with Store.open() as store:
        assert [it["stepId"] for it in store.summary.list()] == [str(n) for n in reversed(range(20))]


def run(program: str, *arguments: object, **environment: str) -> str:
    """The output of a program that runs with exactly this environment."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert ended.returncode == 0
    return ended.stdout


NOT_BUILT = "is missing; build it with `scripts/dev python`, or install loopmem with pip"
OF_ANOTHER_PYTHON = "(_native.cp39-win.pyd) is not for this Python (THIS); install loopmem with pip"
REINSTALL = "run `pip install --force-reinstall loopmem` with this Python (THIS)"
UNLOADABLE = f"cannot be loaded: FILE: file too short; {REINSTALL}"


@pytest.mark.parametrize(
    ("native", "expected"),
    [(None, NOT_BUILT), ("_native.cp39-win.pyd", OF_ANOTHER_PYTHON), ("_native.abi3.so", UNLOADABLE)],
    ids=["missing", "of another Python", "of another platform"],
)
def test_a_package_that_cannot_be_imported_says_why_and_what_to_do(
    tmp_path: Path, native: str | None, expected: str
) -> None:
    folder = tmp_path / "loopmem"
    folder.mkdir()
    for source in Path(loopmem.__file__).parent.glob("*.py"):
        (folder / source.name).write_bytes(source.read_bytes())
    if native is not None:
        (folder / native).write_text("no library")
    version = ".".join(map(str, sys.version_info[:2]))
    expected = expected.replace("THIS", f"{sys.implementation.name} {version} on {sysconfig.get_platform()}")
    expected = expected.replace("FILE", str(folder / "_native.abi3.so"))
    program = "try:\n    import loopmem\nexcept ImportError as error:\n    print(error.name, error)\n"
    printed = run(program, PYTHONPATH=str(tmp_path))
    assert printed == f"loopmem._native the native module of loopmem {expected}\n"


def test_the_environment_selects_the_home(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, loopmem\n"
        "from loopmem import aio\n"
        "os.chdir(os.environ['HOME'])\n"
        "print(loopmem.append_summary('r', '1', 's'), asyncio.run(aio.append_summary('r', '2', 's')))\n"
    )
    for name, variables, store in [
        ("a", {}, "a/.codex-toolloop"),
        ("b", {"CODEX_TOOLLOOP_HOME": str(tmp_path / "c")}, "c"),
    ]:
        (tmp_path / name).mkdir()
        assert run(program, HOME=str(tmp_path / name), **variables) == "None None\n"
        [repo] = (tmp_path / store / "repos").iterdir()
        assert len((repo / "summaries.jsonl").read_text().splitlines()) == 2
    assert not list((tmp_path / "b").iterdir())


def test_a_forked_child_opens_another_store_while_a_thread_of_its_parent_is_in_a_call(home: Path) -> None:
    program = (
        "import asyncio, os, sys, threading\n"
        "from pathlib import Path\n"
        "from loopmem import aio, get_repo_memory, upsert_note\n"
        "tests, repo, other = sys.argv[1:]\n"
        "sys.path.insert(0, tests)\n"
        "from locks import somebody_waits\n"
        "threading.Thread(target=get_repo_memory, args=[repo], daemon=True).start()\n"
        "while not somebody_waits(Path(os.environ['CODEX_TOOLLOOP_HOME'])): pass\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    upsert_note(other, {'content': 'blocking'})\n"
        "    asyncio.run(aio.upsert_note(other, {'content': 'awaited'}))\n"
        "    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print([note['content'] for note in get_repo_memory(other)['notes']])\n"
    )
    with held_lock(home):
        printed = run(
            program, Path(__file__).parent, REPO, OTHER, CODEX_TOOLLOOP_HOME=str(home), PATH=os.environ["PATH"]
        )
    assert printed == "['blocking', 'awaited']\n"


def test_asyncio_has_the_same_functions() -> None:
    assert set(_functions.__all__) < set(aio.__all__)
    assert all(hasattr(aio, name) for name in aio.__all__)
