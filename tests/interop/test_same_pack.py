"""Node, Python, C and the command write to one store at once: nothing is lost, and all read the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopmem import Store

ROOT = Path(__file__).parents[2]
DEBUG = ROOT / "target" / "debug"
REPO = "c" * 64
COUNT = 20
PATIENT = {"lockTimeoutMs": 60_000, "appendTimeoutMs": 60_000}


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C host, compiled."""
    program = tmp_path_factory.mktemp("c") / "host"
    source = ROOT / "tests" / "c" / "host.c"
    flags = ["-std=c11", f"-I{ROOT / 'include'}", f"-L{DEBUG}", "-lloopmem", f"-Wl,-rpath,{DEBUG}"]
    subprocess.run(["cc", source, "-o", program, *flags], check=True)
    return program


def calls(name: str) -> Iterator[tuple[str, dict[str, object]]]:
    """What each writer does, for those that take calls line by line."""
    for n in range(COUNT):
        mine = {"id": f"{name}-{n}", "title": name, "content": str(n)}
        yield "memory.upsertConvention", {"repoHash": REPO, "convention": mine}
        yield "memory.upsertConvention", {"repoHash": REPO, "convention": {"id": "shared", name: n}}
        yield "summary.append", {"repoHash": REPO, "runId": name, "stepId": str(n), "summary": "done"}


def lines_for_command(name: str) -> str:
    requests = ({"id": n, "method": method, "params": params} for n, (method, params) in enumerate(calls(name)))
    return "".join(json.dumps(request) + "\n" for request in requests)


def lines_for_c(name: str) -> str:
    return "".join(f"{method}\n{json.dumps(params)}\n0\n" for method, params in calls(name))


def test_eight_processes_in_four_languages_lose_nothing(host: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # More than they write, so that nothing is pruned.
    (home / "config.toml").write_text("[memory]\nsummariesMaxEntries = 1000\n")
    options = json.dumps({"home": str(home), **PATIENT})
    with Store.open(home=home) as store:
        store.memory.upsert_convention(repo_hash=REPO, convention={"id": "shared", "title": "s", "content": "s"})
    here = Path(__file__).parent
    arguments = [str(home), REPO]
    writers: dict[str, tuple[list[str], str]] = {}
    for n in (1, 2):
        writers[f"node{n}"] = (["node", str(here / "writer.mjs"), *arguments, f"node{n}", str(COUNT)], "go\n")
        writers[f"python{n}"] = ([sys.executable, str(here / "writer.py"), *arguments, f"python{n}", str(COUNT)], "go\n")
        writers[f"c{n}"] = ([str(host), "serve", options], lines_for_c(f"c{n}"))
        writers[f"cli{n}"] = ([str(DEBUG / "loopmem"), "--options", options, "call", "--lines"], lines_for_command(f"cli{n}"))  # fmt: skip
    running = {
        name: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name, (command, _) in writers.items()
    }
    for name, process in running.items():
        if name.startswith(("node", "python")):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
    for name, process in running.items():
        assert process.stdin is not None
        process.stdin.write(writers[name][1])
        process.stdin.close()
    for name, process in running.items():
        assert process.stdout is not None
        printed = process.stdout.read()
        assert process.wait() == 0, name
        assert '"error"' not in printed and "\n1 " not in printed, f"{name}: {printed:.500}"

    # Read without loopmem: what is in the files is what counts.
    folder = home / "repos" / REPO
    conventions = {it["id"]: it for it in json.loads((folder / "memory.json").read_text())["conventions"]}
    assert set(conventions) == {"shared", *(f"{name}-{n}" for name in writers for n in range(COUNT))}
    assert {name: conventions["shared"].get(name) for name in writers} == dict.fromkeys(writers, COUNT - 1)
    summaries = [json.loads(line) for line in (folder / "summaries.jsonl").read_text().rstrip("\n").split("\n")]
    assert {(it["runId"], it["stepId"]) for it in summaries} == {(name, str(n)) for name in writers for n in range(COUNT)}
    assert not list(folder.glob("*.tmp"))


def test_all_languages_read_the_same_pack(host: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Store.open(home=home) as store:
        for n in range(5):
            store.memory.upsert_convention(repo_hash=REPO, convention={"title": f"é漢 {n}", "content": "c" * 40})
            store.summary.append(repo_hash=REPO, run_id="r", step_id=str(n), summary="done \u2028 \U0001f600")
        params = {"repoHash": REPO, "maxChars": 400}
        packs = {"python": store.call("context.build", params)}
    options = json.dumps({"home": str(home)})
    program = (
        "const { Store } = require(process.argv[1]);"
        "const store = Store.openSync(JSON.parse(process.argv[2]));"
        "console.log(JSON.stringify(store.callSync('context.build', JSON.parse(process.argv[3]))));"
    )
    commands = {
        "node": (["node", "-e", program, str(ROOT / "bindings" / "node"), options, json.dumps(params)], ""),
        "c": ([str(host), "serve", options], f"context.build\n{json.dumps(params)}\n0\n"),
        "cli": ([str(DEBUG / "loopmem"), "--options", options, "call", "context.build"], json.dumps(params)),
    }
    for name, (command, given) in commands.items():
        printed = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
        packs[name] = json.loads(printed.rstrip("\n").split("\n")[-1].removeprefix("0 "))
    assert all(pack == packs["python"] for pack in packs.values()), packs
