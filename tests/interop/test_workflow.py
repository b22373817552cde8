"""The specified mock workflow: each step is a process, and its context pack includes the steps before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from callers import LANGUAGES, callers

STEPS = {
    "plan": ("Read the issue", "Two changes are needed"),
    "build": ("Made both changes", "src/parser.rs and its tests"),
    "test": ("Ran the tests", "214 passed"),
    "review": ("Read the diff", "Nothing to add"),
}
SUMMARIES = {step: f"{did}. The result is: {output}." for step, (did, output) in STEPS.items()}
OUTPUTS = {step: output for step, (_, output) in STEPS.items()}


def play_step(home: Path, language: str, step: str) -> list[str]:
    """Plays a step in a process that ends with it. Returns the earlier steps that its pack includes."""
    did, output = STEPS[step]
    events = [{"kind": "action", "text": did}, {"kind": "output", "text": output}]
    with callers(home, [language]) as [caller]:
        pack = cast("dict[str, str]", caller.call("context.build", {"maxChars": 8_000}))["text"]
        caller.call("summary.endStep", {"runId": "run-1", "stepId": step, "events": events})
        caller.call("working.updateContext", {"scopeId": "run-1", "patch": {step: output}})
    return [it for it in STEPS if f"run-1 / {it} " in pack and SUMMARIES[it] in pack]


def check_files(home: Path) -> None:
    """Read without loopmem: only the files' contents count."""
    [path] = home.glob("repos/*/summaries.jsonl")
    summaries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(it["runId"], it["stepId"], it["summary"]) for it in summaries] == [
        ("run-1", step, summary) for step, summary in SUMMARIES.items()
    ]
    [path] = home.glob("working/*/context.json")
    assert (path.parent.name, json.loads(path.read_text())["value"]) == ("run-1", OUTPUTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_of_a_run_sees_the_earlier_ones(language: str, tmp_path: Path) -> None:
    for at, step in enumerate(STEPS):
        assert play_step(tmp_path / "home", language, step) == list(STEPS)[:at]
    check_files(tmp_path / "home")


@pytest.mark.parametrize("first", range(len(LANGUAGES)), ids=LANGUAGES)
def test_the_steps_of_one_run_may_be_in_different_languages(first: int, tmp_path: Path) -> None:
    for at, step in enumerate(STEPS):
        language = LANGUAGES[(first + at) % len(LANGUAGES)]
        assert play_step(tmp_path / "home", language, step) == list(STEPS)[:at], language
    check_files(tmp_path / "home")
