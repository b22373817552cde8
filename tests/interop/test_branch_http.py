"""A memory over HTTP, with the token of the environment: it reaches the server, and no file, argument or output."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from writers import DEBUG

TOKEN = "t0k3n-Of-The-Env1ronment"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The URL of a server with git's own HTTP program behind it, which takes the token and nothing else."""
    root = tmp_path / "root"
    subprocess.run(["git", "init", "--quiet", "--bare", str(root / "o" / "r.git")], check=True)
    expected = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(b"")

        def do_POST(self) -> None:
            self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def answer(self, body: bytes) -> None:
            if self.headers.get("Authorization") != expected:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="memory"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            variables = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "REMOTE_USER": "x-access-token",
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            done = subprocess.run(["git", "http-backend"], env=variables, input=body, capture_output=True, check=True)
            head, _, answer = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


def test_the_token_of_the_environment_opens_its_server_and_is_kept_nowhere(tmp_path: Path, server: str) -> None:
    memory = tmp_path / "memory"
    variables = {"GITHUB_SERVER_URL": server, "GH_TOKEN": TOKEN, "TARGET_REPO": "o/r"}
    step = Step(tmp_path, {**variables, "MEMORY_DIR": str(memory)})
    assert step.run("checkout")["created"] is True
    (memory / "log.jsonl").write_text('{"n":1}\n')
    (memory / "gone.md").write_text("gone\n")
    base = step.run("push", "--base", "")["commit"]
    # The job that pushes is another machine, which knows the commit alone.
    other = tmp_path / "other"
    other.mkdir()
    (other / "log.jsonl").write_text('{"n":1}\n{"n":2}\n')
    pushed = Step(tmp_path, {**step.variables, "ARTIFACT_DIR": str(other)}).run("push", "--base", str(base))
    assert (pushed["base"], pushed["removed"]) == (base, ["gone.md"])
    assert step.run("snapshot", "first")["tag"] == "first"
    assert step.run("checkout")["base"] == pushed["commit"]
    assert (memory / "log.jsonl").read_text() == '{"n":1}\n{"n":2}\n'
    refused = Step(tmp_path, {**step.variables, "GH_TOKEN": "another-Token-4711"}).start("checkout")
    assert refused.returncode == 1
    assert "another-Token-4711" not in refused.stderr + refused.stdout
    found = subprocess.run(["grep", "-rl", TOKEN, str(tmp_path)], capture_output=True, text=True)
    assert found.stdout == ""


class Step:
    """A step of a workflow: the command, with these variables."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder = folder
        self.variables = variables

    def run(self, verb: str, *arguments: str) -> dict[str, object]:
        done = self.start(verb, *arguments)
        assert done.returncode == 0, done.stderr
        assert TOKEN not in done.stdout + done.stderr
        result: dict[str, object] = json.loads(done.stdout)
        return result

    def start(self, verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(DEBUG / "loopmem"), "--home", str(self.folder / "home"), "branch", verb, *arguments]
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.variables}
        return subprocess.run(command, env=variables, capture_output=True, text=True)


def test_three_homes_on_two_paths_have_the_same_memory_over_http(tmp_path: Path, server: str) -> None:
    def loopmem(home: str, clone: Path, *arguments: str) -> str:
        command = [str(DEBUG / "loopmem"), "--home", str(tmp_path / home), *arguments]
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path / home),
            "GITHUB_SERVER_URL": server,
            "GH_TOKEN": TOKEN,
        }
        done = subprocess.run(command, env=variables, cwd=clone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert TOKEN not in done.stdout + done.stderr
        return done.stdout

    clones = [tmp_path / "a" / "r", tmp_path / "b" / "r"]
    for clone in clones:
        subprocess.run(["git", "init", "--quiet", "-b", "main", str(clone)], check=True)
        url = f"{server}/o/r.git"
        subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", url], check=True)
    machines = [("one", clones[0]), ("two", clones[1]), ("three", clones[0])]
    for name, clone in machines:
        loopmem(name, clone, "memory", "add", "note", f"of {name}")
        loopmem(name, clone, "sync", "--on")
    for name, clone in machines:
        loopmem(name, clone, "sync")
    for name, clone in machines:
        listed = json.loads(loopmem(name, clone, "memory", "list", "--json"))
        notes = sorted(entry["record"]["content"] for entry in listed)
        assert notes == ["of one", "of three", "of two"], name
    found = subprocess.run(["grep", "-rl", TOKEN, str(tmp_path)], capture_output=True, text=True)
    assert found.stdout == ""
