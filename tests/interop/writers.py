"""Writers in every language: processes that write to one store and report each write as soon as it was acknowledged.

A writer called NAME stores, for each number N from 0 to COUNT, a convention `NAME-N`, the field NAME = N of the
convention `shared`, and the summary of step N of run NAME. Summaries and conventions contain `text_of(NAME, N)`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
DEBUG = ROOT / "target" / "debug"
REPO = "c" * 64
LANGUAGES = ("node", "python", "c", "rust", "command")
KINDS = ("upsert", "shared", "append")
PATIENCE = {"lockTimeoutMs": 60_000, "appendTimeoutMs": 60_000}


class Write(NamedTuple):
    """An acknowledged write, and how long it took if the writer knows."""

    kind: str
    number: int
    milliseconds: float | None


def text_of(name: str, number: int) -> str:
    return f"{name}-{number}." * 20


@cache
def compiled(source: str) -> Path:
    """A C program of tests/, compiled against the development build."""
    program = ROOT / "target" / "interop" / Path(source).stem
    program.parent.mkdir(exist_ok=True)
    link = [f"-I{ROOT / 'include'}", f"-L{DEBUG}", "-lloopmem", f"-Wl,-rpath,{DEBUG}"]
    subprocess.run(["cc", "-std=c11", ROOT / "tests" / source, "-o", program, *link], check=True)
    return program


class Writer:
    """One process. It writes on a signal to start."""

    def __init__(self, language: str, home: Path, name: str, count: int) -> None:
        self.name = name
        self.total_milliseconds: float | None = None
        self._requests: Path | None = None
        arguments = [str(home), REPO, name, str(count)]
        match language:
            case "node":
                command = ["node", str(HERE / "writer.mjs"), *arguments]
            case "python":
                command = [sys.executable, str(HERE / "writer.py"), *arguments]
            case "c":
                command = [str(compiled("interop/writer.c")), *arguments]
            case "rust":
                command = [str(DEBUG / "examples" / "writer"), *arguments]
            case _:
                # The command reads its calls from a file: a full pipe would have to be filled while it is read.
                options = json.dumps({"home": str(home), **PATIENCE})
                command = [str(DEBUG / "loopmem"), "--options", options, "call", "--lines"]
                self._requests = home.parent / f"{name}.requests"
                self._requests.write_text("".join(requests(name, count)))
        self._command = command
        self._process = None if self._requests else self._start(subprocess.PIPE)

    def _start(self, stdin: int) -> subprocess.Popen[str]:
        return subprocess.Popen(self._command, stdin=stdin, stdout=subprocess.PIPE, text=True)

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None, "it was not started"
        return self._process

    def wait_until_ready(self) -> None:
        if self._requests is None:
            assert self.process.stdout is not None
            assert self.process.stdout.readline() == "ready\n", self.name

    def go(self) -> None:
        if self._requests is None:
            assert self.process.stdin is not None
            self.process.stdin.write("go\n")
            self.process.stdin.close()
        else:
            with self._requests.open("rb") as stdin:
                self._process = self._start(stdin.fileno())

    def reports(self) -> Iterator[Write]:
        """What it reports, until it exits or is killed. An incomplete last line does not count."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                return
            if self._requests is not None:
                answer = json.loads(line)
                assert answer.get("error") is None, f"{self.name}: {answer}"
                kind, number = str(answer["id"]).split()
                yield Write(kind, int(number), None)
            else:
                kind, *numbers = line.split()
                if kind == "done":
                    self.total_milliseconds = float(numbers[0])
                else:
                    yield Write(kind, int(numbers[0]), float(numbers[1]))

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> None:
        """Kills it, if it was started at all."""
        if self._process is not None:
            self._process.kill()

    def wait(self) -> int:
        """Its exit status: 0, or -9 if it was killed."""
        return self.process.wait()


def start(writers: list[Writer]) -> None:
    """Starts them as simultaneously as possible."""
    for writer in writers:
        writer.wait_until_ready()
    for writer in writers:
        writer.go()


def requests(name: str, count: int) -> Iterator[str]:
    """The calls of a writer, for the command."""
    for number in range(count):
        text = text_of(name, number)
        mine = {"id": f"{name}-{number}", "title": name, "content": text}
        shared = {"id": "shared", "title": "shared", "content": "shared", "extra": {name: number}}
        for kind, method, params in (
            ("upsert", "memory.upsertConvention", {"convention": mine}),
            ("shared", "memory.upsertConvention", {"convention": shared}),
            ("append", "summary.append", {"runId": name, "stepId": str(number), "summary": text}),
        ):
            call = {"id": f"{kind} {number}", "method": method, "params": {"repoHash": REPO, **params}}
            yield json.dumps(call) + "\n"
