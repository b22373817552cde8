"""Twenty agents in four languages push to one branch at once: nothing is missing afterwards."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from callers import LANGUAGES, Caller

AGENTS = 20


@pytest.mark.parametrize("homes", ["one home", "a home each"])
def test_agents_that_push_at_once_lose_nothing(tmp_path: Path, homes: str) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    agents = [Agent(tmp_path, number, homes) for number in range(AGENTS)]
    first = agents[0]
    first.call("checkout")
    first.append("start")
    first.call("push", runId="start")
    with ExitStack() as stack:
        for agent in agents:
            stack.callback(agent.caller.close)
        with ThreadPoolExecutor(AGENTS) as pool:
            list(pool.map(lambda agent: agent.call("checkout"), agents))
            for agent in agents:
                agent.append(f"agent {agent.number}")
                (agent.directory / f"own-{agent.number}.md").write_text("mine\n")
            pushed = list(pool.map(lambda agent: agent.call("push", runId=str(agent.number)), agents))
        first.call("checkout")
    assert all(isinstance(it, dict) and it["commit"] for it in pushed)
    said = [json.loads(line)["said"] for line in (first.directory / "all.jsonl").read_text().splitlines()]
    assert sorted(said) == sorted(["start", *(f"agent {number}" for number in range(AGENTS))])
    assert {path.name for path in first.directory.iterdir()} == {
        "all.jsonl",
        *(f"own-{number}.md" for number in range(AGENTS)),
    }
    subjects = git(tmp_path / "remote.git", "log", "--format=%s", "memory/default").splitlines()
    assert sorted(subjects) == sorted(
        f"Update repo memory from workflow run {run}" for run in ["start", *map(str, range(AGENTS))]
    )
    git(tmp_path / "remote.git", "fsck", "--strict")


class Agent:
    """One agent: its folder, and the process that checks it out and pushes it."""

    def __init__(self, folder: Path, number: int, homes: str) -> None:
        self.number = number
        self.directory = folder / f"agent-{number}"
        self.remote = str(folder / "remote.git")
        home = folder / ("home" if homes == "one home" else f"home-{number}")
        self.caller = Caller(LANGUAGES[number % len(LANGUAGES)], home, branchAttempts=100)

    def call(self, verb: str, **params: object) -> object:
        return self.caller.call(f"branch.{verb}", {"directory": str(self.directory), "remote": self.remote, **params})

    def append(self, said: str) -> None:
        with (self.directory / "all.jsonl").open("a") as file:
            file.write(json.dumps({"said": said}) + "\n")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout
