"""The command that the package installs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import loopmem
import pytest

from locks import REPO, held_lock, somebody_waits

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "loopmem")
COMMANDS = [[SCRIPT], [sys.executable, "-m", "loopmem"]]


@pytest.mark.parametrize("command", COMMANDS, ids=["console script", "module"])
def test_the_command_runs_and_ends_with_its_status(tmp_path: Path, command: list[str]) -> None:
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"loopmem {loopmem.__version__}\n"
    call = [*command, "--home", str(tmp_path), "call", "memory.get"]
    answer = subprocess.run(call, input=json.dumps({"repoHash": REPO}), capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout)["conventions"] == []
    wrong = subprocess.run([*command, "no-such-room"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "no-such-room" in wrong.stderr
    refused = subprocess.run(call, input="[]", capture_output=True, text=True)
    assert json.loads(refused.stderr)["code"] == "ValidationError"


@pytest.mark.terminal
def test_ctrl_c_ends_the_command_during_a_wait(home: Path) -> None:
    call = [SCRIPT, "--home", str(home), "--timeout-ms", "600000", "call", "memory.get"]
    with held_lock(home):
        # As a terminal starts it, even if Ctrl-C was ignored when the tests were started.
        prepare = (
            f"import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv({SCRIPT!r}, sys.argv[1:])"
        )
        start = [sys.executable, "-c", prepare, *call]
        with subprocess.Popen(start, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
            assert waiting.stdin is not None and waiting.stderr is not None
            waiting.stdin.write(json.dumps({"repoHash": REPO}))
            waiting.stdin.close()
            while not somebody_waits(home):
                assert waiting.poll() is None
            os.kill(waiting.pid, signal.SIGINT)
            assert json.loads(waiting.stderr.readlines()[-1])["code"] == "Cancelled"


def test_a_configuration_names_what_starts_the_command(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    for command, named in zip(COMMANDS, ([SCRIPT], [sys.executable, "-m", "loopmem"]), strict=True):
        subprocess.run([*command, "install", "cursor"], env=environment, capture_output=True, check=True)
        server = json.loads((tmp_path / ".cursor/mcp.json").read_text())["mcpServers"]["loopmem"]
        assert [server["command"], *server["args"]] == [*named, "mcp"]
