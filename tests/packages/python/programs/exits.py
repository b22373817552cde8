"""Ends in the middle of calls, in one of several ways."""

import asyncio
import atexit
import os
import sys
import threading
from pathlib import Path

from loopmem import Store, aio

how, home, repo = sys.argv[1:]
sys.path.append(str(Path(__file__).parent.parent))
from locks import somebody_waits  # noqa: E402

store = Store.open(home=home)


def wait() -> None:
    """Waits for a lock that another process holds."""
    store.memory.get(repo_hash=repo, timeout=600)


def write_for_ever(writer: int) -> None:
    """Writes to a repository whose lock is free."""
    number = 0
    while True:
        store.memory.upsert_note({"id": f"{writer}-{number % 9}", "content": "c"}, repo_hash="c" * 64)
        number += 1


async def abandon() -> None:
    """Leaves the event loop while calls wait on threads of loopmem."""
    other = await aio.Store.open(home=home)
    for _ in range(4):
        # A task would be cancelled with the loop; these calls are not.
        other._native.submit("memory.get", f'{{"repoHash":"{repo}"}}', 600_000, None, None, lambda *_: None)
    while not somebody_waits(Path(home)):
        await asyncio.sleep(0)


def count(*_: object) -> None:
    """Takes an answer, which needs some time."""
    sum(range(9_999))


async def abandon_answers() -> None:
    """Leaves the event loop while answers arrive, each of which runs Python on a thread of loopmem."""
    other = await aio.Store.open(home=home)
    for _ in range(300):
        other._native.submit("memory.get", f'{{"repoHash":"{"c" * 64}"}}', None, None, None, count)


def write_at_exit() -> None:
    """A handler of the exit may still use a store."""
    store.memory.upsert_note({"id": "last", "content": "c"}, repo_hash="c" * 64)
    print("written", flush=True)


if how == "atexit":
    atexit.register(write_at_exit)
elif how == "waiting thread":
    threading.Thread(target=wait, daemon=True).start()
    while not somebody_waits(Path(home)):
        pass
elif how == "writing threads":
    for writer in range(4):
        threading.Thread(target=write_for_ever, args=[writer], daemon=True).start()
    while not store.memory.get(repo_hash="c" * 64)["notes"]:
        pass
elif how == "unanswered calls":
    asyncio.run(abandon())
elif how == "answers of threads":
    asyncio.run(abandon_answers())
elif how == "os._exit":
    threading.Thread(target=wait, daemon=True).start()
    while not somebody_waits(Path(home)):
        pass
    os._exit(7)
sys.exit(7)
