"""A plugin of pytest: the package, installed into an empty environment of each Python on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import pytest

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
SOURCES = Path(os.environ["LOOPMEM_SOURCES"])
OLDEST = (3, 10)
PATIENCE = 120
"""A program that runs longer fails its test, in seconds."""

Ended: TypeAlias = "subprocess.CompletedProcess[str]"

# The version, the interpreter behind a shim, whether it can create environments, and whether it is free-threaded.
DESCRIBE = """
import importlib.util, json, os, sys, sysconfig
can_create = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
print(json.dumps([sys.version_info[:3], os.path.realpath(sys.executable), can_create, free]))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python on this machine."""

    version: tuple[int, ...]
    path: Path

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class Installed:
    """An environment that has the package and nothing else."""

    interpreter: Interpreter
    folder: Path
    home: Path
    """The home folder of the user, which is empty at first."""

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "bin/python"

    @property
    def command(self) -> Path:
        """The console script."""
        return self.folder / "bin/loopmem"

    def environment(self) -> dict[str, str]:
        """The environment variables of a process: none of the caller's, except the paths of tools."""
        return environment(self.home, self.folder / "bin")

    def run(
        self,
        *command: object,
        given: str = "",
        status: int = 0,
        variables: Mapping[str, str] = MappingProxyType({}),
        patience: int | None = PATIENCE,
    ) -> Ended:
        """Runs a command in the user's home folder and checks its exit status."""
        ended = subprocess.run(
            [str(word) for word in command],
            cwd=self.home,
            env={**self.environment(), **variables},
            input=given,
            capture_output=True,
            text=True,
            timeout=patience,
        )
        assert ended.returncode == status, f"exit status {ended.returncode}\n{ended.stdout}{ended.stderr}"
        return ended

    def program(
        self,
        name: str,
        *arguments: object,
        options: Sequence[str] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """The output of one of the `programs`, which must succeed and report nothing."""
        ended = self.run(self.python, *options, PROGRAMS / f"{name}.py", *arguments, variables=variables)
        assert ended.stderr == ""
        return ended.stdout

    @contextmanager
    def running(self, *command: object) -> Iterator[subprocess.Popen[str]]:
        """A process to talk to, which is killed at the end. It can be interrupted with Ctrl-C, even if we cannot."""
        with subprocess.Popen(
            [str(word) for word in command],
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def environment(home: Path, *folders: Path) -> dict[str, str]:
    """The variables of a process of a user with this home folder, who has these `folders` in the path."""
    path = ":".join([*map(str, folders), "/usr/local/bin:/usr/bin:/bin"])
    # TMPDIR is also how `check` finds processes that a test left running.
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TMPDIR": os.environ["TMPDIR"]}


def interpreters() -> tuple[list[Interpreter], list[str]]:
    """The interpreters on this machine that can have the package, from old to new, and why others are left out."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(":")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(folder / "bin" for folder in pyenv.glob("versions/*"))
    found: dict[tuple[int, ...], Interpreter] = {}
    left_out = []
    for path in (path for folder in folders for path in sorted(folder.glob("python3*"))):
        if not re.fullmatch(r"python3(\.\d+t?)?", path.name):
            continue
        # A shim of pyenv fails for a version that is not selected.
        described = subprocess.run([path, "-I", "-c", DESCRIBE], capture_output=True, text=True)
        if described.returncode != 0:
            continue
        version, real, can_create, free = json.loads(described.stdout)
        if tuple(version) < OLDEST or tuple(version) in found:
            continue
        if not can_create or free:
            reason = "is free-threaded" if free else "lacks venv or ensurepip"
            left_out.append(f"{path} {reason}")
            continue
        found[tuple(version)] = Interpreter(tuple(version), Path(real))
    return [found[version] for version in sorted(found)], left_out


def install(interpreter: Interpreter, wheel: Path | None, folder: Path) -> Installed:
    """Installs the wheel, if any, into a new environment, without a network, and notes how long that took."""
    home = folder / "home"
    home.mkdir(parents=True)
    made = Installed(interpreter, folder / "environment", home)
    made.run(interpreter.path, "-I", "-m", "venv", made.folder)
    if wheel is None:
        return made
    began = time.perf_counter()
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "install", "--no-index", "--quiet")
    installing = made.run(made.python, *pip, wheel)
    TIMES.setdefault(str(interpreter), {})["pip install, s"] = time.perf_counter() - began
    assert installing.stdout + installing.stderr == ""
    return made


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file to test."""
    parser.addoption("--wheel", type=Path)
    parser.addoption("--sdist", type=Path)


ALL, LEFT_OUT = interpreters()
NOTES: list[str] = []
"""Lines to print at the end."""
TIMES: dict[str, dict[str, float]] = {}
"""What was measured, by version."""


@pytest.fixture(scope="session")
def wheel(pytestconfig: pytest.Config) -> Path:
    """The wheel to test."""
    path: Path = pytestconfig.getoption("--wheel")
    return path


@pytest.fixture(scope="session", params=ALL, ids=str)
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The package in an empty environment of each Python."""
    interpreter: Interpreter = request.param
    return install(interpreter, wheel, tmp_path_factory.mktemp(f"python-{interpreter}"))


@pytest.fixture(scope="session")
def newest(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """One more environment of the newest Python, for what is tested once."""
    folder = tmp_path_factory.mktemp("once")
    yield install(ALL[-1], wheel, folder)
    shutil.rmtree(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what was found out and measured."""
    for line in [*NOTES, *(f"left out: {line}" for line in LEFT_OUT)]:
        terminalreporter.write_line(line)
    for version, times in TIMES.items():
        terminalreporter.write_line(f"{version:8} " + ", ".join(f"{what} {took:.1f}" for what, took in times.items()))
