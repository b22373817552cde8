"""The API of `loopmem` for asyncio, with the same methods.

Calls run on loopmem's own threads and never block the event loop. Gathered calls take effect in the order in which they
were made. Cancelling a task cancels its call while that waits for a lock; a write that has started is finished.
`get_repo_memory` and the other plain functions share one store per process, which is opened for you.

Examples
--------
>>> async with Store.open() as store:
...     await store.summary.append(run_id="run-1", step_id="step-1", summary="Added caching.")
"""

from __future__ import annotations

from . import _functions
from ._aio_memory_store import MemoryStore, create_memory_store
from ._aio_store import Store
from ._aio_store_adapter import StoreAdapter, open_adapter
from ._caller import Cancel, path_text
from ._functions import default_store, of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from . import _new as n
    from . import _types as t
    from ._functions import BranchScope


async def get_repo_memory(repo_hash: str, *, branch_scope: BranchScope | None = None) -> t.RepoMemory:
    """Returns everything stored for a repository.

    See Also
    --------
    loopmem.get_repo_memory : The blocking function, with the same parameters, result and errors.
    """
    return await _store().call("memory.get", of("memory.get", repo_hash, branch_scope))


async def upsert_convention(
    repo_hash: str, convention: n.NewConvention | t.Convention, *, branch_scope: BranchScope | None = None
) -> t.Convention:
    """Stores a convention.

    See Also
    --------
    loopmem.upsert_convention : The blocking function, with the same parameters, result and errors.
    """
    params = {**of("memory.upsertConvention", repo_hash, branch_scope), "convention": convention}
    return await _store().call("memory.upsertConvention", params)


async def upsert_decision(
    repo_hash: str, decision: n.NewDecision | t.Decision, *, branch_scope: BranchScope | None = None
) -> t.Decision:
    """Stores a decision.

    See Also
    --------
    loopmem.upsert_decision : The blocking function, with the same parameters, result and errors.
    """
    params = {**of("memory.upsertDecision", repo_hash, branch_scope), "decision": decision}
    return await _store().call("memory.upsertDecision", params)


async def upsert_note(repo_hash: str, note: n.NewNote | t.Note, *, branch_scope: BranchScope | None = None) -> t.Note:
    """Stores a note.

    See Also
    --------
    loopmem.upsert_note : The blocking function, with the same parameters, result and errors.
    """
    params = {**of("memory.upsertNote", repo_hash, branch_scope), "note": note}
    return await _store().call("memory.upsertNote", params)


async def append_summary(
    run_id: str,
    step_id: str,
    summary_text: str,
    *,
    branch_scope: BranchScope | None = None,
    workspace: str | os.PathLike[str] | None = None,
) -> None:
    """Appends the summary of a workflow step.

    See Also
    --------
    loopmem.append_summary : The blocking function, with the same parameters, result and errors.
    """
    params = {"runId": run_id, "stepId": step_id, "summary": summary_text}
    repo = {"workspace": path_text(workspace), "branchScope": branch_scope}
    await _store().call("summary.append", {**repo, **params})


async def build_context_from_memory(repo_hash: str, max_chars: int, *, branch_scope: BranchScope | None = None) -> str:
    """Builds a context pack: a repository's memory as Markdown.

    See Also
    --------
    loopmem.build_context_from_memory : The blocking function, with the same parameters, result and errors.
    """
    params = {**of("context.build", repo_hash, branch_scope), "maxChars": max_chars}
    return (await _store().call("context.build", params))["text"]


def _store() -> Store:
    """The store that the blocking functions use as well.

    It is opened synchronously, which reads two small files once: opening it on another thread would take longer, and
    gathered calls would lose their order.
    """
    return Store(default_store())


__all__ = ["Cancel", "MemoryStore", "Store", "StoreAdapter", "create_memory_store", "open_adapter"]
__all__ += _functions.__all__
