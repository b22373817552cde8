"""The plain functions of the specification, on one store per process that is opened on first use.

`loopmem.aio` has the same functions for asyncio.
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
    from typing import Literal, TypeAlias

    from . import _new as n
    from . import _types as t

    BranchScope: TypeAlias = Literal["perBranch", "sharedRepo"]

_opened: dict[int, NativeStore] = {}
"""By process: a forked child opens its own, since it lacks threads that may be in a call on its parent's store."""


def default_store() -> NativeStore:
    """The store of the process, with default options. If opening it fails, the next call tries again."""
    process = getpid()
    native = _opened.get(process)
    # If several threads open a store at once, all use the first. A lock could be held by another thread during a fork.
    return _opened.setdefault(process, open_native({})) if native is None else native


def of(operation: str, repo_hash: object, branch_scope: object) -> dict[str, object]:
    """The params that name a repository.

    A missing hash is an error: a method would use the repository of the current folder.
    """
    if repo_hash is None:
        raise invalid("repo_hash must be 64 hex digits, as repo.identify returns them", operation)
    return {"repoHash": repo_hash, "branchScope": branch_scope}


def get_repo_memory(repo_hash: str, *, branch_scope: BranchScope | None = None) -> t.RepoMemory:
    """Returns everything stored for a repository.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Refused, as the hash names one memory.

    Returns
    -------
    RepoMemory
        Its conventions, decisions, notes and step summaries; the lists are empty if nothing is stored.

    Raises
    ------
    ValidationError
        The hash is not 64 hex digits, or the scope is unknown.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read a file.
    """
    return _store().call("memory.get", of("memory.get", repo_hash, branch_scope))


def upsert_convention(
    repo_hash: str, convention: n.NewConvention | t.Convention, *, branch_scope: BranchScope | None = None
) -> t.Convention:
    """Stores a convention.

    If a convention with its id is stored, that one is updated. Secrets are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    convention : NewConvention or Convention
        The convention.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Refused, as the hash names one memory.

    Returns
    -------
    Convention
        The convention as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is invalid; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A decision or a note already has the id.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A new version of a file was written but could not replace the old one, which is unchanged.
    """
    params = {**of("memory.upsertConvention", repo_hash, branch_scope), "convention": convention}
    return _store().call("memory.upsertConvention", params)


def upsert_decision(
    repo_hash: str, decision: n.NewDecision | t.Decision, *, branch_scope: BranchScope | None = None
) -> t.Decision:
    """Stores a decision.

    If a decision with its id is stored, that one is updated. Secrets are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    decision : NewDecision or Decision
        The decision.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Refused, as the hash names one memory.

    Returns
    -------
    Decision
        The decision as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is invalid; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A convention or a note already has the id.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A new version of a file was written but could not replace the old one, which is unchanged.
    """
    params = {**of("memory.upsertDecision", repo_hash, branch_scope), "decision": decision}
    return _store().call("memory.upsertDecision", params)


def upsert_note(repo_hash: str, note: n.NewNote | t.Note, *, branch_scope: BranchScope | None = None) -> t.Note:
    """Stores a note.

    If a note with its id is stored, that one is updated. Secrets are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    note : NewNote or Note
        The note.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Refused, as the hash names one memory.

    Returns
    -------
    Note
        The note as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is invalid; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A convention or a decision already has the id.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A new version of a file was written but could not replace the old one, which is unchanged.
    """
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
    """Appends the summary of a workflow step.

    It is stored for the repository of the current folder, or of `workspace`. Secrets are redacted.

    Parameters
    ----------
    run_id : str
        The id of the workflow run.
    step_id : str
        The id of the step within the run.
    summary_text : str
        One paragraph: what happened, important outputs, and what remains to be done. At most `summaryMaxBytes` bytes,
        by default 65,536.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whether each branch has a separate memory or all branches share one. Default: as configured.
    workspace : str or os.PathLike, optional
        A folder in the repository. Default: the current folder.

    Raises
    ------
    ValidationError
        An argument is invalid; nothing was written.
    SecretRefused
        An id or the folder's path looks like a secret.
    GitError
        The folder's repository cannot be read, or belongs to another user.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A new version of a file was written but could not replace the old one, which is unchanged.
    """
    params = {"runId": run_id, "stepId": step_id, "summary": summary_text}
    repo = {"workspace": path_text(workspace), "branchScope": branch_scope}
    _store().call("summary.append", {**repo, **params})


def build_context_from_memory(repo_hash: str, max_chars: int, *, branch_scope: BranchScope | None = None) -> str:
    """Builds a context pack: a repository's memory as Markdown.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    max_chars : int
        The maximum length of the pack, in Unicode scalar values.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Refused, as the hash names one memory.

    Returns
    -------
    str
        The context pack; empty if nothing is stored.

    Raises
    ------
    ValidationError
        An argument is invalid.
    LockAcquisitionError
        A lock could not be acquired within the configured time.
    ParseError
        A stored file is damaged; it was not changed.
    FormatTooNew
        A file was written by a newer version of loopmem; it was not changed.
    IoError
        The operating system refused to read a file.
    """
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
