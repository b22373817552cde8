"""The specified mock workflow: each step is a process, and its context pack includes the steps before it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import pytest

ROOT = Path(__file__).parents[2]
DEBUG = ROOT / "target" / "debug"
EXAMPLES = ROOT / "examples"
LANGUAGES = ["node", "python", "cli", "c", "cpp", "rust"]
STEPS = {
    "plan": "Read the issue. The result is: Two changes are needed.",
    "build": "Made both changes. The result is: src/parser.rs and its tests.",
    "test": "Ran the tests. The result is: 214 passed.",
    "review": "Read the diff. The result is: Nothing to add.",
}


OUTPUTS = {step: summary.split("The result is: ")[1].removesuffix(".") for step, summary in STEPS.items()}


class Line(TypedDict):
    runId: str
    stepId: str
    summary: str


class Place:
    """A temporary folder to work in, and a temporary home."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.home = folder / "home"
        self.workspace.mkdir()

    def start(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{DEBUG}:{os.environ['PATH']}", "CODEX_TOOLLOOP_HOME": str(self.home)}
        return subprocess.run(command, cwd=self.workspace, env=environment, capture_output=True, text=True)

    def summaries(self) -> Iterator[Line]:
        """Read without loopmem: only the file's contents count."""
        for path in self.home.glob("repos/*/summaries.jsonl"):
            yield from map(json.loads, path.read_text().splitlines())

    def contexts(self) -> dict[str, dict[str, str]]:
        """The working context of each run, also read without loopmem."""
        files = self.home.glob("working/*/context.json")
        return {path.parent.name: json.loads(path.read_text())["value"] for path in files}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="session")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str | Path]]:
    """How to start the example of each language."""
    folder = tmp_path_factory.mktemp("workflows")
    link = [f"-I{ROOT / 'include'}", f"-L{DEBUG}", "-lloopmem", f"-Wl,-rpath,{DEBUG}"]
    for compiler, source in [("cc", "c/workflow.c"), ("c++", "cpp/workflow.cpp")]:
        standard = "-std=c11" if compiler == "cc" else "-std=c++17"
        subprocess.run([compiler, standard, EXAMPLES / source, "-o", folder / compiler, *link], check=True)
    return {
        "node": ["node", EXAMPLES / "node" / "workflow.mjs"],
        "python": [sys.executable, EXAMPLES / "python" / "workflow.py"],
        "cli": ["sh", EXAMPLES / "cli" / "workflow.sh"],
        "c": [folder / "cc"],
        "cpp": [folder / "c++"],
        "rust": [DEBUG / "examples" / "workflow"],
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_of_a_run_sees_the_earlier_ones(
    workflows: dict[str, list[str | Path]], language: str, place: Place
) -> None:
    ended = place.start(*workflows[language])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "".join(f"{step}: {at} earlier steps in the pack\n" for at, step in enumerate(STEPS))
    summaries = list(place.summaries())
    assert {it["stepId"]: it["summary"] for it in summaries} == STEPS
    runs = {it["runId"] for it in summaries}
    assert len(summaries) == len(STEPS) and len(runs) == 1
    assert place.contexts() == dict.fromkeys(runs, OUTPUTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_that_does_not_see_the_earlier_ones_fails_and_ends_nothing(
    workflows: dict[str, list[str | Path]], language: str, place: Place
) -> None:
    assert place.start(*workflows[language], "run-1", "plan").returncode == 0
    # The pack of another run's step, or of none.
    for run, step in [("run-2", "build"), ("run-1", "test"), ("run-1", "nothing")]:
        assert place.start(*workflows[language], run, step).returncode != 0, (run, step)
    assert [(it["runId"], it["stepId"]) for it in place.summaries()] == [("run-1", "plan")]
    assert place.contexts() == {"run-1": {"plan": OUTPUTS["plan"]}}


@pytest.mark.parametrize("first", range(len(LANGUAGES)), ids=LANGUAGES)
def test_the_steps_of_one_run_may_be_in_different_languages(
    workflows: dict[str, list[str | Path]], first: int, place: Place
) -> None:
    for at, step in enumerate(STEPS):
        language = LANGUAGES[(first + at) % len(LANGUAGES)]
        ended = place.start(*workflows[language], "run-1", step)
        assert (ended.stdout, ended.stderr) == (f"{step}: {at} earlier steps in the pack\n", ""), language
    assert [(it["runId"], it["stepId"]) for it in place.summaries()] == [("run-1", step) for step in STEPS]
    assert place.contexts() == {"run-1": OUTPUTS}
