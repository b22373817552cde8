"""A reader of loopmem's files that does not use loopmem: written from docs/FORMAT.md alone, and stricter than needed.

It decides what counts as stored. `Damage` is raised for anything that loopmem must never leave behind.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

Record = dict[str, object]

KINDS: dict[str, dict[str, type]] = {
    "conventions": {"title": str, "content": str, "tags": list},
    "decisions": {"summary": str, "rationale": str, "impactedPaths": list},
    "notes": {"content": str, "source": str},
}
DATED: dict[str, type] = {"id": str, "createdAt": str, "updatedAt": str}
SUMMARY: dict[str, type] = {"runId": str, "stepId": str, "timestamp": str, "summary": str}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Damage(AssertionError):
    """A file violates the documented format."""


def read_conventions(folder: Path) -> list[Record]:
    """The conventions in the repository's folder, oldest first, after checking the whole document."""
    path = source(folder, "memory.json")
    try:
        document = parse(path, path.read_bytes())
    except FileNotFoundError:
        return []
    if document.get("schemaVersion") != 1:
        raise Damage(f"{path}: schemaVersion is {document.get('schemaVersion')!r}")
    ids: set[object] = set()
    for kind, fields in KINDS.items():
        for record in records(path, document, kind):
            must_have(path, record, DATED | fields)
            if record["id"] in ids:
                raise Damage(f"{path}: the id {record['id']} occurs twice")
            ids.add(record["id"])
    return records(path, document, "conventions")


def read_summaries(folder: Path) -> list[Record]:
    """The complete lines of the journal, oldest first. Only the last may be torn: then it was never acknowledged."""
    path = source(folder, "summaries.jsonl")
    try:
        *whole, _torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    summaries = [parse(path, line) for line in whole]
    for summary in summaries:
        must_have(path, summary, SUMMARY)
    return summaries


def source(folder: Path, name: str) -> Path:
    """Where the current contents of the file are: beside it while it is overwritten in place."""
    copying = folder / f"{name}.copying"
    return copying if copying.exists() else folder / name


def litter(folder: Path) -> list[str]:
    """The unfinished copies that no writer removed."""
    return sorted(path.name for path in folder.glob("*.tmp"))


def parse(path: Path, data: bytes) -> Record:
    try:
        value: object = json.loads(data.decode("utf-8"), object_pairs_hook=once)
    except ValueError as cause:
        raise Damage(f"{path}: {cause}: {data[:80]!r} … {data[-80:]!r}") from cause
    if not isinstance(value, dict):
        raise Damage(f"{path}: no object: {data[:80]!r}")
    return value


def once(pairs: list[tuple[str, object]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key occurs twice")
    return record


def records(path: Path, document: Record, kind: str) -> list[Record]:
    found = document.get(kind)
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise Damage(f"{path}: {kind} is no list of records")
    return found


def must_have(path: Path, record: Record, fields: dict[str, type]) -> None:
    for name, kind in fields.items():
        if not isinstance(record.get(name), kind):
            raise Damage(f"{path}: {name} is wrong or missing in {record}")
        if name in ("createdAt", "updatedAt", "timestamp") and not TIME.fullmatch(str(record[name])):
            raise Damage(f"{path}: {name} is no time in {record}")
