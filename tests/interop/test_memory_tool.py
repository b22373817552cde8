"""The tools for Anthropic's SDKs behave as the SDKs' own file tools do, and lose nothing where those lose changes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from loopmem import Store
from loopmem.anthropic import MemoryTool

import sdk_plugin
from writers import ROOT

HERE = Path(__file__).parent
NAMES = ("a.md", "b.json", "sub", "sub/a.md", "sub/deep/er.md", ".hidden", "ü .md", "sub/../c.md", ".", "", "../x")
TEXTS = ("", "one", "one\n", "one\ntwo\n", "one\r\ntwo\r\n\n", "two\none two one\n", "x" * 1300, "üöä\n\ttab", "\n\n")
PARTS = ("one", "two", "", "o", "one\ntwo", "x", "ü", "\n")


def test_the_tests_of_the_sdk_pass() -> None:
    """They are in the SDK's source distribution."""
    name = f"anthropic-{version('anthropic')}"
    source = ROOT / "target" / "interop" / name
    if not source.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", ":all:", name.replace("-", "=="), "-d", str(source.parent)]
        subprocess.run(command, check=True)
        with tarfile.open(source.parent / f"{name}.tar.gz") as archive:
            archive.extractall(source.parent, filter="data")
    test = "tests/lib/tools/memory_tools/test_filesystem.py"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "sdk_plugin",
        "--noconftest",
        "-c",
        os.devnull,
        "--rootdir=.",
    ]
    outcome = subprocess.run(
        [*command, test], cwd=source, env={**os.environ, "PYTHONPATH": str(HERE)}, capture_output=True
    )
    said = outcome.stdout.decode()
    assert outcome.returncode == 0, said
    # The number of them depends on the version.
    passed = int(said.split(" passed")[0].split()[-1])
    assert passed >= 70, said


def command_of(rng: random.Random) -> dict[str, object]:
    def path() -> str:
        return f"/memories/{rng.choice(NAMES)}"

    match rng.choice(["view", "view", "create", "create", "str_replace", "insert", "delete", "rename"]):
        case "view":
            lines = rng.choice([None, [rng.randint(-2, 4), rng.randint(-3, 5)], [1]])
            return {"command": "view", "path": path(), **({"view_range": lines} if lines else {})}
        case "create":
            return {"command": "create", "path": path(), "file_text": rng.choice(TEXTS)}
        case "str_replace":
            old, new = rng.choice(PARTS), rng.choice(PARTS)
            return {"command": "str_replace", "path": path(), "old_str": old, "new_str": new}
        case "insert":
            text = rng.choice(TEXTS)
            return {"command": "insert", "path": path(), "insert_line": rng.randint(-1, 4), "insert_text": text}
        case "delete":
            return {"command": "delete", "path": path()}
        case _:
            return {"command": "rename", "old_path": path(), "new_path": path()}


def outcome(tool: MemoryTool | BetaLocalFilesystemMemoryTool, command: dict[str, object]) -> str:
    try:
        return f"answered: {tool.call(command)}"
    except ToolError as error:
        return f"refused: {error}"
    except OSError:
        # What the SDK leaves to the system, such as a file in the place of a folder, has no text for the model.
        return "refused"


def texts_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("seed", range(4))
def test_it_answers_whatever_the_tool_of_the_sdk_answers(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs"))
    root = sdk_plugin.make_root(str(tmp_path / "ours"))
    with Store.open(home=tmp_path / "ours") as store:
        ours = MemoryTool(store, repo_hash=sdk_plugin.REPO)
        for _ in range(150):
            command = command_of(rng)
            expected, found = outcome(theirs, command), outcome(ours, command)
            if expected == "refused":
                assert found.startswith(expected), command
            else:
                assert found == expected, command
            assert texts_in(root) == texts_in(theirs.memory_root), command
            for folder in theirs.memory_root.rglob("*"):
                # It creates folders for what it then refuses.
                if folder.is_dir():
                    (root / folder.relative_to(theirs.memory_root)).mkdir(mode=0o700, exist_ok=True)


def test_its_definition_and_its_errors_are_those_of_the_sdk(tmp_path: Path) -> None:
    with Store.open(home=tmp_path) as store:
        tool = MemoryTool(store, global_=True, cache_control={"type": "ephemeral"})
        assert tool.to_dict() == {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
        tool.call({"command": "create", "path": "/memories/a/b.md", "file_text": "b"})
        tool.call({"command": "create", "path": "/memories/c.md", "file_text": "c"})
        with pytest.raises(ToolError, match=r"^Path must start with /memories, got: /memoriesfoo$"):
            tool.call({"command": "view", "path": "/memoriesfoo"})
        assert [entry["path"] for entry in store.files.list(global_=True)] == ["/memories/a/b.md", "/memories/c.md"]
        assert tool.clear_all_memory() == "All memory cleared"
        assert store.files.list(global_=True) == []
        # Nothing is lost by it.
        assert {entry["recordId"] for entry in store.undo.list(workspace=tmp_path)} == {
            "/memories/a/b.md",
            "/memories/c.md",
        }


PYTHON = """
import sys
from loopmem import Store
from loopmem.anthropic import MemoryTool
home, name, count = sys.argv[1:]
with Store.open(home=home, lock_timeout_ms=60_000) as store:
    tool = MemoryTool(store, repo_hash="c" * 64)
    for number in range(int(count)):
        tool.call({"command": "insert", "path": "/memories/log", "insert_line": 0, "insert_text": f"{name} {number}"})
"""
NODE = """
import { Store } from "./bindings/node/index.mjs";
import { memoryExecute } from "./bindings/node/anthropic.mjs";
const [home, name, count] = process.argv.slice(-3);
const store = await Store.open({ home, lockTimeoutMs: 60_000 });
const execute = memoryExecute(store, { repoHash: "c".repeat(64) });
for (let number = 0; number < Number(count); number++) {
  await execute({ command: "insert", path: "/memories/log", insert_line: 0, insert_text: `${name} ${number}` });
}
await store.close();
"""


def test_inserts_of_several_processes_and_languages_are_all_kept(tmp_path: Path) -> None:
    count = 25
    with Store.open(home=tmp_path) as store:
        store.files.create(path="/memories/log", file_text="", repo_hash=sdk_plugin.REPO)
    script = tmp_path / "insert.py"
    script.write_text(PYTHON)
    commands = {
        "python": [sys.executable, str(script)],
        "node": ["node", "--input-type=module", "-e", NODE, "--"],
    }
    started = {}
    for language, command in commands.items():
        for number in range(2):
            name = f"{language}-{number}"
            started[name] = subprocess.Popen([*command, str(tmp_path), name, str(count)], cwd=ROOT)
    assert {name: process.wait() for name, process in started.items()} == dict.fromkeys(started, 0)
    with Store.open(home=tmp_path) as store:
        lines = sdk_plugin.root_of(str(tmp_path)).joinpath("log").read_text().split("\n")
        assert sorted(filter(None, lines)) == sorted(f"{name} {at}" for name in started for at in range(count))
        assert store.doctor.check()["counts"]["warnings"] == 0
