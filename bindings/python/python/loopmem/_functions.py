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
    from typing import Literal, TypeAlias

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
    """The params that name a repository.

    A missing hash is refused: a method would take the current folder's, which was not named.
    """
    if repo_hash is None:
        raise invalid("repo_hash must be 64 hex digits, as repo.identify returns them", operation)
    return {"repoHash": repo_hash, "branchScope": branch_scope}


def get_repo_memory(repo_hash: str, *, branch_scope: BranchScope | None = None) -> t.RepoMemory:
    """Returns everything that is stored for a repository.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.

    Returns
    -------
    RepoMemory
        Its conventions, decisions, notes and step summaries; empty when nothing is stored.

    Raises
    ------
    ValidationError
        The hash is not 64 hex digits, or the scope is unknown.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
    IoError
        The operating system refused to read a file.
    """
    return _store().call("memory.get", of("memory.get", repo_hash, branch_scope))


def upsert_convention(
    repo_hash: str, convention: n.NewConvention | t.Convention, *, branch_scope: BranchScope | None = None
) -> t.Convention:
    """Stores a convention.

    With the id of a stored convention it changes that one. Secrets in it are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    convention : NewConvention or Convention
        The convention.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.

    Returns
    -------
    Convention
        The convention as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is not what it should be; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A decision or a note has the id already.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A finished file could not be moved into its place; the old one is still there.
    """
    params = {**of("memory.upsertConvention", repo_hash, branch_scope), "convention": convention}
    return _store().call("memory.upsertConvention", params)


def upsert_decision(
    repo_hash: str, decision: n.NewDecision | t.Decision, *, branch_scope: BranchScope | None = None
) -> t.Decision:
    """Stores a decision.

    With the id of a stored decision it changes that one. Secrets in it are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    decision : NewDecision or Decision
        The decision.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.

    Returns
    -------
    Decision
        The decision as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is not what it should be; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A convention or a note has the id already.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A finished file could not be moved into its place; the old one is still there.
    """
    params = {**of("memory.upsertDecision", repo_hash, branch_scope), "decision": decision}
    return _store().call("memory.upsertDecision", params)


def upsert_note(repo_hash: str, note: n.NewNote | t.Note, *, branch_scope: BranchScope | None = None) -> t.Note:
    """Stores a note.

    With the id of a stored note it changes that one. Secrets in it are redacted.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    note : NewNote or Note
        The note.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.

    Returns
    -------
    Note
        The note as stored, with its id and times.

    Raises
    ------
    ValidationError
        An argument is not what it should be; nothing was written.
    SecretRefused
        The id looks like a secret.
    Conflict
        A convention or a decision has the id already.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A finished file could not be moved into its place; the old one is still there.
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

    It belongs to the repository of the current folder, or of `workspace`. Secrets in it are redacted.

    Parameters
    ----------
    run_id : str
        The run of the workflow.
    step_id : str
        The step within the run.
    summary_text : str
        One paragraph: what happened, important outputs, what is to follow. At most 65,536 bytes, unless configured
        otherwise.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.
    workspace : str or os.PathLike, optional
        A folder in the repository. Default: the current folder.

    Raises
    ------
    ValidationError
        An argument is not what it should be; nothing was written.
    SecretRefused
        An id or the folder's path looks like a secret.
    GitError
        The folder's repository cannot be read, or belongs to another user.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
    IoError
        The operating system refused to read, write or sync a file.
    RenameError
        A finished file could not be moved into its place; the old one is still there.
    """
    params = {"runId": run_id, "stepId": step_id, "summary": summary_text}
    repo = {"workspace": path_text(workspace), "branchScope": branch_scope}
    _store().call("summary.append", {**repo, **params})


def build_context_from_memory(repo_hash: str, max_chars: int, *, branch_scope: BranchScope | None = None) -> str:
    """Packs a repository's memory into a text.

    Parameters
    ----------
    repo_hash : str
        The repository, as `store.repo.identify` returns it.
    max_chars : int
        The longest text, in Unicode scalar values.
    branch_scope : {"perBranch", "sharedRepo"}, optional
        Whose memory a branch reads and writes, for this call. Default: as configured.

    Returns
    -------
    str
        The context pack, as Markdown; empty when nothing is stored.

    Raises
    ------
    ValidationError
        An argument is not what it should be.
    LockAcquisitionError
        A lock was not free within the configured time.
    ParseError
        A stored file is damaged; it was left as it is.
    FormatTooNew
        A file was written by a newer loopmem; it was left as it is.
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
