"""The store for asyncio: the same rooms and methods, to be awaited.

Calls run on loopmem's own threads, so that the event loop never waits; those that are gathered keep their order.
Cancelling a task ends its call's wait for a lock; what has begun to be written is finished.

    async with await Store.open() as store:
        repo = (await store.repo.identify())["repoHash"]
        await store.summary.append(repo_hash=repo, run_id="run-1", step_id="step-1", summary="Added caching.")

`get_repo_memory` and the other functions use a store that the process opens by itself.
"""

from __future__ import annotations

from . import _functions
from ._aio_memory_store import MemoryStore, create_memory_store
from ._aio_store import Store
from ._caller import Cancel
from ._functions import default_store, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import _new as n
    from . import _types as t


async def get_repo_memory(repo_hash: str) -> t.RepoMemory:
    """Everything that is stored for a repository; empty when nothing is."""
    return await _store().call("memory.get", {"repoHash": named(repo_hash)})


async def upsert_convention(repo_hash: str, convention: n.NewConvention | t.Convention) -> t.Convention:
    """Stores a convention and returns it as stored. With the id of a stored one it changes that one."""
    return await _store().call("memory.upsertConvention", {"repoHash": named(repo_hash), "convention": convention})


async def upsert_decision(repo_hash: str, decision: n.NewDecision | t.Decision) -> t.Decision:
    """Stores a decision and returns it as stored. With the id of a stored one it changes that one."""
    return await _store().call("memory.upsertDecision", {"repoHash": named(repo_hash), "decision": decision})


async def upsert_note(repo_hash: str, note: n.NewNote | t.Note) -> t.Note:
    """Stores a note and returns it as stored. With the id of a stored one it changes that one."""
    return await _store().call("memory.upsertNote", {"repoHash": named(repo_hash), "note": note})


async def append_summary(run_id: str, step_id: str, summary_text: str) -> None:
    """Appends the summary of a workflow step to the repository that the current folder lies in."""
    await _store().call("summary.append", {"runId": run_id, "stepId": step_id, "summary": summary_text})


async def build_context_from_memory(repo_hash: str, max_chars: int) -> str:
    """A repository's memory as Markdown, at most `max_chars` Unicode scalar values long."""
    return (await _store().call("context.build", {"repoHash": named(repo_hash), "maxChars": max_chars}))["text"]


def _store() -> Store:
    """The store of the functions that block. Opening it reads one small file, once: waiting for a thread to do it would
    take longer, and calls that are gathered would lose their order.
    """
    return Store(default_store())


__all__ = ["Cancel", "MemoryStore", "Store", "create_memory_store"]
__all__ += _functions.__all__
