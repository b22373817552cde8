"""The functions of the specification, on one store that the process opens when it first needs it.

`loopmem.aio` has the same functions, to be awaited.
"""

from __future__ import annotations

from os import getpid

from ._native import NativeStore
from ._store import Store, open_native
from .errors import ValidationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import _new as n
    from . import _types as t

_opened: dict[int, NativeStore] = {}
"""By process: a forked child opens its own, since a thread that it does not have may be in a call of its parent's."""


def default_store() -> NativeStore:
    """The process's own store, with every default. One that could not be opened is tried again by the next call."""
    process = getpid()
    native = _opened.get(process)
    # Threads may open at once: all take the one that came first. A lock could be held, for ever, where a child forks.
    return _opened.setdefault(process, open_native({})) if native is None else native


def named(repo_hash: object) -> object:
    """Refuses a hash that is missing: a method would take the current folder's, which nobody named here."""
    if repo_hash is None:
        raise ValidationError("repo_hash must be 64 hex digits, as repo.identify returns them")
    return repo_hash


def get_repo_memory(repo_hash: str) -> t.RepoMemory:
    """Everything that is stored for a repository; empty when nothing is."""
    return _store().call("memory.get", {"repoHash": named(repo_hash)})


def upsert_convention(repo_hash: str, convention: n.NewConvention | t.Convention) -> t.Convention:
    """Stores a convention and returns it as stored. With the id of a stored one it changes that one."""
    return _store().call("memory.upsertConvention", {"repoHash": named(repo_hash), "convention": convention})


def upsert_decision(repo_hash: str, decision: n.NewDecision | t.Decision) -> t.Decision:
    """Stores a decision and returns it as stored. With the id of a stored one it changes that one."""
    return _store().call("memory.upsertDecision", {"repoHash": named(repo_hash), "decision": decision})


def upsert_note(repo_hash: str, note: n.NewNote | t.Note) -> t.Note:
    """Stores a note and returns it as stored. With the id of a stored one it changes that one."""
    return _store().call("memory.upsertNote", {"repoHash": named(repo_hash), "note": note})


def append_summary(run_id: str, step_id: str, summary_text: str) -> None:
    """Appends the summary of a workflow step to the repository that the current folder lies in."""
    _store().call("summary.append", {"runId": run_id, "stepId": step_id, "summary": summary_text})


def build_context_from_memory(repo_hash: str, max_chars: int) -> str:
    """A repository's memory as Markdown, at most `max_chars` Unicode scalar values long."""
    return _store().call("context.build", {"repoHash": named(repo_hash), "maxChars": max_chars})["text"]


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
