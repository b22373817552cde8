"""Sequential upserts from Python with one peer: upserts PEER FOLDER NAME IDS COUNT TEXT.

The ids go round: NAME-00000 to IDS. It prints those that were acknowledged, when all is done.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

REPO = "b" * 64
Record = dict[str, object]
Upsert = Callable[[Record], object]


def loopmem(folder: Path) -> Upsert:
    from loopmem import Store

    store = Store.open(home=folder, lock_timeout_ms=60_000)
    sent = ("id", "title", "content", "tags")
    return lambda record: store.call(
        "memory.upsertConvention", {"repoHash": REPO, "convention": {key: record[key] for key in sent}}
    )


def filelock(folder: Path) -> Upsert:
    """The usual way: a lock, reading and writing the whole document, an fsync, a rename."""
    from filelock import FileLock

    path = folder / "repos" / REPO / "memory.json"
    lock = FileLock(f"{path}.filelock")

    def upsert(record: Record) -> None:
        with lock:
            document = json.loads(path.read_text(encoding="utf-8"))
            conventions = document["conventions"]
            at = next((at for at, it in enumerate(conventions) if it["id"] == record["id"]), len(conventions))
            conventions[at : at + 1] = [record]
            temporary = path.with_suffix(f".{os.getpid()}")
            with temporary.open("w", encoding="utf-8") as file:
                json.dump(document, file, separators=(",", ":"))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)

    return upsert


def sqlite(folder: Path) -> Upsert:
    database = sqlite3.connect(folder / "memory.db", timeout=60, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    upsert = "INSERT INTO record VALUES (?, ?) ON CONFLICT DO UPDATE SET json = excluded.json"
    return lambda record: database.execute(upsert, (record["id"], json.dumps(record)))


PEERS = {"loopmem": loopmem, "filelock": filelock, "sqlite3": sqlite}


def main(peer: str, folder: str, name: str, ids: int, count: int, text: str) -> None:
    upsert = PEERS[peer](Path(folder))
    acknowledged = []
    for n in range(count):
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record: Record = {
            "id": f"{name}-{n % ids:05}",
            "title": "Use pnpm workspaces",
            "content": f"{n:05} {text}",
            "tags": ["tooling", "packages"],
            "createdAt": now,
            "updatedAt": now,
        }
        upsert(record)
        acknowledged.append(record["id"])
    print(*acknowledged, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
