"""The installed package as pip, its command and type checkers see it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from installed import HERE, TIMES, Installed, environment
from locks import REPO, held_lock, somebody_waits

TOOLS = Path(sys.executable).parent
RUNS = 9


def session(installed: Installed, *command: object) -> dict[str, object]:
    """The tools of an MCP server that `command` starts, by name, after a handshake over its standard streams."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with installed.running(*command, "mcp") as server:
        assert server.stdin is not None and server.stdout is not None

        def send(**message: object) -> None:
            assert server.stdin is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        send(id=1, method="initialize", params=client)
        answer = json.loads(server.stdout.readline())
        assert (answer["id"], answer["result"]["serverInfo"]["name"]) == (1, "loopmem")
        send(method="notifications/initialized")
        send(id=2, method="tools/list")
        tools = json.loads(server.stdout.readline())["result"]["tools"]
        # The end of its input ends the server.
        server.stdin.close()
        assert server.wait() == 0
    return {tool["name"]: tool for tool in tools}


def home_with_a_lock(installed: Installed, home: Path) -> None:
    """Creates the files of a repository's memory, so that its lock can be held."""
    note = {"repoHash": REPO, "note": {"content": "c"}}
    installed.run(installed.command, "--home", home, "call", "memory.upsertNote", given=json.dumps(note))


def median(measured: Callable[[], object]) -> float:
    """The median time of several runs, in milliseconds."""
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        measured()
        times.append((time.perf_counter() - began) * 1_000)
    return statistics.median(times)


def test_the_package_needs_no_other_package(installed: Installed, tmp_path: Path) -> None:
    times = TIMES[str(installed.interpreter)]
    began = time.perf_counter()
    # The first program that uses it.
    installed.program("everyday", tmp_path)
    times["first program, ms"] = (time.perf_counter() - began) * 1_000
    pip = (installed.python, "-m", "pip", "--disable-pip-version-check")
    listed = json.loads(installed.run(*pip, "list", "--format", "json").stdout)
    assert {package["name"] for package in listed} - {"pip", "setuptools", "wheel"} == {"loopmem"}
    assert installed.run(*pip, "check").stdout == "No broken requirements found.\n"


def test_times_are_reported(installed: Installed, tmp_path: Path) -> None:
    times = TIMES[str(installed.interpreter)]
    runs = [list(map(float, installed.program("timed", tmp_path).split())) for _ in range(RUNS)]
    times["import, ms"] = statistics.median(imported for imported, _ in runs)
    times["open, ms"] = statistics.median(opened for _, opened in runs)
    times["loopmem --version, ms"] = median(lambda: installed.run(installed.command, "--version"))
    times["python -c pass, ms"] = median(lambda: installed.run(installed.python, "-c", "pass"))


def test_the_command_the_module_and_the_package_have_one_version(installed: Installed) -> None:
    package = "import loopmem; print('loopmem', loopmem.__version__)"
    distribution = "from importlib.metadata import version; print('loopmem', version('loopmem'))"
    commands = [
        (installed.command, "--version"),
        (installed.python, "-m", "loopmem", "--version"),
        # Without the current folder and the variables of the user.
        (installed.python, "-I", "-m", "loopmem", "--version"),
        (installed.python, "-c", package),
        (installed.python, "-c", distribution),
    ]
    [line] = {installed.run(*command).stdout for command in commands}
    assert re.fullmatch(r"loopmem \d+\.\d+\.\d+\S*\n", line)


def test_the_command_ends_with_the_status_of_what_happened(installed: Installed, tmp_path: Path) -> None:
    for command in ([installed.command], [installed.python, "-m", "loopmem"]):
        call = [*command, "--home", tmp_path, "call", "memory.get"]
        stored = installed.run(*call, given=json.dumps({"repoHash": REPO}))
        assert json.loads(stored.stdout)["notes"] == [] and stored.stderr == ""
        refused = installed.run(*call, given="[]", status=2)
        assert json.loads(refused.stderr)["code"] == "ValidationError" and refused.stdout == ""
        unknown = installed.run(*command, "no-such-room", status=2)
        assert "no-such-room" in unknown.stderr and unknown.stdout == ""


def test_the_command_runs_in_a_folder_whose_names_are_not_ascii(installed: Installed, tmp_path: Path) -> None:
    home = tmp_path / "hüm 家"
    note = {"repoHash": REPO, "note": {"content": "Grüße 家"}}
    for variables in ({}, {"LANG": "C"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        for command in ([installed.command], [installed.python, "-m", "loopmem"]):
            call = [*command, "--home", home, "call"]
            installed.run(*call, "memory.upsertNote", given=json.dumps(note, ensure_ascii=False), variables=variables)
            stored = installed.run(*call, "memory.get", given=json.dumps({"repoHash": REPO}), variables=variables)
            assert {note["content"] for note in json.loads(stored.stdout)["notes"]} == {"Grüße 家"}
    assert [path.name for path in tmp_path.iterdir()] == ["hüm 家"]


def test_the_command_is_an_mcp_server(installed: Installed) -> None:
    by_script = session(installed, installed.command)
    assert {"context", "remember"} <= by_script.keys()
    assert session(installed, installed.python, "-m", "loopmem") == by_script


def test_a_client_is_configured_with_a_command_that_starts(installed: Installed) -> None:
    installed.run(installed.command, "install", "cursor")
    configured = installed.home / ".cursor/mcp.json"
    server = json.loads(configured.read_text())["mcpServers"]["loopmem"]
    assert [server["command"], *server["args"]] == [str(installed.command), "mcp"]
    assert session(installed, server["command"])
    installed.run(installed.command, "uninstall", "cursor")
    assert not configured.exists() or "loopmem" not in configured.read_text()
    shutil.rmtree(configured.parent, ignore_errors=True)


def test_ctrl_c_ends_the_command_during_a_wait(installed: Installed, tmp_path: Path) -> None:
    home_with_a_lock(installed, tmp_path)
    call = ("--home", tmp_path, "--timeout-ms", "600000", "call", "memory.get")
    with held_lock(tmp_path), installed.running(installed.command, *call) as waiting:
        assert waiting.stdin is not None and waiting.stderr is not None
        waiting.stdin.write(json.dumps({"repoHash": REPO}))
        waiting.stdin.close()
        while not somebody_waits(tmp_path):
            assert waiting.poll() is None
        os.kill(waiting.pid, signal.SIGINT)
        assert json.loads(waiting.stderr.readlines()[-1])["code"] == "Cancelled"
        assert waiting.wait() == 1


def test_help_describes_the_package(installed: Installed) -> None:
    shown = installed.run(installed.python, "-m", "pydoc", "loopmem").stdout
    for part in ("Durable, local-first memory for coding agents", "upsert_convention", "class IoError"):
        assert part in shown
    for name in ("loopmem.Store", "loopmem.aio", "loopmem.create_memory_store", "loopmem.NewNote"):
        assert "No Python documentation found" not in installed.run(installed.python, "-m", "pydoc", name).stdout


def test_pipx_installs_the_command(newest: Installed, wheel: Path, tmp_path: Path) -> None:
    folders = {name: str(tmp_path / name) for name in ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR")}
    pipx = TOOLS / "pipx"
    # With pip it would download a newer pip first.
    offline = {"PIPX_DEFAULT_BACKEND": "uv", "UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "cache"), **folders}
    offline["PATH"] = f"{TOOLS}:/usr/bin:/bin"
    newest.run(pipx, "install", "--quiet", "--python", newest.interpreter.path, wheel, variables=offline)
    command = tmp_path / "PIPX_BIN_DIR/loopmem"
    assert newest.run(command, "--version").stdout.startswith("loopmem ")
    newest.run(command, "install", "cursor")
    server = json.loads((newest.home / ".cursor/mcp.json").read_text())["mcpServers"]["loopmem"]
    assert session(newest, server["command"])
    newest.run(command, "uninstall", "cursor")
    newest.run(pipx, "uninstall", "loopmem", variables=offline)
    assert not command.exists()


def test_uvx_runs_the_command_and_configures_clients_with_uvx(newest: Installed, wheel: Path, tmp_path: Path) -> None:
    uvx = (TOOLS / "uvx", "--offline", "--no-config", "--quiet", "--python", newest.interpreter.path, "--from", wheel)
    cache = {"UV_CACHE_DIR": str(tmp_path / "cache"), "UV_PYTHON_DOWNLOADS": "never"}
    assert newest.run(*uvx, "loopmem", "--version", variables=cache).stdout.startswith("loopmem ")
    newest.run(*uvx, "loopmem", "install", "cursor", variables=cache)
    server = json.loads((newest.home / ".cursor/mcp.json").read_text())["mcpServers"]["loopmem"]
    assert [server["command"], *server["args"]] == ["uvx", "loopmem", "mcp"]
    newest.run(*uvx, "loopmem", "uninstall", "cursor", variables=cache)


def test_the_examples_and_a_typed_host_are_clean_for_mypy_and_pyright(newest: Installed) -> None:
    examples = sorted((HERE / "python").glob("*.py"))
    assert len(examples) > 2
    mypy = [TOOLS / "mypy", "--strict", "--no-incremental", "--python-executable", newest.python]
    checked = judged(*mypy, *examples, folder=newest.home)
    assert checked == f"Success: no issues found in {len(examples)} source files\n"
    pyright = [TOOLS / "pyright", "--pythonpath", newest.python, "--warnings"]
    assert judged(*pyright, *examples, folder=newest.home).endswith("0 errors, 0 warnings, 0 informations\n")
    # What is wrong is found: the types are there.
    wrong = newest.home / "wrong.py"
    wrong.write_text("from loopmem import Store\n\nStore.open().memory.get(repo_hash=5)\n")
    for checker in (mypy, pyright):
        with pytest.raises(AssertionError, match="repo_hash"):
            judged(*checker, wrong, folder=newest.home)


def judged(*command: object, folder: Path) -> str:
    """The output of a type checker that finds nothing."""
    # `pyright` starts Node, which is found as the caller finds it.
    variables = environment(folder, TOOLS)
    variables["PATH"] += f":{os.environ['PATH']}"
    variables["PYRIGHT_PYTHON_CACHE_DIR"] = os.environ["PYRIGHT_PYTHON_CACHE_DIR"]
    ended = subprocess.run([str(word) for word in command], cwd=folder, env=variables, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_uninstalling_leaves_nothing_behind(newest: Installed, tmp_path: Path) -> None:
    newest.program("everyday", tmp_path)
    newest.program("every_module")
    pip = ("-m", "pip", "--disable-pip-version-check")
    newest.run(newest.python, *pip, "uninstall", "--yes", "loopmem")
    assert [path for path in newest.folder.rglob("*") if "loopmem" in path.name] == []
