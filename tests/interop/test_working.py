"""Working contexts shared by processes in several languages: no update is lost, on any shared adapter."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from callers import LANGUAGES, Caller, callers
from writers import ROOT

SCOPE = "job-1"
KEYS = 100
TOLD_TO_SKIP = 4
PATIENCE = {"lockTimeoutMs": 60_000, "appendTimeoutMs": 60_000, "adapterTimeoutMs": 60_000}


@pytest.fixture(params=["file", "sqlite", "redis"])
def adapter(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The option for an adapter that processes can share."""
    if request.param != "redis":
        yield request.param
        return
    folder = tmp_path / "redis"
    folder.mkdir()
    with subprocess.Popen(
        [ROOT / "tests/redis/start", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().partition(" ")[0]
        if not port and server.wait() == TOLD_TO_SKIP:
            pytest.skip("there is no redis-server here")
        # It exits when its input ends.
        yield f"redis://127.0.0.1:{port}"


def rebuilt(trail: list[dict[str, dict[str, object]]]) -> dict[str, object]:
    """The context that results from a trail of updates."""
    context: dict[str, object] = {}
    for entry in trail:
        context |= entry["patch"]
    return context


def test_eight_processes_that_add_a_hundred_names_each_lose_none(tmp_path: Path, adapter: str) -> None:
    def add(caller: Caller, process: int) -> None:
        for number in range(KEYS):
            patch = {f"{caller.language}-{process}-{number}": number}
            update: dict[str, object] = {"scopeId": SCOPE, "patch": patch, "increment": {"count": 1}}
            update["source"] = caller.language
            caller.call("working.updateContext", update)
            caller.call("working.addLog", {"scopeId": SCOPE, "entry": {"id": f"{process}-{number}", "content": "x"}})

    home = tmp_path / "home"
    with callers(home, LANGUAGES * 2, adapter=adapter, **PATIENCE) as processes:
        with ThreadPoolExecutor(len(processes)) as threads:
            for added in [threads.submit(add, caller, process) for process, caller in enumerate(processes)]:
                added.result()
    expected = {
        f"{language}-{process}-{number}": number
        for process, language in enumerate(LANGUAGES * 2)
        for number in range(KEYS)
    }
    with callers(home, ["node"], adapter=adapter) as [reader]:
        context = reader.call("working.getContext", {"scopeId": SCOPE})
        trail = reader.call("working.history", {"scopeId": SCOPE})
        logs = reader.call("working.getLogs", {"scopeId": SCOPE})
    expected["count"] = len(expected)
    assert context == expected
    assert isinstance(trail, list) and isinstance(logs, list)
    assert len(trail) == expected["count"] and rebuilt(trail) == expected
    assert sorted(entry["id"] for entry in logs) == sorted(f"{p}-{n}" for p in range(8) for n in range(KEYS))


def test_every_language_reads_what_the_others_wrote(tmp_path: Path, adapter: str) -> None:
    with callers(tmp_path / "home", adapter=adapter) as processes:
        for writer in processes:
            writer.call("working.updateContext", {"scopeId": SCOPE, "patch": {writer.language: {"é": [None, 1.5]}}})
            writer.call("working.addLog", {"scopeId": SCOPE, "entry": {"content": f"from {writer.language}"}})
            checkpoint = writer.call("working.saveCheckpoint", {"jobId": SCOPE})
            assert isinstance(checkpoint, dict)
            for reader in processes:
                context = reader.call("working.getContext", {"scopeId": SCOPE})
                assert isinstance(context, dict) and context[writer.language] == {"é": [None, 1.5]}
                last = reader.call("working.getLogs", {"scopeId": SCOPE, "limit": 1})
                assert isinstance(last, list) and last[0]["content"] == f"from {writer.language}"
                timestamps = reader.call("working.listCheckpoints", {"jobId": SCOPE})
                assert isinstance(timestamps, list) and timestamps[-1] == checkpoint["timestamp"]


def test_files_are_read_without_loopmem(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with callers(home, ["python"]) as [writer]:
        writer.call("working.updateContext", {"scopeId": SCOPE, "patch": {"a": 1}, "source": "agent-x"})
        writer.call("working.addLog", {"scopeId": SCOPE, "entry": {"id": "e1", "content": "x"}})
        checkpoint = writer.call("working.saveCheckpoint", {"jobId": SCOPE})
    assert isinstance(checkpoint, dict)
    folder = home / "working" / SCOPE
    assert json.loads((folder / "context.json").read_text())["value"] == {"a": 1}
    [entry] = map(json.loads, (folder / "trail.jsonl").read_text().splitlines())
    assert (entry["operation"], entry["patch"], entry["source"]) == ("updateContext", {"a": 1}, "agent-x")
    assert json.loads((folder / "logs.jsonl").read_text())["id"] == "e1"
    timestamp = checkpoint["timestamp"]
    assert json.loads((folder / "checkpoints.json").read_text())["value"] == [timestamp]
    assert json.loads((folder / "checkpoints" / f"{timestamp}.json").read_text())["value"] == {"a": 1}


def test_a_database_is_read_without_loopmem(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with callers(home, ["node"], adapter="sqlite") as [writer]:
        writer.call("working.updateContext", {"scopeId": SCOPE, "patch": {"a": 1}})
        writer.call("working.addLog", {"scopeId": SCOPE, "entry": {"id": "e1", "content": "x"}})
    database = sqlite3.connect(home / "working" / "working.sqlite3")
    values = dict(database.execute("SELECT key, json FROM value"))
    lists = dict(database.execute("SELECT key, json FROM list"))
    database.close()
    assert json.loads(values[f"context:{SCOPE}"]) == {"a": 1}
    assert json.loads(lists[f"logs:{SCOPE}"])["id"] == "e1"
    assert json.loads(lists[f"trail:{SCOPE}"])["patch"] == {"a": 1}
