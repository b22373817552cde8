"""Compares loopmem with its peers: CPU time and syncs of a durable upsert, and lost writes.

`scripts/bench peers` installs the peers, builds the releases, and prints the table. All store the same records, of 400
bytes. The CPU time is that of whole processes, in the kernel and out of it, with threads and start-up; the start-up is
taken away by running each with few upserts and with many. Syncs are counted by strace, where it is there. Writes are
lost when four processes write at once and what was acknowledged is not there afterwards.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
REPO = "b" * 64
RECORD_BYTES = 400
# The small and the large number of upserts, by the number of records.
UPSERTS = {100: (20, 320), 5_000: (5, 65)}
ROUNDS = int(os.environ.get("LOOPMEM_BENCH_ROUNDS") or 5)
PROCESSES = 4
AT_ONCE = 50
NO_STRACE = "syncs not counted: no strace"

Record = dict[str, object]


@dataclass(frozen=True)
class Peer:
    name: str
    # The command that upserts, with the arguments FOLDER NAME IDS COUNT TEXT.
    program: list[str]
    # Stores records in a folder, and returns the ids of those that it contains.
    fill: Callable[[Path, list[Record]], None]
    ids: Callable[[Path], set[str]]
    # Without it, the peer creates one record and deletes it again.
    has_upsert: bool = True

    def command(self, folder: Path, name: str, ids: int, count: int) -> list[str]:
        return [*self.program, str(folder), name, str(ids), str(count), TEXT]


def record(number: int, content: str) -> Record:
    time = "2026-01-31T12:00:00.000Z"
    record = {"id": f"record-{number:05}", "title": "Use pnpm workspaces", "content": content}
    return {**record, "tags": ["tooling", "packages"], "createdAt": time, "updatedAt": time}


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def text() -> str:
    """The text after the number in the content, which makes a record `RECORD_BYTES` long."""
    room = RECORD_BYTES - len(compact(record(0, "00000 ")))
    return ("All packages live under packages/ with NodeNext ESM. " * 10)[:room]


TEXT = text()


def document(folder: Path) -> Path:
    return folder / "repos" / REPO / "memory.json"


def fill_json(folder: Path, records: list[Record]) -> None:
    document(folder).parent.mkdir(parents=True)
    members = {"schemaVersion": 1, "conventions": records, "decisions": [], "notes": []}
    document(folder).write_text(compact(members), encoding="utf-8")


def ids_of_json(folder: Path) -> set[str]:
    return {str(it["id"]) for it in json.loads(document(folder).read_text(encoding="utf-8"))["conventions"]}


def fill_sqlite(folder: Path, records: list[Record]) -> None:
    with closing(sqlite3.connect(folder / "memory.db")) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE record (id TEXT PRIMARY KEY, json TEXT NOT NULL)")
        database.executemany("INSERT INTO record VALUES (?, ?)", [(it["id"], compact(it)) for it in records])


def ids_of_sqlite(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "memory.db")) as database:
        return {str(id_) for (id_,) in database.execute("SELECT id FROM record")}


def fill_graph(folder: Path, records: list[Record]) -> None:
    lines = (
        {"type": "entity", "name": it["id"], "entityType": it["title"], "observations": [it["content"]]}
        for it in records
    )
    (folder / "memory.jsonl").write_text("\n".join(map(compact, lines)), encoding="utf-8")


def ids_of_graph(folder: Path) -> set[str]:
    lines = (folder / "memory.jsonl").read_text(encoding="utf-8").split("\n")
    try:
        return {str(json.loads(line)["name"]) for line in lines if line}
    except ValueError:
        # Two writers corrupted the file.
        return set()


NODE, PYTHON = ["node", str(HERE / "upserts.mjs")], [sys.executable, str(HERE / "upserts.py")]
RUST = str(ROOT / "target" / "release" / "examples" / "upserts")
FLOOR = "bare system calls, Rust"
PEERS = [
    Peer(FLOOR, [RUST, "bare"], fill_json, ids_of_json),
    Peer("loopmem, Rust", [RUST, "loopmem"], fill_json, ids_of_json),
    Peer("loopmem, Node", [*NODE, "loopmem"], fill_json, ids_of_json),
    Peer("loopmem, Python", [*PYTHON, "loopmem"], fill_json, ids_of_json),
    Peer("write-file-atomic + lockfile", [*NODE, "write-file-atomic"], fill_json, ids_of_json),
    Peer("filelock + json + os.replace", [*PYTHON, "filelock"], fill_json, ids_of_json),
    Peer("better-sqlite3, WAL, FULL", [*NODE, "better-sqlite3"], fill_sqlite, ids_of_sqlite),
    Peer("Python sqlite3, WAL, FULL", [*PYTHON, "sqlite3"], fill_sqlite, ids_of_sqlite),
    Peer("MCP server-memory, its graph", [*NODE, "server-memory"], fill_graph, ids_of_graph, has_upsert=False),
]


def main() -> None:
    row("durable upserts beside peers", "CPU of one into 100 and 5,000 records; syncs; lost", "target", "")
    scratch = ROOT / "target" / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    for peer in PEERS:
        # In the build folder: the default folder of tempfile is in memory on many machines, where a sync costs nothing.
        with tempfile.TemporaryDirectory(prefix="peers-", dir=scratch) as folder:
            measure(peer, Path(folder))


def measure(peer: Peer, folder: Path) -> None:
    is_ours = peer.name.startswith("loopmem")
    try:
        small, large = (
            milliseconds(peer, filled(peer, folder / str(records), records), records) for records in UPSERTS
        )
        syncs = count_syncs(peer, filled(peer, folder / "syncs", 100))
        if peer.name == FLOOR:
            # It stores no records that could be lost.
            row(peer.name, f"{small:.2f} and {large:.2f} ms; {syncs}", "", "")
            return
        lost, acknowledged = lose(peer, filled(peer, folder / "lost", 100))
    except subprocess.CalledProcessError as failed:
        # A peer that cannot be built here does not prevent measuring the others.
        row(peer.name, f"could not be run: {(failed.stderr or '').strip()[-200:]}", "", "")
        return
    measured = f"{small:.2f} and {large:.2f} ms; {syncs}; lost {lost} of {acknowledged}"
    is_met = lost == 0 and syncs in ("syncs 2", NO_STRACE)
    row(peer.name, measured, "syncs 2, lost 0" if is_ours else "", verdict(is_met) if is_ours else "")


def filled(peer: Peer, folder: Path, records: int) -> Path:
    folder.mkdir()
    peer.fill(folder, [record(number, f"00000 {TEXT}") for number in range(records)])
    return folder


def milliseconds(peer: Peer, folder: Path, records: int) -> float:
    """The CPU time of one upsert: the difference between many and few, divided by their number."""
    few, many = UPSERTS[records]
    times = [
        cpu(upserts(peer, folder, records, many)) - cpu(upserts(peer, folder, records, few)) for _ in range(ROUNDS)
    ]
    return median(times) / (many - few) * 1e3


def upserts(peer: Peer, folder: Path, records: int, count: int) -> list[str]:
    return (
        peer.command(folder, "record", records, count) if peer.has_upsert else peer.command(folder, "create", 1, count)
    )


def cpu(command: list[str]) -> float:
    """The CPU time of the process and its threads, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def count_syncs(peer: Peer, folder: Path) -> str:
    """How many times an upsert waits for the disk."""
    if shutil.which("strace") is None:
        return NO_STRACE
    few, many = (syncs(upserts(peer, folder, 100, count), folder / "trace") for count in UPSERTS[100])
    one = (many - few) / (UPSERTS[100][1] - UPSERTS[100][0])
    return f"syncs {one:.1f}".removesuffix(".0")


def syncs(command: list[str], trace: Path) -> int:
    run(["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,msync,syncfs", "-o", str(trace), *command])
    return sum("sync" in line and "resumed" not in line for line in trace.read_text().splitlines())


def lose(peer: Peer, folder: Path) -> tuple[int, int]:
    """How many acknowledged writes of concurrent processes are missing, and how many were acknowledged."""
    commands = [peer.command(folder, f"once-{process}", AT_ONCE, AT_ONCE) for process in range(PROCESSES)]
    running = [
        subprocess.Popen(it, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        for it in commands
    ]
    acknowledged: set[str] = set()
    for process in running:
        acknowledged_ids, errors = process.communicate()
        # A process that failed has not printed its ids: they count neither as stored nor as lost.
        if process.returncode == 0:
            acknowledged.update(acknowledged_ids.split())
        else:
            print(f"{peer.name}: {errors.strip()[-200:]}", file=sys.stderr)
    return len(acknowledged - peer.ids(folder)), len(acknowledged)


def run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True, env=environment())


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "target" / "peers" / "python")}


def verdict(is_met: bool) -> str:
    return "ok" if is_met else "MISSED"


def row(what: str, measured: str, target: str, verdict: str) -> None:
    """The columns are the same as in the other benches: `scripts/bench` combines their tables."""
    print(f"{what:<32} | {measured:<56} | {target:<20} | {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
