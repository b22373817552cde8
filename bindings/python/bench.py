"""What a read and the start cost in Python, beside json.loads of the same text, measured in the same run.

`python bench.py`, after `scripts/build python`, prints a table and fails nothing: a slow machine is no defect. Batches
of loopmem and of its floor take turns, and medians are compared. `scripts/bench` prints it with the other languages'.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import cast

from loopmem import Store

RECORD_BYTES = 400
ROUNDS = 61
BATCH_SECONDS = 0.02
PROCESSES = 21
REPO = "b" * 64


def main() -> None:
    row("what (Python, medians)", "measured", "target", "")
    with tempfile.TemporaryDirectory(prefix="loopmem-bench-") as folder:
        for records in (100, 1_000):
            reads(Path(folder) / f"home-{records}", records)
        starts(Path(folder) / "home-100")


def reads(home: Path, records: int) -> None:
    """`memory.get` of so many records, and `json.loads` of the same text."""
    with Store.open(home=home) as store:
        fill(store, home, records)
        result = cast("dict[str, list[object]]", store.call("memory.get", {"repoHash": REPO}))
        assert len(result["conventions"]) == records
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        params = {"repoHash": REPO}
        parse, call = medians([lambda: json.loads(text), lambda: store.call("memory.get", params)])
    ratio = call / parse
    row(
        f"get of {records:,} records",
        f"{ms(call)} ({ratio:.2f}×, json.loads {ms(parse)})",
        "1.5× json.loads",
        verdict(ratio <= 1.5),
    )


def fill(store: Store, home: Path, records: int) -> None:
    """Stores conventions of `RECORD_BYTES` each as JSON: one through loopmem, the others by copying it in the file."""
    convention = {
        "id": "convention-0000",
        "title": "Use pnpm workspaces",
        "content": "x",
        "tags": ["tooling", "packages"],
    }
    one = cast("dict[str, object]", store.call("memory.upsertConvention", {"repoHash": REPO, "convention": convention}))
    said = "All packages live under packages/ with NodeNext ESM. " * RECORD_BYTES
    content = said[: RECORD_BYTES - len(json.dumps(one, separators=(",", ":"))) + 1]
    copies = [{**one, "id": f"convention-{index:04}", "content": content} for index in range(records)]
    assert {len(json.dumps(copy, separators=(",", ":"))) for copy in copies} == {RECORD_BYTES}
    path = home / "repos" / REPO / "memory.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["conventions"] = copies
    path.write_text(json.dumps(document, separators=(",", ":")), encoding="utf-8")
    # Files younger than 20 ms are read again: this is the warm path only afterwards.
    time.sleep(0.05)


def medians(calls: Sequence[Callable[[], object]]) -> list[float]:
    """The median time of each call, in seconds."""
    counts = [max(1, round(BATCH_SECONDS / timed(call, 20) * 20)) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(ROUNDS):
        order = range(len(calls))
        # Nobody always comes second.
        for which in order if turn % 2 == 0 else reversed(order):
            times[which].append(timed(calls[which], counts[which]) / counts[which])
    return [median(own) for own in times]


def timed(call: Callable[[], object], count: int) -> float:
    before = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - before


def starts(home: Path) -> None:
    """Importing the package and opening a store in fresh processes, measured inside them."""
    program = """if True:
        import sys, time
        begun = time.perf_counter()
        import loopmem
        loaded = time.perf_counter()
        store = loopmem.Store.open(home=sys.argv[1])
        opened = time.perf_counter()
        print(loaded - begun, opened - loaded, opened - begun)"""
    # An installed package is compiled once, not in every process.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs: list[list[float]] = []
    for _ in range(PROCESSES):
        command = [sys.executable, "-c", program, str(home)]
        ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        runs.append([float(seconds) for seconds in ran.stdout.split()])
    load, opening, both = (median(part) for part in zip(*runs, strict=True))
    row("import, open", f"{ms(both)} (load {ms(load)}, open {ms(opening)})", "3.000 ms", verdict(both < 0.003))


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"


def verdict(is_met: bool) -> str:
    return "ok" if is_met else "MISSED"


def row(what: str, measured: str, target: str, verdict: str) -> None:
    """The columns are those of the other languages' benches: `scripts/bench` prints them as one table."""
    print(f"{what:<32} | {measured:<56} | {target:<20} | {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
