"""The functions of the specification, on one store that the process opens when it first needs it.

`loopmem.aio` has the same functions, to be awaited.
"""

from __future__ import annotations

from os import getpid

from ._caller import path_text
from ._native import NativeStore
from ._refusal import invalid
from ._store import Store, open_native

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Literal

    from typing_extensions import TypeAlias

    from . import _new as n
    from . import _types as t

    BranchScope: TypeAlias = Literal["perBranch", "sharedRepo"]

_opened: dict[int, NativeStore] = {}
"""By process: a forked child opens its own, since a thread that it does not have may be in a call of its parent's."""


def default_store() -> NativeStore:
    """The process's own store, with every default. One that could not be opened is tried again by the next call."""
    process = getpid()
    native = _opened.get(process)
    # Threads may open at once: all take the one that came first. A lock could be held, for ever, where a child forks.
    return _opened.setdefault(process, open_native({})) if native is None else native


def of(operation: str, repo_hash: object, branch_scope: object) -> dict[str, object]:
    """The params that name a repository. A missing hash is refused: a method would take the current folder's, which was
    not named.
    """
    if repo_hash is None:
        raise invalid("repo_hash must be 64 hex digits, as repo.identify returns them", operation)
    return {"repoHash": repo_hash, "branchScope": branch_scope}


def get_repo_memory(repo_hash: str, *, branch_scope: BranchScope | None = None) -> t.RepoMemory:
    """Everything that is stored for a repository; empty when nothing is."""
    return _store().call("memory.get", of("memory.get", repo_hash, branch_scope))


def upsert_convention(
    repo_hash: str, convention: n.NewConvention | t.Convention, *, branch_scope: BranchScope | None = None
) -> t.Convention:
    """Stores a convention and returns it as stored. With the id of a stored one it changes that one."""
    params = {**of("memory.upsertConvention", repo_hash, branch_scope), "convention": convention}
    return _store().call("memory.upsertConvention", params)


def upsert_decision(
    repo_hash: str, decision: n.NewDecision | t.Decision, *, branch_scope: BranchScope | None = None
) -> t.Decision:
    """Stores a decision and returns it as stored. With the id of a stored one it changes that one."""
    params = {**of("memory.upsertDecision", repo_hash, branch_scope), "decision": decision}
    return _store().call("memory.upsertDecision", params)


def upsert_note(
    repo_hash: str, note: n.NewNote | t.Note, *, branch_scope: BranchScope | None = None
) -> t.Note:
    """Stores a note and returns it as stored. With the id of a stored one it changes that one."""
    params = {**of("memory.upsertNote", repo_hash, branch_scope), "note": note}
    return _store().call("memory.upsertNote", params)


def append_summary(
    run_id: str,
    step_id: str,
    summary_text: str,
    *,
    branch_scope: BranchScope | None = None,
    workspace: str | os.PathLike[str] | None = None,
) -> None:
    """Appends the summary of a workflow step to the repository of the current folder, or of `workspace`. `branch_scope` says
    for this call whose memory a branch writes.
    """
    params = {"runId": run_id, "stepId": step_id, "summary": summary_text}
    repo = {"workspace": path_text(workspace), "branchScope": branch_scope}
    _store().call("summary.append", {**repo, **params})


def build_context_from_memory(
    repo_hash: str, max_chars: int, *, branch_scope: BranchScope | None = None
) -> str:
    """A repository's memory as Markdown, at most `max_chars` Unicode scalar values long."""
    params = {**of("context.build", repo_hash, branch_scope), "maxChars": max_chars}
    return _store().call("context.build", params)["text"]


def _store() -> Store:
    return Store(default_store())


__all__ = [
    "append_summary",
    "build_context_from_memory",
    "get_repo_memory",
    "upsert_convention",
    "upsert_decision",
    "upsert_note",
]
