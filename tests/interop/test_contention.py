"""Eight processes in five languages write to one store at once: nothing is lost, and no process waits in vain.

Times are reported and never checked; scripts/torture contention prints them. On an idle machine no wait should take
500 ms, the first of eight identical writers should not finish before 0.7 of the last one's time, and a writer among
readers should wait less than 50 ms.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from loopmem import Store

from reader import litter, read_conventions, read_summaries
from torture import IS_TORTURE, rounds
from writers import REPO, Write, Writer, start, text_of

COUNT = 50
MIXED = ("node-1", "node-2", "python-1", "python-2", "c-1", "c-2", "rust-1", "command-1")
# With a perfectly fair lock, identical writers would finish at the same time.
ALIKE = tuple(f"rust-{n}" for n in range(8))
READS = """
import sys
from loopmem import Store
with Store.open(home=sys.argv[1]) as store:
    print("ready", flush=True)
    while True:
        store.memory.get(repo_hash=sys.argv[2])
"""
# Takes the lock as described in docs/FORMAT.md, and keeps it.
HOLDS = """
import fcntl, signal, sys
gate, lock = open(sys.argv[1] + ".gate", "r+"), open(sys.argv[1] + ".lock", "r+")
fcntl.flock(gate, fcntl.LOCK_EX)
fcntl.flock(lock, fcntl.LOCK_EX)
fcntl.flock(gate, fcntl.LOCK_UN)
print("ready", flush=True)
signal.pause()
"""


@pytest.mark.parametrize("eight", [MIXED, ALIKE] if IS_TORTURE else [MIXED], ids=lambda eight: eight[0])
def test_eight_processes_lose_nothing(eight: tuple[str, ...], tmp_path: Path) -> None:
    for round_, _ in rounds(1):
        home = tmp_path / f"home-{round_}"
        home.mkdir()
        # More than they write, so that nothing is pruned.
        (home / "config.toml").write_text("[memory]\nsummariesMaxEntries = 1000\n")
        writers = [Writer(name.split("-")[0], home, name, COUNT) for name in eight]
        start(writers)
        with ThreadPoolExecutor(len(writers)) as pool:
            reported = dict(zip(eight, pool.map(lambda writer: list(writer.reports()), writers), strict=True))
        assert {writer.name: writer.wait() for writer in writers} == dict.fromkeys(eight, 0)
        assert {name: len(writes) for name, writes in reported.items()} == dict.fromkeys(eight, 3 * COUNT)
        folder = home / "repos" / REPO
        conventions = {str(it["id"]): it for it in read_conventions(folder)}
        shared = conventions.pop("shared")
        everything = {(name, n): text_of(name, n) for name in eight for n in range(COUNT)}
        assert {it["id"]: it["content"] for it in conventions.values()} == {
            f"{name}-{n}": text for (name, n), text in everything.items()
        }
        assert {name: shared.get(name) for name in eight} == dict.fromkeys(eight, COUNT - 1)
        summaries = read_summaries(folder)
        assert {(it["runId"], int(str(it["stepId"]))): it["summary"] for it in summaries} == everything
        assert len(summaries) == len(everything)
        assert litter(folder) == []
        if IS_TORTURE:
            print(f"{', '.join(eight)}: the worst single wait {worst(reported.values()):.0f} ms")
        if eight is ALIKE:
            # Writers of different languages do different work: Node's, which do not wait, share commits.
            finished = [it.total_milliseconds for it in writers if it.total_milliseconds is not None]
            print(f"first finish over last {min(finished) / max(finished):.2f} of {max(finished):.0f} ms")


def test_a_writer_among_four_readers_is_not_starved(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Store.open(home=home) as store:
        for n in range(100):
            store.memory.upsert_convention(repo_hash=REPO, convention={"title": str(n), "content": text_of("first", n)})
    readers = [another(READS, str(home), REPO) for _ in range(4)]
    try:
        for reader in readers:
            ready(reader)
        writer = Writer("python", home, "python-1", 200 if IS_TORTURE else COUNT)
        start([writer])
        reported = list(writer.reports())
        assert writer.wait() == 0
        assert [reader.poll() for reader in readers] == [None] * 4
    finally:
        for reader in readers:
            end(reader)
    assert len(reported) == 3 * (200 if IS_TORTURE else COUNT)
    print(f"a writer among four readers: the worst single wait {worst([reported]):.0f} ms")


def test_the_successor_of_a_killed_holder_gets_in(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Store.open(home=home) as store:
        store.memory.upsert_convention(repo_hash=REPO, convention={"title": "t", "content": "c"})
        data = home / "repos" / REPO / "memory.json"
        waits = []
        for round_ in range(100 if IS_TORTURE else 5):
            holder = another(HOLDS, str(data))
            try:
                ready(holder)
                writer = Writer("rust", home, f"rust-{round_}", 1)
                start([writer])
                wait_until_somebody_waits(data)
                before = time.perf_counter()
                holder.kill()
                first = next(writer.reports())
                waits.append((time.perf_counter() - before) * 1e3)
                assert first.kind == "upsert"
                assert (len(list(writer.reports())), writer.wait()) == (2, 0)
            finally:
                end(holder)
    assert len(read_conventions(data.parent)) == len(waits) + 2
    print(f"the successor of a killed holder: in after {min(waits):.1f} to {max(waits):.1f} ms")


def another(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def wait_until_somebody_waits(data: Path) -> None:
    """A process that waits for the lock holds the gate."""
    with Path(f"{data}.gate").open("r+") as gate:
        while True:
            try:
                fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(gate, fcntl.LOCK_UN)
            time.sleep(0.001)


def worst(reported: Iterable[list[Write]]) -> float:
    return max(write.milliseconds for writes in reported for write in writes if write.milliseconds is not None)
