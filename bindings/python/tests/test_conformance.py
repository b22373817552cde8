"""The conformance cases in Python: each with the blocking store and with the one for asyncio."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import pytest
from loopmem import LoopmemError, Store, ValidationError, aio
from loopmem.errors import ERROR_CLASSES

from matching import Json, Names, expand, fault, mismatch, replaced

CASES = Path(__file__).parents[3] / "tests" / "conformance"
GIT = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
GIT_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
Call = Callable[["dict[str, Json]", str, "dict[str, Json]"], Json]


class Step(TypedDict, total=False):
    call: str
    params: dict[str, Json]
    raw: str
    returns: Json
    fails: str | dict[str, Json]
    keep: dict[str, str]


class Case(TypedDict, total=False):
    name: str
    git: list[list[str]]
    home: str
    files: dict[str, Json]
    open: dict[str, Json]
    steps: list[Step]
    leaves: dict[str, Json]


def nested(value: object, path: str) -> object:
    """The member of `value` at a path such as `claims.0.ownershipToken`."""
    for part in path.split("."):
        if isinstance(value, list):
            value = value[int(part)]
        else:
            assert isinstance(value, dict)
            value = value[part]
    return value


def cases() -> list[tuple[str, Case]]:
    found = []
    for path in sorted(CASES.glob("*.json")):
        file = json.loads(path.read_text())
        found += [(f"{file['room']}: {case['name']}", case) for case in file["cases"]]
    return found


def open_arguments(options: dict[str, Json]) -> dict[str, Json]:
    return {re.sub("([A-Z])", r"_\1", key).lower(): value for key, value in options.items()}


def call_blocking(options: dict[str, Json], method: str, params: dict[str, Json]) -> Json:
    # A case may have invalid options.
    with Store.open(**open_arguments(options)) as store:  # type: ignore[arg-type]
        return store.call(method, params)  # type: ignore[return-value]


def call_asyncio(options: dict[str, Json], method: str, params: dict[str, Json]) -> Json:
    async def call() -> object:
        async with aio.Store.open(**open_arguments(options)) as store:  # type: ignore[arg-type]
            return await store.call(method, params)

    return asyncio.run(call())  # type: ignore[return-value]


@pytest.mark.parametrize("call", [call_blocking, call_asyncio], ids=["blocking", "asyncio"])
@pytest.mark.parametrize(("name", "case"), cases(), ids=[name for name, _ in cases()])
def test_case(name: str, case: Case, call: Call, tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir()
    names: Names = {"home": str(home), "workspace": str(workspace), "hash": "a" * 64}
    for arguments in case.get("git", []):
        subprocess.run([*GIT, *arguments], cwd=workspace, env=GIT_ENVIRONMENT, check=True)
    if "home" in case:
        thaw(CASES.parent / "formats" / case["home"], home)
    for file, contents in case.get("files", {}).items():
        path = home / replaced(file, names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(replaced(contents, names) if isinstance(contents, str) else json.dumps(contents))
    options = expand({"home": "${home}", **case.get("open", {})}, names)
    assert isinstance(options, dict)
    for index, step in enumerate(case["steps"]):
        at = f"step {index + 1} ({step['call']})"
        params = faithful(replaced(step["raw"], names)) if "raw" in step else expand(step.get("params", {}), names)
        if not isinstance(params, dict):
            # What Python cannot pass is tested in Rust, C and the command, with the steps that depend on it.
            if "fails" not in step:
                return
            continue
        try:
            result = call(options, step["call"], params)
        except TypeError:
            # Python itself refuses this option.
            assert "fails" in step and fault(step["fails"], {"code": "ValidationError"}, names) is None, at
            continue
        except LoopmemError as error:
            assert "fails" in step, f"{at}: {error}"
            assert fault(step["fails"], shape(error), names) is None, at
            assert type(error) is ERROR_CLASSES[error.code], at
            continue
        assert "fails" not in step, f"{at}: returned {result!r:.200}"
        for kept, key in step.get("keep", {}).items():
            names[kept] = str(nested(result, key))
        if "returns" in step:
            assert mismatch(step["returns"], result, names) is None, at
    for file, expected in case.get("leaves", {}).items():
        path = home / replaced(file, names)
        if expected is None:
            assert not path.exists(), file
        elif isinstance(expected, str):
            assert path.read_text() == replaced(expected, names), file
        else:
            assert mismatch(expected, json.loads(path.read_text()), names) is None, file


def thaw(frozen: Path, home: Path) -> None:
    """Copies a frozen home with private modes, which git does not store."""
    shutil.copytree(frozen, home)
    for path in [home, *home.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)


def shape(error: LoopmemError) -> dict[str, Json]:
    """An error as JSON; unknown members are absent."""
    members = ("code", "message", "operation", "path", "id", "cause", "retryable")
    known = {name: value for name in members if (value := getattr(error, name)) is not None}
    return {**known, "mayBeStored": True} if error.may_be_stored else known


def faithful(raw: str) -> Json:
    """Raw params as a Python value, or None if it cannot represent them: duplicate keys, other spellings."""
    try:
        value: Json = json.loads(raw)
    except ValueError:
        return None
    return value if json.dumps(value, separators=(",", ":")) == raw else None


@pytest.mark.parametrize(
    ("fails", "holds"),
    [("IOError", True), ("Conflict", False), ({"code": "IOError", "path": {"$holds": "${home}"}, "...": True}, True),
     ({"code": "IOError", "path": "elsewhere", "...": True}, False),
     ({"code": "IOError", "id": "x", "...": True}, False),
     ({"code": "IOError"}, False)],
)  # fmt: skip
def test_a_case_can_match_every_member_of_an_error(fails: Json, holds: bool) -> None:
    error: Json = {"code": "IOError", "message": "m", "path": "/h/memory.json", "retryable": False}
    assert (fault(fails, error, {"home": "/h"}) is None) == holds


def test_bytes_are_not_accepted_as_text() -> None:
    with pytest.raises(ValidationError):
        Store.open(home="/nowhere").call("memory.get", {"repoHash": b"a" * 64})
