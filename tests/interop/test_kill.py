"""Writers in five languages are killed at random times, again and again on the same store: what they reported is there.

The files are read without loopmem. scripts/torture kill runs longer.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from reader import litter, read_conventions, read_summaries
from torture import rounds
from writers import KINDS, LANGUAGES, REPO, Writer, start, text_of

# More than any of them survives to write.
ENDLESS = 1000
# A new store after this many rounds, since it would become slow. Half of the stores are pruned all the time.
ROUNDS_OF_A_STORE = 4
KEPT = {"all": 100_000, "few": 20}


@dataclass
class Reported:
    """The last number of each kind that a writer has reported; it reports them in order."""

    last: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, -1))

    def begun(self) -> int:
        """The greatest number that it may have sent: the next one if all writes of the last were acknowledged."""
        return min(self.last.values()) + 1

    def covers(self, kind: str, number: int) -> bool:
        """Whether the store may end with `number`: everything reported is there, and nothing that was never sent."""
        return self.last[kind] <= number <= self.begun()


@dataclass
class Death:
    """After how many reported writes a writer is killed, and how many seconds later: in the middle of the next one."""

    writes: int
    seconds: float

    def meet(self, writer: Writer) -> None:
        time.sleep(self.seconds)
        writer.kill()


def test_what_a_killed_writer_reported_is_stored_and_intact(tmp_path: Path) -> None:
    heard, ledger = 0, defaultdict[str, Reported](Reported)
    for round_, chance in rounds(8):
        store = round_ // ROUNDS_OF_A_STORE
        kept = list(KEPT)[store % 2]
        home = tmp_path / f"home-{store}"
        if round_ % ROUNDS_OF_A_STORE == 0:
            ledger = defaultdict(Reported)
            home.mkdir()
            (home / "config.toml").write_text(f"[memory]\nsummariesMaxEntries = {KEPT[kept]}\n")
        killed = play(home, [f"{language}-{round_}" for language in LANGUAGES], ENDLESS, ledger, chance)
        assert killed == dict.fromkeys(killed, -9), "a writer ended before it was killed"
        check(home, ledger, is_pruned=kept == "few")
        # No lock is stale: the next write of every language works, and removes what the killed writers left.
        ended = play(home, [f"{language}-{round_}-next" for language in LANGUAGES], 1, ledger, None)
        assert ended == dict.fromkeys(ended, 0)
        assert all(ledger[name].last == dict.fromkeys(KINDS, 0) for name in ended)
        check(home, ledger, is_pruned=kept == "few")
        assert litter(home / "repos" / REPO) == []
        heard += sum(1 + last for name in killed for last in ledger[name].last.values())
    assert heard > 0, "everybody was killed before the first write"


def play(
    home: Path, names: list[str], count: int, ledger: dict[str, Reported], chance: random.Random | None
) -> dict[str, int]:
    """Starts one writer per language, records reports, and kills each at a random time. Returns how they ended."""
    writers = [Writer(name.split("-")[0], home, name, count) for name in names]
    try:
        start(writers)
        with ThreadPoolExecutor(len(writers)) as pool:
            # Any write may be the last, even the first of a process.
            deaths = [Death(chance.randrange(25), chance.uniform(0, 0.003)) if chance else None for _ in writers]
            return dict(zip(names, pool.map(listen, writers, [ledger[name] for name in names], deaths), strict=True))
    finally:
        for writer in writers:
            writer.end()


def listen(writer: Writer, reported: Reported, death: Death | None) -> int:
    if death is not None and death.writes == 0:
        death.meet(writer)
    for heard, write in enumerate(writer.reports(), 1):
        assert write.number == reported.last[write.kind] + 1, f"{writer.name} reports {write} after {reported}"
        reported.last[write.kind] = write.number
        if death is not None and death.writes == heard:
            death.meet(writer)
    return writer.wait()


def check(home: Path, ledger: dict[str, Reported], *, is_pruned: bool) -> None:
    folder = home / "repos" / REPO
    check_conventions(read_conventions(folder), ledger)
    steps: dict[str, list[int]] = defaultdict(list)
    for summary in read_summaries(folder):
        name, number = str(summary["runId"]), int(str(summary["stepId"]))
        assert summary["summary"] == text_of(name, number)
        steps[name].append(number)
    assert set(steps) <= set(ledger)
    for name, reported in ledger.items():
        mine = steps[name]
        if is_pruned and not mine:
            continue
        first = mine[0] if is_pruned else 0
        assert mine == list(range(first, first + len(mine))), f"the order or the steps of {name}: {mine}"
        assert reported.covers("append", first + len(mine) - 1), f"{name} reported {reported}, and there is {mine}"
    if is_pruned:
        assert sum(map(len, steps.values())) <= KEPT["few"]


def check_conventions(conventions: list[dict[str, object]], ledger: dict[str, Reported]) -> None:
    shared: dict[str, object] = {}
    numbers: dict[str, list[int]] = defaultdict(list)
    for convention in conventions:
        if convention["id"] == "shared":
            shared = convention
            continue
        name, _, number = str(convention["id"]).rpartition("-")
        assert (convention["title"], convention["content"]) == (name, text_of(name, int(number)))
        numbers[name].append(int(number))
    assert set(numbers) <= set(ledger)
    for name, reported in ledger.items():
        mine = numbers[name]
        assert mine == list(range(len(mine))), f"the order or the conventions of {name}: {mine}"
        assert reported.covers("upsert", len(mine) - 1), f"{name} reported {reported}, and there is {mine}"
        field = shared.get(name, -1)
        assert isinstance(field, int) and reported.covers("shared", field), (
            f"{name} reported {reported}, and {field} is shared"
        )
    assert not shared or shared["title"] == shared["content"] == "shared"
    known = {"id", "title", "content", "tags", "createdAt", "updatedAt"}
    assert set(shared) <= known | set(ledger)
