"""One caller per language: a process with an open store that makes calls on request, one after the other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from writers import DEBUG, HERE, REPO, compiled

LANGUAGES = ("node", "python", "c", "command")


class Refused(Exception):
    """A call that failed, with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Caller:
    """A process with an open store."""

    def __init__(self, language: str, home: Path, **more: object) -> None:
        options = json.dumps({"home": str(home), **more})
        commands = {
            "node": ["node", str(HERE / "caller.mjs"), options],
            "python": [sys.executable, str(HERE / "caller.py"), options],
            "c": [str(compiled("c/host.c")), "serve", options],
            "command": [str(DEBUG / "loopmem"), "--options", options, "call", "--lines"],
        }
        self.language = language
        self._process = subprocess.Popen(
            commands[language], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if language == "c":
            assert self._answer() == "0 null\n"

    def upsert(self, id_: str, content: str) -> None:
        convention = {"id": id_, "title": self.language, "content": content}
        self.call("memory.upsertConvention", {"convention": convention})

    def append(self, step: str, summary: str) -> None:
        self.call("summary.append", {"runId": self.language, "stepId": step, "summary": summary})

    def call(self, method: str, params: dict[str, object]) -> object:
        """The result of a method, for the test's repository if it takes one; raises `Refused` if the call fails."""
        if not method.startswith(("working.", "items.", "branch.")):
            params = {"repoHash": REPO, **params}
        if self.language == "c":
            self._ask(f"{method}\n{json.dumps(params)}\n0\n")
            status, _, value = self._answer().partition(" ")
            if status == "0":
                return json.loads(value)
            error = json.loads(value)
        else:
            self._ask(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
            answer = json.loads(self._answer())
            if answer.get("error") is None:
                return answer["result"]
            error = answer["error"]
        raise Refused(error["code"], error["message"])

    def _ask(self, request: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(request)
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer, f"{self.language} died: {self._process.communicate()[1]}"
        return answer

    def close(self) -> None:
        self._process.communicate()
        assert self._process.returncode == 0, self.language


@contextmanager
def callers(home: Path, languages: Sequence[str] = LANGUAGES, **more: object) -> Iterator[list[Caller]]:
    """A caller of each language, with these options. They have exited when this ends: nothing of the home is open."""
    with ExitStack() as stack:
        opened = []
        for language in languages:
            opened.append(Caller(language, home, **more))
            stack.callback(opened[-1].close)
        yield opened
