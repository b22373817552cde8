"""Remembers and reads, blocking and with asyncio, and prints what it found."""

import asyncio
import json
import sys

import loopmem
from loopmem import Store, aio

home = sys.argv[1]
repo = "a" * 64
with Store.open(home=home) as store:
    store.memory.upsert_convention({"id": "pnpm", "title": "Use pnpm", "content": "Not npm."}, repo_hash=repo)
    titles = [convention["title"] for convention in store.memory.get(repo_hash=repo)["conventions"]]


async def awaited() -> list[str]:
    """Several writes at once, on an event loop."""
    # In the development mode, asyncio would report what takes long.
    asyncio.get_running_loop().slow_callback_duration = 600
    async with aio.Store.open(home=home) as store:
        notes = [store.memory.upsert_note({"id": f"n{n}", "content": "c"}, repo_hash=repo) for n in range(8)]
        await asyncio.gather(*notes)
        return [note["id"] for note in (await store.memory.get(repo_hash=repo))["notes"]]


found = {"file": loopmem.__file__, "version": loopmem.__version__, "titles": titles, "notes": asyncio.run(awaited())}
with Store.open(home=home) as store:
    found["pack"] = store.context.build(4_000, repo_hash=repo)["text"]
print(json.dumps(found))
