"""The methods of an asynchronous store, grouped by module."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

from ._caller import AsyncCaller, Cancel, cast, overload, path_text
from ._offsets import in_code_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal

    from typing_extensions import Self

    from . import _adapter as a
    from . import _types as t


class RepoApi:
    """The methods `repo.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def identify(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        branch: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoIdentity:
        """Identifies the repository that a folder belongs to.

        The hash under which its memory is stored, and what the hash is computed from.

        A folder outside of any repository is identified by its path. Such a hash is only valid on
        one machine.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        branch : str, optional
            The branch to identify, instead of the one that HEAD is on.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RepoIdentity
            The identity of a workspace.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "repo.identify",
            {
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "branch": branch,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RepoIdentity", result)

    async def sanitize_remote_url(
        self,
        *,
        url: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.SanitizedUrl:
        """Removes credentials, default ports, the query and the fragment from a remote URL.

        And normalizes the form of SSH URLs.

        Parameters
        ----------
        url : str
            The URL, in any form that git accepts; at most 16,384 bytes.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        SanitizedUrl
            A remote URL without credentials.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "repo.sanitizeRemoteUrl",
            {
                "url": url,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.SanitizedUrl", result)

    async def list(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.KnownRepo]:
        """Lists the repositories that have stored data, most recently modified first.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of KnownRepo
            A repository that has stored data.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        IoError
            The operating system refused to read, write or sync a file.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "repo.list",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.KnownRepo]", result)

    async def migrate(
        self,
        *,
        from_repo_hash: str,
        to_repo_hash: str,
        dry_run: bool | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Migration:
        """Copies the memory stored under one repository hash to another, after a branch was renamed.

        A folder moved or a remote changed.

        The source is not changed, nor is any record that the target already has: one with the same
        id, or a summary with the same run, step and time. The target's limits still apply: the
        oldest summaries beyond them are not copied, or are removed from the target, and are
        counted. If anything prevents the migration, nothing is copied.

        Parameters
        ----------
        from_repo_hash : str
            The hash to copy from, as `repo.identify` or `repo.list` returns it.
        to_repo_hash : str
            The hash to copy to.
        dry_run : bool, optional
            Only count what would be copied. Default: false.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Migration
            The result of a migration.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        NotFound
            Nothing is stored under the hash to copy from.
        Conflict
            Records of different kinds have the same id; nothing was copied.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "repo.migrate",
            {
                "fromRepoHash": from_repo_hash,
                "toRepoHash": to_repo_hash,
                "dryRun": dry_run,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Migration", result)


class MemoryApi:
    """The methods `memory.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoMemory:
        """Returns everything stored for a repository.

        The lists are empty if nothing is stored. With `inheritFrom`, they begin with the records of
        another branch that this one has not overridden, marked by `inheritedFrom`.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RepoMemory
            Everything stored for a repository.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.get",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RepoMemory", result)

    async def upsert_convention(
        self,
        *,
        convention: t.ConventionDraft | t.Convention,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Convention:
        """Stores a convention and returns it as stored.

        If the draft has the id of a stored convention, that convention is updated and keeps the
        fields that the draft omits; otherwise a new convention is created. Secrets are redacted.

        Parameters
        ----------
        convention : ConventionDraft or Convention
            The convention to store.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Convention
            How things are done in this repository.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            A decision or a note already has the id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.upsertConvention",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "convention": convention,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Convention", result)

    async def upsert_decision(
        self,
        *,
        decision: t.DecisionDraft | t.Decision,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Decision:
        """Stores a decision and returns it as stored.

        If the draft has the id of a stored decision, that decision is updated and keeps the fields
        that the draft omits; otherwise a new decision is created. Secrets are redacted.

        Parameters
        ----------
        decision : DecisionDraft or Decision
            The decision to store.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Decision
            What was decided, and why.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            A convention or a note already has the id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.upsertDecision",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "decision": decision,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Decision", result)

    async def upsert_note(
        self,
        *,
        note: t.NoteDraft | t.Note,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Note:
        """Stores a note and returns it as stored.

        If the draft has the id of a stored note, that note is updated and keeps the fields that the
        draft omits; otherwise a new note is created. Secrets are redacted.

        Parameters
        ----------
        note : NoteDraft or Note
            The note to store.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Note
            Anything else worth remembering.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            A convention or a decision already has the id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.upsertNote",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "note": note,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Note", result)

    async def list(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        kind: Literal["convention", "decision", "note"] | None = None,
        tag: str | None = None,
        path: str | None = None,
        text: str | None = None,
        query: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.MemoryRecord]:
        """Returns the conventions, decisions and notes that match every given filter, oldest first within each kind.

        Or with a query the most relevant first. They include those that the branch inherits: see
        `memory.get`.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        kind : {"convention", "decision", "note"}, optional
            Only records of this kind.
        tag : str, optional
            Only conventions with this tag.
        path : str, optional
            Only decisions whose `impactedPaths` contain this path or a folder above it.
        text : str, optional
            Only records with this text in one of their fields, ignoring case.
        query : str, optional
            Only records that share words with this text, the most relevant first, ranked as in
            `items.recall`.
        limit : int, optional
            The maximum number of records. Default: all.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of MemoryRecord
            A record of `memory.json`, and its kind.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.list",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "kind": kind,
                "tag": tag,
                "path": path,
                "text": text,
                "query": query,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.MemoryRecord]", result)

    async def remove(
        self,
        *,
        id: str,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed:
        """Removes the convention, decision or note with this id.

        Parameters
        ----------
        id : str
            The record's id.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "memory.remove",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "id": id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Removed", result)


class SummaryApi:
    """The methods `summary.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def append(
        self,
        *,
        run_id: str,
        step_id: str,
        summary: str,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tags: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Summary:
        """Appends the summary of a workflow step and returns it as stored.

        Secrets are redacted.

        A repository keeps at most `memory.summariesMaxEntries` summaries in at most
        `memory.summariesMaxBytes` bytes; beyond either limit the oldest are removed, but never the
        newest.

        Parameters
        ----------
        run_id : str
            The id of the workflow run.
        step_id : str
            The id of the step within the run.
        summary : str
            One paragraph: what happened, important outputs, and what remains to be done. A line
            break becomes a space. At most `memory.summaryMaxBytes` (65,536) bytes.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        tags : sequence of str, optional
            Tags to find the summary by. Default: none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "summary.append",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "runId": run_id,
                "stepId": step_id,
                "summary": summary,
                "tags": tags,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Summary", result)

    async def end_step(
        self,
        *,
        run_id: str,
        step_id: str,
        events: Sequence[t.StepEvent],
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tags: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Summary:
        """Ends a workflow step.

        Condenses its events into one paragraph, without a model, and appends it as `summary.append`
        does.

        The paragraph lists actions, outputs, errors and follow-ups, each event once, in at most
        4,000 bytes. It says how many events were left out for lack of space. The same events always
        produce the same paragraph.

        Parameters
        ----------
        run_id : str
            The id of the workflow run.
        step_id : str
            The id of the step within the run.
        events : sequence of StepEvent
            What happened, in order. At least one event.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        tags : sequence of str, optional
            Tags to find the summary by. Default: none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "summary.endStep",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "runId": run_id,
                "stepId": step_id,
                "events": events,
                "tags": tags,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Summary", result)

    async def list(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        run_id: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Summary]:
        """Returns a repository's step summaries, newest first, or with a query the most relevant first.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        run_id : str, optional
            Only summaries of this run.
        tag : str, optional
            Only summaries with this tag.
        limit : int, optional
            The maximum number of summaries. Default: all.
        query : str, optional
            Only summaries that share words with this text, the most relevant first, ranked as in
            `items.recall`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "summary.list",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "runId": run_id,
                "tag": tag,
                "limit": limit,
                "query": query,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.Summary]", result)


class ContextApi:
    """The methods `context.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def build(
        self,
        *,
        max_chars: int,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        prompt: str | None = None,
        sections: Sequence[
            Literal["conventions", "decisions", "notes", "summaries", "context", "log", "recalled", "rollouts", "map"]
        ]
        | t.ContextSizes
        | None = None,
        focus_files: Sequence[str] | None = None,
        scope_id: str | None = None,
        temporary: bool | None = None,
        embedding: Sequence[float] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ContextPack:
        """Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.

        Conventions, decisions and notes come first, oldest first within each kind, followed by step
        summaries, newest first. If there are summaries, 40 % of `maxChars` is reserved for them, or
        more if the newest one needs it, so that what comes before them stays the same as steps are
        added; likewise 10 % each for the context and the log of a working scope, 15 % for recalled
        items and 25 % for the map of the repository's files, together at most 60 %. What one of
        these leaves unused goes to those after it; the map is made for all that is left.
        Conventions, decisions and notes divide the rest equally; what one of them leaves unused
        goes to the others. A record is included whole or not at all. What is left out is the oldest
        or, with a prompt, the least relevant, and the last line of the text says so: `12 older
        notes left out`. The same state produces the same bytes in every language.

        Records are data: headings in them are demoted, and nothing in them can look like a section.
        They carry their ids, shortened to at least 6 characters, in brackets. What several records
        of a section say is shown once.

        Parameters
        ----------
        max_chars : int
            The maximum length of the pack, in Unicode scalar values.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: as
            configured.
        prompt : str, optional
            What the agent is about to do. Records that are relevant for it are included before
            others, ranked as in `items.recall`; recallable items join them in the section
            `recalled`, and the map of the files that matter for it in the section `map`, as of
            `index.map`.
        sections : sequence of str or ContextSizes, optional
            The sections to include: a list of their names, or an object of their sizes by name. A
            size above 0 and up to 1 is a share of `maxChars`: `1` is all of it. What one section
            leaves unused of its share goes to those after it. A whole number above 1 is a number of
            characters, which the section never exceeds. Sizes that exceed `maxChars` in sum are
            reduced in proportion. Default: all.
        focus_files : sequence of str, optional
            Files that the agent is working on. Records about them are relevant, and the map begins
            with them.
        scope_id : str, optional
            The working scope whose context and latest log entries join the pack in the sections
            `context` and `log`. With a prompt, relevant ones are included before others. Default:
            none.
        temporary : bool, optional
            Whether memory is bypassed: nothing is read, and the pack is empty. Default: false.
        embedding : sequence of float, optional
            The embedding vector of the prompt, which is compared with those of recallable items and
            of the log's entries; made by the same model. `Unsupported` if neither is in the pack.
            Default: they are compared by their words.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ContextPack
            A context pack and a list of its contents.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "context.build",
            {
                "repoHash": repo_hash,
                "workspace": path_text(workspace),
                "branchScope": branch_scope,
                "maxChars": max_chars,
                "prompt": prompt,
                "sections": sections,
                "focusFiles": focus_files,
                "scopeId": scope_id,
                "temporary": temporary,
                "embedding": embedding,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ContextPack", result)


class WorkingApi:
    """The methods `working.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get_context(
        self,
        *,
        scope_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]:
        """Returns the context of a scope, or `{}` if it has none.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.getContext",
            {
                "scopeId": scope_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("dict[str, t.JsonValue]", result)

    async def update_context(
        self,
        *,
        scope_id: str,
        patch: Mapping[str, object],
        remove: Sequence[str] | None = None,
        source: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]:
        """Updates the context of a scope and returns the new context.

        Each value of the patch replaces the whole previous value of that name; null is stored as
        null. Secrets are redacted. The change is recorded in the scope's history.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        patch : mapping
            The values to set, by name.
        remove : sequence of str, optional
            The names to remove, before the values are set.
        source : str, optional
            Who makes the change, for the history.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.updateContext",
            {
                "scopeId": scope_id,
                "patch": patch,
                "remove": remove,
                "source": source,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("dict[str, t.JsonValue]", result)

    async def add_log(
        self,
        *,
        scope_id: str,
        entry: t.MemoryEntryDraft | t.MemoryEntry,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MemoryEntry:
        """Adds an entry to the log of a scope and returns it as stored.

        Secrets are redacted.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        entry : MemoryEntryDraft or MemoryEntry
            The entry to add.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        MemoryEntry
            A stored log entry.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.addLog",
            {
                "scopeId": scope_id,
                "entry": entry,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.MemoryEntry", result)

    async def get_logs(
        self,
        *,
        scope_id: str,
        limit: int | None = None,
        after: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        limit : int, optional
            The maximum number of entries: the last ones or, with `after`, the first ones that
            follow. Default: all.
        after : str, optional
            Only entries that follow the one with this id.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of MemoryEntry
            A stored log entry.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        NotFound
            The log has no entry with the id in `after`.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.getLogs",
            {
                "scopeId": scope_id,
                "limit": limit,
                "after": after,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.MemoryEntry]", result)

    async def search_logs(
        self,
        *,
        scope_id: str,
        embedding: Sequence[float] | None = None,
        text: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.ScoredEntry]:
        """Searches the log of a scope by embedding or by text, and returns the best matches first.

        Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity,
        without an approximate index; entries without an embedding, or with one of a different
        length, are skipped. Texts are ranked by BM25; entries that share no word with the query are
        skipped.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        embedding : sequence of float, optional
            The embedding to compare with.
        text : str, optional
            The words to search for.
        limit : int, optional
            The maximum number of entries. Default: 10.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of ScoredEntry
            A search result.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.searchLogs",
            {
                "scopeId": scope_id,
                "embedding": embedding,
                "text": text,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.ScoredEntry]", result)

    async def save_checkpoint(
        self,
        *,
        job_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Checkpoint:
        """Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Checkpoint
            A checkpoint of a job.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.saveCheckpoint",
            {
                "jobId": job_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Checkpoint", result)

    async def restore_checkpoint(
        self,
        *,
        job_id: str,
        timestamp: int,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]:
        """Replaces the context of a job with the one saved in a checkpoint, and returns it.

        The scope's history keeps the replaced context (`replaced`), so that the restore can be
        undone.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timestamp : int
            The checkpoint's timestamp.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        NotFound
            The job has no checkpoint with this timestamp.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.restoreCheckpoint",
            {
                "jobId": job_id,
                "timestamp": timestamp,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("dict[str, t.JsonValue]", result)

    async def list_checkpoints(
        self,
        *,
        job_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of int

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.listCheckpoints",
            {
                "jobId": job_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[int]", result)

    async def delete_checkpoint(
        self,
        *,
        job_id: str,
        timestamp: int,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed:
        """Deletes a checkpoint.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timestamp : int
            The checkpoint's timestamp.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.deleteCheckpoint",
            {
                "jobId": job_id,
                "timestamp": timestamp,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Removed", result)

    async def history(
        self,
        *,
        scope_id: str,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.TrailEntry]:
        """Returns the history of a scope: the changes to its context, oldest first.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        limit : int, optional
            The maximum number of changes: the last ones. Default: all.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of TrailEntry
            One change of a context.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.history",
            {
                "scopeId": scope_id,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.TrailEntry]", result)

    async def list_scopes(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[str]:
        """Returns the ids of all scopes that have stored data, sorted.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of str

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        AdapterError
            A server or the host's adapter failed.
        Unsupported
            The adapter cannot list its keys.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.listScopes",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[str]", result)

    async def delete_scope(
        self,
        *,
        scope_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed:
        """Deletes everything stored for a scope: its context, history, log and checkpoints.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        Conflict
            The id is already in use, or the data was changed concurrently.
        AdapterError
            A server or the host's adapter failed.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "working.deleteScope",
            {
                "scopeId": scope_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Removed", result)


class ItemsApi:
    """The methods `items.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def add(
        self,
        *,
        scope: Literal["repo", "dir", "global"],
        type: Literal["pref", "fact", "instruction", "profile", "note"],
        content: str,
        tags: Sequence[str] | None = None,
        relevance_hints: t.RelevanceHints | None = None,
        expiry: str | None = None,
        session: str | None = None,
        seq: int | None = None,
        embedding: Sequence[float] | None = None,
        recallable: bool | None = None,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item:
        """Adds an item and returns it as stored.

        An item that contains a secret is refused: the error names the rule and the field. With
        `force`, the item is stored with the secret redacted.

        Parameters
        ----------
        scope : {"repo", "dir", "global"}
            Where it applies: in the repository, in a folder, or everywhere.
        type : {"pref", "fact", "instruction", "profile", "note"}
            What kind of memory it is.
        content : str
            The memory, in one or a few sentences. At most `items.maxContentChars` (240) characters.
        tags : sequence of str, optional
            Tags to find it by. Items with the tag `history` are never recalled. Default: none.
        relevance_hints : RelevanceHints, optional
            When it is relevant. Default: no hints.
        expiry : str, optional
            When it expires: an RFC 3339 time, or a duration from now such as `12h`, `30d`, `2w` or
            `1y`. Default: never.
        session : str, optional
            The session that it was said in. Default: none.
        seq : int, optional
            Its position in the session. Default: the time of its creation.
        embedding : sequence of float, optional
            Its embedding vector. Default: none.
        recallable : bool, optional
            False for an item that is kept but never recalled. Default: true.
        force : bool, optional
            Whether a secret is redacted instead of refused. Default: false.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.add",
            {
                "scope": scope,
                "type": type,
                "content": content,
                "tags": tags,
                "relevance_hints": relevance_hints,
                "expiry": expiry,
                "session": session,
                "seq": seq,
                "embedding": embedding,
                "recallable": recallable,
                "force": force,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Item", result)

    async def get(
        self,
        *,
        id: str,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item:
        """Returns the item with an id, and how often it was recalled and used.

        Parameters
        ----------
        id : str
            The id of the item.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.get",
            {
                "id": id,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Item", result)

    async def sweep(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Item]:
        """Archives the items that have expired, and returns them.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.sweep",
            {
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.Item]", result)

    async def list(
        self,
        *,
        scope: Literal["repo", "dir", "global"] | None = None,
        status: Literal["active", "archived"] | None = None,
        type: Literal["pref", "fact", "instruction", "profile", "note"] | None = None,
        tag: str | None = None,
        text: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Item]:
        """Returns items.

        Those of the repository, of the folder and those above it, and the global ones; oldest first
        in each of them.

        Parameters
        ----------
        scope : {"repo", "dir", "global"}, optional
            Only items of this scope.
        status : {"active", "archived"}, optional
            Only items with this status.
        type : {"pref", "fact", "instruction", "profile", "note"}, optional
            Only items of this type.
        tag : str, optional
            Only items with this tag.
        text : str, optional
            Only items with this text in their content, tags or hints, ignoring case.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.list",
            {
                "scope": scope,
                "status": status,
                "type": type,
                "tag": tag,
                "text": text,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.Item]", result)

    async def update(
        self,
        *,
        id: str,
        patch: t.ItemPatch,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item:
        """Changes an item and returns it as stored.

        As in `items.add`, a secret is refused unless `force` is set.

        Parameters
        ----------
        id : str
            The id of the item.
        patch : ItemPatch
            The change.
        force : bool, optional
            Whether a secret is redacted instead of refused. Default: false.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.update",
            {
                "id": id,
                "patch": patch,
                "force": force,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Item", result)

    async def archive(
        self,
        *,
        id: str,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item:
        """Archives an item and returns it: it is kept, but not recalled.

        Parameters
        ----------
        id : str
            The id of the item.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.archive",
            {
                "id": id,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Item", result)

    async def restore(
        self,
        *,
        id: str,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item:
        """Makes an archived item active again, and returns it.

        If it has expired, it no longer expires.

        Parameters
        ----------
        id : str
            The id of the item.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Item
            A memory that comes back when it matters.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.restore",
            {
                "id": id,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Item", result)

    async def remove(
        self,
        *,
        id: str,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed:
        """Removes an item.

        Parameters
        ----------
        id : str
            The id of the item.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.remove",
            {
                "id": id,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Removed", result)

    async def recall(
        self,
        *,
        prompt: str,
        files: Sequence[str] | None = None,
        crates: Sequence[str] | None = None,
        langs: Sequence[str] | None = None,
        limit: int | None = None,
        max_chars: int | None = None,
        max_tokens: int | None = None,
        temporary: bool | None = None,
        embedding: Sequence[float] | None = None,
        preview: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Recall:
        """Recalls the items that matter for a prompt, the most relevant first.

        And returns them as text to be put into it.

        Candidates are the items of the repository, of the folder and those above it; if fewer than
        `recall.minRepoCandidates` (8) of them match, the global ones join them. They are ranked by
        the words that they share with the prompt, by the files, packages and languages that the
        agent is working with, by what was said next to them in the same session, and slightly by
        how recently they were changed and how often they were used. What matches in none of the
        first is left out. Archived and expired items are never recalled.

        The text quotes the items, so that they cannot be mistaken for instructions of the host.

        Parameters
        ----------
        prompt : str
            What the agent is about to do.
        files : sequence of str, optional
            The files that the agent is working on, relative to the repository or absolute. Default:
            none.
        crates : sequence of str, optional
            The packages that the agent is working on. Default: none.
        langs : sequence of str, optional
            The programming languages in use. Default: none.
        limit : int, optional
            The maximum number of items, at most 1,000. Default: `recall.limit` (8).
        max_chars : int, optional
            The maximum length of the text, in Unicode scalar values. Default: `recall.maxChars`
            (1,200), or no limit if there is one in tokens.
        max_tokens : int, optional
            The maximum length of the text, in tokens: as the host's tokenizer counts them, else an
            estimate that is rather too high. Default: no limit.
        temporary : bool, optional
            Whether memory is bypassed: nothing is read or written, and nothing is returned.
            Default: false.
        embedding : sequence of float, optional
            The embedding vector of the prompt, which is compared with those of the items; made by
            the same model. Default: items are compared by their words.
        preview : bool, optional
            Whether the result is only looked at: the returned items are not counted as seen.
            Default: false.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Recall
            What a recall returns.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.recall",
            {
                "prompt": prompt,
                "files": files,
                "crates": crates,
                "langs": langs,
                "limit": limit,
                "maxChars": max_chars,
                "maxTokens": max_tokens,
                "temporary": temporary,
                "embedding": embedding,
                "preview": preview,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Recall", result)

    async def used(
        self,
        *,
        ids: Sequence[str],
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.UsedItems:
        """Counts that the host used items, which lifts them slightly in later recalls.

        Parameters
        ----------
        ids : sequence of str
            The ids of the items.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        UsedItems
            How many items were counted.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.used",
            {
                "ids": ids,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.UsedItems", result)

    async def export(
        self,
        *,
        scope: Literal["repo", "dir", "global"] | None = None,
        path: str | os.PathLike[str] | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ExportedItems:
        """Returns items with their counts, or writes them to a new file, one per line, as `items.import` takes them.

        Parameters
        ----------
        scope : {"repo", "dir", "global"}, optional
            Only items of this scope.
        path : str or os.PathLike, optional
            The file to create. Default: the items are returned.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ExportedItems
            Exported items.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.export",
            {
                "scope": scope,
                "path": path_text(path),
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ExportedItems", result)

    async def import_(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        items: Sequence[Mapping[str, object]] | None = None,
        scope: Literal["repo", "dir", "global"] | None = None,
        on_conflict: Literal["newer", "keep", "replace"] | None = None,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ImportedItems:
        """Imports items from a file with one item per line, as JSON, or from a list.

        Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line
        that is damaged or too long is skipped and named, as is one with a secret, unless `force`
        redacts it.

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file to read.
        items : sequence of dict, optional
            The items, instead of a file.
        scope : {"repo", "dir", "global"}, optional
            The scope of all items. Default: the scope that each one says, else `repo`.
        on_conflict : {"newer", "keep", "replace"}, optional
            What happens to an item whose id is stored already: the one that was changed last is
            kept, the stored one is kept, or it is replaced. Default: `newer`.
        force : bool, optional
            Whether secrets are redacted; otherwise an item with one is skipped. Default: false.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ImportedItems
            The result of an import.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.import",
            {
                "path": path_text(path),
                "items": items,
                "scope": scope,
                "onConflict": on_conflict,
                "force": force,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ImportedItems", result)

    async def migrate(
        self,
        *,
        to: Literal["jsonl", "sqlite"],
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedItems:
        """Copies the items of all scopes from the other backend to this one, byte for byte and in their order.

        The source stays as it is, and so does what the target has already. Afterwards, set
        `CODEX_MEMORY_BACKEND` or open the store with `itemsBackend`.

        Parameters
        ----------
        to : {"jsonl", "sqlite"}
            The backend to copy to.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        MigratedItems
            The result of a migration.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.migrate",
            {
                "to": to,
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.MigratedItems", result)

    async def migrate_legacy(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedLegacyItems:
        """Copies the memories of older programs.

        `*.jsonl` in the folder `memory` of the Codex home become global items, and
        `.codex/memory/memory.jsonl` of the repository becomes items of the repository.

        Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag
        `history` and never recalled. Secrets are redacted. Lines that cannot be read are named, and
        the files stay as they are; copying them twice is the same as once.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        MigratedLegacyItems
            The result of a migration of older files.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.migrateLegacy",
            {
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.MigratedLegacyItems", result)

    async def stats(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ItemStats:
        """Counts the items.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        dir : str or os.PathLike, optional
            The folder for items of the scope `dir`, relative to the workspace or absolute; those of
            the folders above it apply too. Default: the workspace.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ItemStats
            How many items there are.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "items.stats",
            {
                "workspace": path_text(workspace),
                "dir": path_text(dir),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ItemStats", result)


class RolloutsApi:
    """The methods `rollouts.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def upsert_thread(
        self,
        *,
        id: str,
        rollout_path: str | os.PathLike[str],
        updated_at: str,
        cwd: str | os.PathLike[str],
        source: str,
        git_branch: str | None = None,
        mode: Literal["enabled", "disabled", "polluted"] | None = None,
        archived: bool | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Thread:
        """Registers a session, or what changed about it, and returns it as stored.

        Nothing is stored of a session that was forgotten.

        Parameters
        ----------
        id : str
            The id of the session.
        rollout_path : str or os.PathLike
            The path of its transcript: a rollout of Codex, or a session of Claude Code.
        updated_at : str
            When it changed last, as an RFC 3339 time.
        cwd : str or os.PathLike
            Its working folder; empty if it is unknown.
        source : str
            Where it was held, such as `cli`. Only those in `rollouts.interactiveSources` are
            extracted.
        git_branch : str, optional
            The branch that was checked out. Default: none.
        mode : {"enabled", "disabled", "polluted"}, optional
            Whether its memory may be extracted. Default: as before, and `enabled` for a new
            session.
        archived : bool, optional
            Whether the user archived it. Default: as before, and false for a new session.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Thread
            A session as it is registered.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.upsertThread",
            {
                "id": id,
                "rolloutPath": path_text(rollout_path),
                "updatedAt": updated_at,
                "cwd": path_text(cwd),
                "source": source,
                "gitBranch": git_branch,
                "mode": mode,
                "archived": archived,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Thread", result)

    async def scan(
        self,
        *,
        kinds: Sequence[Literal["codex", "claude"]] | None = None,
        roots: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ScannedTranscripts:
        """Finds transcripts and registers their sessions.

        Rollouts of Codex below `sessions` and `archived_sessions` in the Codex home, and sessions
        of Claude Code below `projects` in `CLAUDE_CONFIG_DIR` or `~/.claude`.

        A transcript that did not change since the last scan is not read; of one that did, only its
        beginning and its end are.

        Parameters
        ----------
        kinds : sequence of {"codex", "claude"}, optional
            Whose transcripts. Default: those of all.
        roots : sequence of str, optional
            The folders to search instead. Default: those above.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ScannedTranscripts
            What a scan found.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.scan",
            {
                "kinds": kinds,
                "roots": roots,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ScannedTranscripts", result)

    async def input(
        self,
        *,
        thread_id: str,
        max_tokens: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Stage1Input:
        """Returns what a model should read of a session.

        Its transcript, with the instructions and the schema of the answer.

        The transcript is redacted and without the texts of the system and the developer. It is
        fitted to the budget by importance, what people said and final answers first, and is in the
        order of the session.

        Parameters
        ----------
        thread_id : str
            The session.
        max_tokens : int, optional
            The maximum length of the transcript, in tokens of three bytes; at least 100. Default:
            `rollouts.inputMaxTokens`, and half of it after each failed attempt.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Stage1Input
            What a model is asked to read of one thread.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.input",
            {
                "threadId": thread_id,
                "maxTokens": max_tokens,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Stage1Input", result)

    async def claim_stage1(
        self,
        *,
        worker_id: str,
        limit: int | None = None,
        current_thread_id: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Stage1Claims:
        """Claims sessions whose memory is due to be extracted, the newest first.

        A session is due when it has been idle for 12 hours, is at most 30 days old, and changed
        since its memory was extracted. A claim ends after an hour unless it is renewed, and spends
        one of three attempts, which a change of the session refills. At most 64 sessions are
        claimed at once.

        Parameters
        ----------
        worker_id : str
            Who claims them, for the status.
        limit : int, optional
            The maximum number of sessions. Default: as many as may be claimed.
        current_thread_id : str, optional
            The session that the caller is in, which is never claimed. Default: none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Stage1Claims
            The claims of a call.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.claimStage1",
            {
                "workerId": worker_id,
                "limit": limit,
                "currentThreadId": current_thread_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Stage1Claims", result)

    async def heartbeat(
        self,
        *,
        kind: Literal["stage1", "consolidation"],
        ownership_token: str,
        thread_id: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RenewedLease:
        """Renews a claim.

        `LeaseLost` if it is not the caller's anymore: the caller should drop its work.

        Parameters
        ----------
        kind : {"stage1", "consolidation"}
            What the claim is of.
        ownership_token : str
            The token of the claim.
        thread_id : str, optional
            The session, for the claim of one. Default: none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RenewedLease
            When a claim ends.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.heartbeat",
            {
                "kind": kind,
                "threadId": thread_id,
                "ownershipToken": ownership_token,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RenewedLease", result)

    async def complete_stage1(
        self,
        *,
        thread_id: str,
        ownership_token: str,
        output: str | t.Stage1Answer,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.CompletedStage1:
        """Stores what a model made of a claimed session.

        `LeaseLost` if the claim is not the caller's anymore: nothing is written.

        An output whose texts are all empty is a success: what was stored of the session is removed.
        Secrets are redacted.

        Parameters
        ----------
        thread_id : str
            The session.
        ownership_token : str
            The token of the claim.
        output : str or Stage1Answer
            The answer, or a text that contains it, in a fence or between other words.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        CompletedStage1
            What a completed claim left.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.completeStage1",
            {
                "threadId": thread_id,
                "ownershipToken": ownership_token,
                "output": output,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.CompletedStage1", result)

    async def fail_stage1(
        self,
        *,
        thread_id: str,
        ownership_token: str,
        reason: str,
        retry_after_secs: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.FailedJob:
        """Records that the work on a claimed session failed.

        It is due again later, unless its attempts are spent.

        Parameters
        ----------
        thread_id : str
            The session.
        ownership_token : str
            The token of the claim.
        reason : str
            Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        retry_after_secs : int, optional
            When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs`
            (3,600).
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        FailedJob
            What a failed attempt left.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.failStage1",
            {
                "threadId": thread_id,
                "ownershipToken": ownership_token,
                "reason": reason,
                "retryAfterSecs": retry_after_secs,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.FailedJob", result)

    async def materialize(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MaterializedFiles:
        """Brings the files under the memory root up to date.

        `rollout_summaries/` with a file a session, and `raw_memories.md`.

        They are a function of what is stored: only files whose contents change are written. A file
        that somebody else changed or created is set aside before it is replaced.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        MaterializedFiles
            What a rebuild of the files changed. Paths are relative to the memory root.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.materialize",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.MaterializedFiles", result)

    async def claim_consolidation(
        self,
        *,
        worker_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ConsolidationClaim:
        """Claims the consolidation of what sessions left, if there is anything new.

        One worker has it at a time, for an hour unless it renews its claim.

        The claim comes with the inputs, what changed since the last consolidation, the files that
        somebody edited since, and the instructions for the model. The files that it reads are up to
        date.

        Parameters
        ----------
        worker_id : str
            Who claims it, for the status.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ConsolidationClaim
            The claim of the consolidation.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.claimConsolidation",
            {
                "workerId": worker_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ConsolidationClaim", result)

    async def complete_consolidation(
        self,
        *,
        ownership_token: str,
        written: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.CompletedConsolidation:
        """Ends a consolidation with success.

        Parameters
        ----------
        ownership_token : str
            The token of the claim.
        written : sequence of str, optional
            The files that the worker wrote or removed, relative to the memory root. Any other file
            that changed meanwhile was edited by somebody else, which makes another consolidation
            due. Default: unknown; then changes to `MEMORY.md`, `memory_summary.md` and `skills/`
            may be either, and are listed as edited in the next claim.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        CompletedConsolidation
            What a completed consolidation left.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.completeConsolidation",
            {
                "ownershipToken": ownership_token,
                "written": written,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.CompletedConsolidation", result)

    async def fail_consolidation(
        self,
        *,
        ownership_token: str,
        reason: str,
        retry_after_secs: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.FailedJob:
        """Records that a consolidation failed.

        New work does not shorten the wait for the next attempt.

        Parameters
        ----------
        ownership_token : str
            The token of the claim.
        reason : str
            Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        retry_after_secs : int, optional
            When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs`
            (3,600).
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        FailedJob
            What a failed attempt left.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.failConsolidation",
            {
                "ownershipToken": ownership_token,
                "reason": reason,
                "retryAfterSecs": retry_after_secs,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.FailedJob", result)

    async def run(
        self,
        *,
        stage1_command: Sequence[str],
        consolidate_command: Sequence[str] | None = None,
        limit: int | None = None,
        command_timeout_secs: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RolloutsRun:
        """Works on every session that is due, and then consolidates, with external commands as the model.

        A command gets one JSON object on standard input and writes its answer to standard output;
        `docs/ROLLOUTS.md` has the members. One that fails, takes too long or answers nonsense fails
        its session, which is tried again later. After three failures in a row, the other sessions
        are left for the next run. A command that cannot be started, or that ends with exit status
        127, is a `ValidationError` and spends no attempt.

        Parameters
        ----------
        stage1_command : sequence of str
            The program that extracts, and its arguments.
        consolidate_command : sequence of str, optional
            The program that consolidates, and its arguments. Default: nothing is consolidated.
        limit : int, optional
            The maximum number of sessions. Default: all that are due.
        command_timeout_secs : int, optional
            How long a command may take, in seconds; at most 86,400. Default: 600.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RolloutsRun
            What a run did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.run",
            {
                "stage1Command": stage1_command,
                "consolidateCommand": consolidate_command,
                "limit": limit,
                "commandTimeoutSecs": command_timeout_secs,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RolloutsRun", result)

    async def status(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RolloutsStatus:
        """Returns how many sessions and jobs are in which state, when the next one is due.

        And how the consolidation is.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RolloutsStatus
            How far all threads are.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.status",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RolloutsStatus", result)

    async def list(
        self,
        *,
        reasons: Sequence[
            Literal[
                "due",
                "capReached",
                "running",
                "upToDate",
                "notIdle",
                "tooOld",
                "archived",
                "transcriptMissing",
                "notInteractive",
                "disabled",
                "polluted",
                "backoff",
                "exhausted",
                "reset",
                "forgotten",
                "notRegistered",
            ]
        ]
        | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ThreadList:
        """Returns the registered sessions, the one that changed last first, each with why it is or is not extracted.

        Parameters
        ----------
        reasons : sequence of str, optional
            Only sessions with one of these reasons. Default: all.
        limit : int, optional
            The maximum number of sessions, at least 1. Default: 50.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ThreadList
            Some of the registered threads.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.list",
            {
                "reasons": reasons,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ThreadList", result)

    async def explain(
        self,
        *,
        thread_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ThreadExplanation:
        """Returns why a session is or is not extracted, with its job and its output.

        Parameters
        ----------
        thread_id : str
            The session.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ThreadExplanation
            Why a thread is or is not extracted.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.explain",
            {
                "threadId": thread_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ThreadExplanation", result)

    async def retry(
        self,
        *,
        thread_ids: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RetriedRollouts:
        """Makes sessions that failed due again: their attempts are refilled and their waits end.

        Parameters
        ----------
        thread_ids : sequence of str, optional
            The sessions. Default: all that failed, and the consolidation if it did.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RetriedRollouts
            What is due again.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.retry",
            {
                "threadIds": thread_ids,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RetriedRollouts", result)

    async def record_usage(
        self,
        *,
        thread_ids: Sequence[str],
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RecordedUsage:
        """Counts that the memory of sessions was used, such as when it is cited.

        What is used often and recently is consolidated first.

        Parameters
        ----------
        thread_ids : sequence of str
            The sessions, each of which counts once.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RecordedUsage
            How many sessions were counted.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.recordUsage",
            {
                "threadIds": thread_ids,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RecordedUsage", result)

    async def set_mode(
        self,
        *,
        thread_id: str,
        mode: Literal["enabled", "disabled", "polluted"],
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Thread:
        """Sets whether the memory of a session may be extracted and shown.

        If something was extracted, another consolidation is due, and the next
        `rollouts.materialize` adds or removes its files.

        Parameters
        ----------
        thread_id : str
            The session.
        mode : {"enabled", "disabled", "polluted"}
            Whether its memory may be extracted.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Thread
            A session as it is registered.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.setMode",
            {
                "threadId": thread_id,
                "mode": mode,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Thread", result)

    async def forget(
        self,
        *,
        thread_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ForgottenThread:
        """Removes everything that is stored of a session, and its files.

        It is never extracted again. If it was part of the last consolidation, another one is due.

        Parameters
        ----------
        thread_id : str
            The session.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ForgottenThread
            What was removed of one session.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.forget",
            {
                "threadId": thread_id,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ForgottenThread", result)

    async def reset(
        self,
        *,
        reextract: bool | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ResetRollouts:
        """Clears outputs and jobs, and the files made of them.

        Sessions, their modes and what was forgotten stay. What a consolidation wrote stays too.

        Parameters
        ----------
        reextract : bool, optional
            Whether sessions are due again at once. Default: false; each is due when it changes.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        ResetRollouts
            What was cleared.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.reset",
            {
                "reextract": reextract,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.ResetRollouts", result)

    async def migrate_legacy_root(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedLegacyRoot:
        """Moves the memory of an older program from `memories/user/memory` to the memory root, once.

        If the root holds no other memory. Nothing is overwritten, and the folders for single
        working folders stay where they are.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        MigratedLegacyRoot
            What was moved to the memory root.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "rollouts.migrateLegacyRoot",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.MigratedLegacyRoot", result)


class BranchApi:
    """The methods `branch.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def parse_config(
        self,
        *,
        config: object | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchMemories:
        """Reads the configuration of memories and returns each with its folder, its branch and its limits.

        Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless
        `branch-name` says otherwise.

        Parameters
        ----------
        config : object, optional
            The configuration: its value (a boolean, an object or a list), an object that has it
            under `repo-memory` or `tools.repo-memory`, or a text in YAML or JSON with one of them,
            such as a workflow with front matter. Default: `true`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchMemories
            The memories of a configuration.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.parseConfig",
            {
                "config": config,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchMemories", result)

    async def checkout(
        self,
        *,
        entry: object | None = None,
        directory: str | os.PathLike[str] | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchCheckout:
        """Brings the folder of a memory up to date with its branch, and returns the commit that its files come from.

        Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges
        them. If the branch does not exist, the folder is created, and the first push creates the
        branch; if `create-orphan` is false, that is an error. The user's own git does the network
        work. Reports its progress in two steps.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        directory : str or os.PathLike, optional
            The folder. Default: that of the memory.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchCheckout
            The folder of a memory after a checkout.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.checkout",
            {
                "entry": entry,
                "directory": path_text(directory),
                "repoDir": path_text(repo_dir),
                "remote": remote,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchCheckout", result)

    async def validate(
        self,
        *,
        entry: object | None = None,
        directory: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchValidation:
        """Checks the files in the folder of a memory against its rules, and returns every fault with its path.

        Rule and limit.

        `branch.push` makes the same checks first. In addition, it looks for secrets in the files,
        and checks the files together with those that others have pushed.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        directory : str or os.PathLike, optional
            The folder. Default: that of the memory.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchValidation
            The result of a validation.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.validate",
            {
                "entry": entry,
                "directory": path_text(directory),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchValidation", result)

    async def push(
        self,
        *,
        entry: object | None = None,
        directory: str | os.PathLike[str] | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        base: str | None = None,
        run_id: str | None = None,
        message: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPush:
        """Commits the files in the folder of a memory to its branch, merged with what others pushed meanwhile.

        And brings the folder up to date.

        Removed and renamed files are removed and renamed on the branch too. Where both sides
        changed the same thing, the folder wins, and `conflicts` says where the other version is.
        Secrets in texts are redacted. Nothing is pushed if a file breaks a rule, alone or together
        with those of others. If the repository cannot be reached or does not take the push, or
        others are faster every time, the call fails with a `GitError`, and the commit waits beside
        the folder for the next push. A cancelled call may have pushed (`mayBeStored`). Reports its
        progress in three steps.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        directory : str or os.PathLike, optional
            The folder. Default: that of the memory.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        base : str, optional
            The commit that the files come from, as `branch.checkout` returned it on another
            machine, or `none` if it returned null. Default: that of the last checkout or push of
            this folder.
        run_id : str, optional
            The id of the run, for the message of the commit, at most 200 bytes.
        message : str, optional
            The message of the commit, at most 4,000 bytes. Default: `Update repo memory from
            workflow run ID`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchPush
            What a push did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.push",
            {
                "entry": entry,
                "directory": path_text(directory),
                "repoDir": path_text(repo_dir),
                "remote": remote,
                "base": base,
                "runId": run_id,
                "message": message,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchPush", result)

    async def pack(
        self,
        *,
        artifact_path: str | os.PathLike[str],
        entry: object | None = None,
        directory: str | os.PathLike[str] | None = None,
        since: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPacked:
        """Writes an artifact of the files in the folder of a memory.

        One file that passes them on to another job or machine.

        It is a tar file that names the memory, the commit that its files come from, and every file
        with its hash. Secrets in texts are redacted. The same files give the same bytes.

        Parameters
        ----------
        artifact_path : str or os.PathLike
            The path of the artifact, which ends in `.tar.zst`, `.tar.gz` or `.tar`. An existing one
            is replaced.
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        directory : str or os.PathLike, optional
            The folder. Default: that of the memory.
        since : str or os.PathLike, optional
            The path of an earlier artifact, whose contents are left out.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchPacked
            An artifact that was written.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.pack",
            {
                "entry": entry,
                "directory": path_text(directory),
                "artifactPath": path_text(artifact_path),
                "since": path_text(since),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchPacked", result)

    async def unpack(
        self,
        *,
        artifact_path: str | os.PathLike[str],
        directory: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchUnpacked:
        """Brings the files of an artifact to the folder of its memory.

        Files that are the same are not written, changes in the folder stay, and the next
        `branch.push` knows the commit that the files come from. Everything in the artifact is
        checked before the first file is written.

        Parameters
        ----------
        artifact_path : str or os.PathLike
            The path of the artifact.
        directory : str or os.PathLike, optional
            The folder. Default: that of the artifact's memory on this machine.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchUnpacked
            An artifact that was unpacked.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.unpack",
            {
                "artifactPath": path_text(artifact_path),
                "directory": path_text(directory),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchUnpacked", result)

    async def snapshot(
        self,
        *,
        entry: object | None = None,
        tag: str | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchSnapshot:
        """Makes a snapshot of the branch of a memory, as it is in its repository.

        It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        tag : str, optional
            The name: 1 to 100 letters, digits, `-`, `_` and `.`. Default: the time, such as
            `20250131T120000Z`.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchSnapshot
            A named state of a branch.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.snapshot",
            {
                "entry": entry,
                "tag": tag,
                "repoDir": path_text(repo_dir),
                "remote": remote,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchSnapshot", result)

    async def snapshots(
        self,
        *,
        entry: object | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchSnapshots:
        """Returns the snapshots of the branch of a memory, newest first.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchSnapshots
            The snapshots of a branch.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.snapshots",
            {
                "entry": entry,
                "repoDir": path_text(repo_dir),
                "remote": remote,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchSnapshots", result)

    async def rollback(
        self,
        *,
        tag: str,
        entry: object | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchRollback:
        """Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the branch has.

        Nothing is lost: the commits in between stay. The next checkout or push of the folder
        changes its files.

        Parameters
        ----------
        tag : str
            The name of the snapshot.
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchRollback
            What a rollback did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.rollback",
            {
                "entry": entry,
                "tag": tag,
                "repoDir": path_text(repo_dir),
                "remote": remote,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchRollback", result)

    async def prune(
        self,
        *,
        entry: object | None = None,
        keep: int | None = None,
        max_age_days: int | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.PrunedSnapshots:
        """Removes snapshots of the branch of a memory: all but the newest, or those of a certain age.

        Without a limit, it removes none.

        Parameters
        ----------
        entry : object, optional
            The memory: its configuration, or what `branch.parseConfig` returned for it. Default:
            the memory `default`.
        keep : int, optional
            How many of the newest are kept.
        max_age_days : int, optional
            The maximum age of those that are kept, in days.
        repo_dir : str or os.PathLike, optional
            The folder of a repository with the remote. Default: the current folder, unless the
            memory names a repository.
        remote : str, optional
            The URL or the path of the repository with the branch, or the name of a remote of the
            repository. Default: the repository that the memory names, or else the only remote, or
            `origin`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        PrunedSnapshots
            The snapshots that were removed.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.prune",
            {
                "entry": entry,
                "keep": keep,
                "maxAgeDays": max_age_days,
                "repoDir": path_text(repo_dir),
                "remote": remote,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.PrunedSnapshots", result)

    async def prompt(
        self,
        *,
        config: object | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPrompt:
        """Returns the section of a prompt that describes memories to an agent: folders, branches, limits and patterns.

        Parameters
        ----------
        config : object, optional
            The configuration, as for `branch.parseConfig`. Default: `true`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchPrompt
            The section of a prompt about memories.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.prompt",
            {
                "config": config,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchPrompt", result)

    async def workflow(
        self,
        *,
        config: object | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchWorkflow:
        """Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs.

        Upload them after it, and validate and push them in a job of their own. They call the
        command `loopmem`.

        Parameters
        ----------
        config : object, optional
            The configuration, as for `branch.parseConfig`. Default: `true`.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        BranchWorkflow
            The steps of a workflow.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.workflow",
            {
                "config": config,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.BranchWorkflow", result)

    async def match(
        self,
        *,
        pattern: str,
        path: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.PatternMatch:
        """Returns whether a pattern matches the path of a file, which is relative to the folder of the memory.

        The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**`
        any text at all, and every other character stands for itself.

        Parameters
        ----------
        pattern : str
            The pattern, at most 4,096 bytes.
        path : str
            The path, with `/` between its parts.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        PatternMatch
            Whether a pattern matches a path.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "branch.match",
            {
                "pattern": pattern,
                "path": path,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.PatternMatch", result)


class IndexApi:
    """The methods `index.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def refresh(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RefreshedIndex:
        """Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by themselves.

        The index covers the files that git tracks or would offer to track. A file that has not
        changed is not read, and a content that another branch or work tree has had is not parsed
        again. Files of more than 1 MiB and binary files are not read.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RefreshedIndex
            What a refresh did.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "index.refresh",
            {
                "workspace": path_text(workspace),
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RefreshedIndex", result)

    async def map(
        self,
        *,
        max_chars: int,
        workspace: str | os.PathLike[str] | None = None,
        prompt: str | None = None,
        focus_files: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoMap:
        """Returns a map of the repository.

        The files that matter, each with the signatures of its most relevant definitions.

        Files are ranked by the words that they share with the prompt, in their text, their
        definitions and their paths, and by what the files in focus refer to. Without either, the
        map is an overview: entry points, and the definitions that most files refer to. The map
        never exceeds `maxChars`, and the same state of the files gives the same bytes.

        Parameters
        ----------
        max_chars : int
            The maximum length of the map, in Unicode scalar values.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        prompt : str, optional
            What the agent is about to do. Default: the map is an overview.
        focus_files : sequence of str, optional
            The files that the agent is working on, relative to the repository or absolute. Default:
            none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        RepoMap
            A map of a repository.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "index.map",
            {
                "workspace": path_text(workspace),
                "maxChars": max_chars,
                "prompt": prompt,
                "focusFiles": focus_files,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.RepoMap", result)

    async def symbols(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        query: str | None = None,
        path: str | None = None,
        kind: Literal[
            "function",
            "method",
            "class",
            "struct",
            "enum",
            "interface",
            "type",
            "module",
            "constant",
            "variable",
            "macro",
            "field",
            "heading",
            "table",
            "message",
            "selector",
            "key",
        ]
        | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.RepoSymbol]:
        """Returns definitions of the repository, the best matches first.

        Those whose names match `query`, or those of a file or folder in the order of the files.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        query : str, optional
            A name, or words of one. Default: all definitions.
        path : str, optional
            Only definitions of this file, or of the files below this folder, relative to the
            repository. Default: all.
        kind : str, optional
            Only definitions of this kind. Default: all.
        limit : int, optional
            The maximum number of definitions, at most 1,000. Default: 50.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of RepoSymbol
            A definition in the repository.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        SecretRefused
            A secret was found where it can neither be stored nor redacted, such as in an id.
        GitError
            The git repository could not be read or written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "index.symbols",
            {
                "workspace": path_text(workspace),
                "query": query,
                "path": path,
                "kind": kind,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.RepoSymbol]", result)


class SafetyApi:
    """The methods `safety.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def redact(
        self,
        *,
        text: str,
        patterns: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Redacted:
        """Returns a text with every secret replaced by a placeholder, and the positions of the secrets.

        A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home;
        without the home's key, a tag cannot be used to verify a guess. All other characters stay as
        they are, and redacting a redacted text does not change it. Nothing of the text is stored,
        but the first secret found creates the home's key.

        Parameters
        ----------
        text : str
            The text.
        patterns : sequence of str, optional
            Regular expressions to use for this call, in addition to those configured. If one has a
            group named `secret`, only that group is a secret.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Redacted
            A text without its secrets.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.redact",
            {
                "text": text,
                "patterns": patterns,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        in_code_points(text, result, "findings", ("start", "end"))
        return cast("t.Redacted", result)

    async def scan(
        self,
        *,
        text: str,
        patterns: Sequence[str] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.SecretFinding]:
        """Returns the positions of the secrets in a text, but never the secrets themselves.

        Nothing of the text is stored, but the first secret found creates the home's key.

        Parameters
        ----------
        text : str
            The text.
        patterns : sequence of str, optional
            Regular expressions to use for this call, in addition to those configured. If one has a
            group named `secret`, only that group is a secret.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of SecretFinding
            The position of a secret in a text.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.scan",
            {
                "text": text,
                "patterns": patterns,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        in_code_points(text, result, None, ("start", "end"))
        return cast("list[t.SecretFinding]", result)

    async def rules(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.SecretRule]:
        """Returns every rule that detects secrets.

        The built-in rules, then those of the configuration, of the user's rule file and of the
        options.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of SecretRule
            A rule.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.rules",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.SecretRule]", result)

    async def preview(
        self,
        *,
        method: str,
        params: Mapping[str, object] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Redaction]:
        """Returns what a call would redact, without making it: nothing is written.

        A call that redacts also says so itself: the logger gets a warning, and the call's options
        can ask for the list.

        Parameters
        ----------
        method : str
            The method, which stores something: `memory.upsertNote`.
        params : mapping, optional
            Its params.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of Redaction
            Secrets that one rule found in one field of what a call stores. They were replaced by
            placeholders.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.preview",
            {
                "method": method,
                "params": params,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.Redaction]", result)

    async def allow(
        self,
        *,
        reason: str,
        name: str | None = None,
        rule: str | None = None,
        field: str | None = None,
        tag: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Allowance:
        """Declares in the home's `redaction.toml` that something is no secret, although a rule finds it.

        And returns it as stored.

        A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there
        is at least one. Stores that are opened afterwards apply it.

        Parameters
        ----------
        reason : str
            Why it is no secret, for the people who read this later.
        name : str, optional
            The name of the value, such as `sessionKey`, in any case and with or without `_`, `-`
            and `.`.
        rule : str, optional
            The id of the rule, such as `keyed-value`.
        field : str, optional
            The path of the field in a record, such as `metadata.headers`, with everything below it.
        tag : str, optional
            The tag of the value, from its placeholder or from a scan with the same home.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        Allowance
            What is no secret, although a rule finds it. A finding must match all of `name`, `rule`,
            `field` and `tag` that are set, of which there is at least one.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A new version of a file was written but could not replace the old one, which is
            unchanged.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.allow",
            {
                "name": name,
                "rule": rule,
                "field": field,
                "tag": tag,
                "reason": reason,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.Allowance", result)

    async def allowances(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Allowance]:
        """Returns what is no secret, although a rule finds it.

        By the home's `redaction.toml` and by the options of the store.

        Parameters
        ----------
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        list of Allowance
            What is no secret, although a rule finds it. A finding must match all of `name`, `rule`,
            `field` and `tag` that are set, of which there is at least one.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        ParseError
            A stored file is damaged; it was not changed.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock could not be acquired within the timeout; try again with back-off.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "safety.allowances",
            {},
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("list[t.Allowance]", result)


class DoctorApi:
    """The methods `doctor.*` of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def check(
        self,
        *,
        fix: bool | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.DoctorReport:
        """Checks every file of the home, the global items and those of the current workspace.

        And with `fix` repairs what is wrong.

        Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file
        beside the original, never deleted, and every intact record is recovered; file modes are
        corrected, and what crashed writers left behind is removed. Files written by a newer version
        are never changed. A file that cannot be read or repaired is reported as a finding, not as
        an error.

        Parameters
        ----------
        fix : bool, optional
            Repair what can be repaired. Default: false.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        DoctorReport
            The result of a check.

        Raises
        ------
        ValidationError
            The caller passed invalid input; nothing was written.
        Cancelled
            The caller cancelled the call; nothing was written, unless `mayBeStored` says so.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        result = await self._caller.call(
            "doctor.check",
            {
                "fix": fix,
            },
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
        return cast("t.DoctorReport", result)


class StoreApi:
    """The methods of a store, grouped by module, and the options to open it with."""

    __slots__ = {
        "_caller": None,
        "repo": "The methods `identify`, `sanitize_remote_url`, `list` and `migrate`.",
        "memory": "The methods `get`, `upsert_convention`, `upsert_decision`, `upsert_note`, `list` and `remove`.",
        "summary": "The methods `append`, `end_step` and `list`.",
        "context": "The method `build`.",
        "working": (
            "The methods `get_context`, `update_context`, `add_log`, `get_logs`, `search_logs`, "
            "`save_checkpoint`, `restore_checkpoint`, `list_checkpoints`, `delete_checkpoint`, "
            "`history`, `list_scopes` and `delete_scope`."
        ),
        "items": (
            "The methods `add`, `get`, `sweep`, `list`, `update`, `archive`, `restore`, `remove`, "
            "`recall`, `used`, `export`, `import_`, `migrate`, `migrate_legacy` and `stats`."
        ),
        "rollouts": (
            "The methods `upsert_thread`, `scan`, `input`, `claim_stage1`, `heartbeat`, "
            "`complete_stage1`, `fail_stage1`, `materialize`, `claim_consolidation`, "
            "`complete_consolidation`, `fail_consolidation`, `run`, `status`, `list`, `explain`, "
            "`retry`, `record_usage`, `set_mode`, `forget`, `reset` and `migrate_legacy_root`."
        ),
        "branch": (
            "The methods `parse_config`, `checkout`, `validate`, `push`, `pack`, `unpack`, "
            "`snapshot`, `snapshots`, `rollback`, `prune`, `prompt`, `workflow` and `match`."
        ),
        "index": "The methods `refresh`, `map` and `symbols`.",
        "safety": "The methods `redact`, `scan`, `rules`, `preview`, `allow` and `allowances`.",
        "doctor": "The method `check`.",
    }

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.repo = RepoApi(caller)
        self.memory = MemoryApi(caller)
        self.summary = SummaryApi(caller)
        self.context = ContextApi(caller)
        self.working = WorkingApi(caller)
        self.items = ItemsApi(caller)
        self.rollouts = RolloutsApi(caller)
        self.branch = BranchApi(caller)
        self.index = IndexApi(caller)
        self.safety = SafetyApi(caller)
        self.doctor = DoctorApi(caller)

    @classmethod
    async def open(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        codex_home: str | os.PathLike[str] | None = None,
        branch_memory_root: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        inherit_from: str | None = None,
        max_summaries_in_context: int | None = None,
        summaries_max_entries: int | None = None,
        summaries_max_bytes: int | None = None,
        summary_max_bytes: int | None = None,
        lock_timeout_ms: int | None = None,
        append_timeout_ms: int | None = None,
        lock_stale_ms: int | None = None,
        strong_atomicity: bool | None = None,
        redaction_patterns: Sequence[str] | None = None,
        allow: Sequence[t.Allowance] | None = None,
        adapter: str | a.PersistenceAdapter | None = None,
        redis_prefix: str | None = None,
        redis_hosts: Sequence[str] | None = None,
        redis_ca_file: str | os.PathLike[str] | None = None,
        adapter_timeout_ms: int | None = None,
        checkpoints_max_entries: int | None = None,
        checkpoints_max_age_ms: int | None = None,
        items_backend: Literal["jsonl", "sqlite"] | None = None,
        items_max_content_chars: int | None = None,
        recall_min_repo_candidates: int | None = None,
        recall_limit: int | None = None,
        recall_max_chars: int | None = None,
        recall_recency_weight: float | None = None,
        recall_frequency_weight: float | None = None,
        temporary: bool | None = None,
        index_submodules: bool | None = None,
        index_subtree: bool | None = None,
        index_max_files: int | None = None,
        index_max_file_bytes: int | None = None,
        rollouts_min_idle_hours: int | None = None,
        rollouts_max_age_days: int | None = None,
        rollouts_max_running: int | None = None,
        rollouts_lease_secs: int | None = None,
        rollouts_attempts: int | None = None,
        rollouts_retry_delay_secs: int | None = None,
        rollouts_consolidation_inputs: int | None = None,
        rollouts_max_unused_days: int | None = None,
        rollouts_diff_max_chars: int | None = None,
        rollouts_input_max_tokens: int | None = None,
        rollouts_interactive_sources: Sequence[str] | None = None,
        rollouts_same_repo: bool | None = None,
        branch_attempts: int | None = None,
        clock: str | None = None,
        logger: a.Logger | None = None,
        count_tokens: a.CountTokens | None = None,
    ) -> Self:
        """Opens a store; nothing is created until the first write.

        Parameters
        ----------
        home : str or os.PathLike, optional
            The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else
            `~/.codex-toolloop`.
        codex_home : str or os.PathLike, optional
            The Codex home: global recallable items are in its folder `memory`, and what rollouts
            left in its folder `memories`. Default: `CODEX_HOME`, else `~/.codex`.
        branch_memory_root : str or os.PathLike, optional
            The folder with the folders of the memories that are kept on git branches. Default:
            `/tmp/gh-aw/repo-memory`.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default:
            `MEMORY_BRANCH_SCOPE`, else `perBranch`.
        inherit_from : str, optional
            The branch whose records other branches inherit, unless they have records with the same
            id or title of their own; `default` is the repository's default branch. What is written
            is never inherited. Only for repositories that are named by their folder, if each branch
            has a separate memory. Default: `MEMORY_INHERIT_FROM`, else none.
        max_summaries_in_context : int, optional
            The maximum number of summaries in a context pack: the newest. Default: 10.
        summaries_max_entries : int, optional
            The maximum number of summaries that a repository keeps; beyond it the oldest are
            removed. Default: 100.
        summaries_max_bytes : int, optional
            The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are
            removed. At most 251,658,240. Default: 1,048,576.
        summary_max_bytes : int, optional
            The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
        lock_timeout_ms : int, optional
            The maximum wait for a lock, in milliseconds. Default: 5,000.
        append_timeout_ms : int, optional
            The maximum wait for the lock of an append, in milliseconds. Default: 1,000.
        lock_stale_ms : int, optional
            How long a lock file must be unchanged, in milliseconds, before it is taken over from an
            owner of unknown state. Only used on file systems without locks. Default: 10,000.
        strong_atomicity : bool, optional
            Whether a write fails with `RenameError` if a file cannot be replaced atomically, such
            as a bind-mounted file. Otherwise, the file is overwritten in place, protected by a
            complete copy beside it. Default: false.
        redaction_patterns : sequence of str, optional
            Regular expressions; what they match is redacted before anything is stored. Added to
            those of `config.toml`.
        allow : sequence of Allowance, optional
            What is no secret, although a rule finds it, in addition to what `redaction.toml`
            allows.
        adapter : str or PersistenceAdapter, optional
            Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis
            server. Default: `WORKING_ADAPTER`, else `file`. Or an object of your own: see
            `PersistenceAdapter`.
        redis_prefix : str, optional
            The prefix of every key on a Redis server. Braces in it keep all keys with this prefix
            on one node of a cluster. Default: `{loopmem}:`.
        redis_hosts : sequence of str, optional
            The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the
            URL. A redirection to any other host is an error, since that host would receive the
            password. Default: none.
        redis_ca_file : str or os.PathLike, optional
            A PEM file of certificates to trust for `rediss://` URLs instead of the system's.
            Default: those that the system trusts.
        adapter_timeout_ms : int, optional
            The maximum wait for one response of a Redis server or of the host's adapter, in
            milliseconds. Default: 30,000.
        checkpoints_max_entries : int, optional
            The maximum number of checkpoints that are kept of a job; beyond it the oldest are
            removed. Default: all.
        checkpoints_max_age_ms : int, optional
            The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next
            one is saved; the newest is always kept. Default: no limit.
        items_backend : {"jsonl", "sqlite"}, optional
            Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`.
        items_max_content_chars : int, optional
            The maximum length of an item's content, in Unicode scalar values; at most 100,000.
            Default: 240.
        recall_min_repo_candidates : int, optional
            How many items of the repository and its folders must match before a recall leaves out
            the global ones. Default: 8.
        recall_limit : int, optional
            The maximum number of items that a recall returns, at most 1,000. Default: 8.
        recall_max_chars : int, optional
            The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200.
        recall_recency_weight : float, optional
            How much better a recall ranks an item that was changed just now than an old one that
            matches as well, from 0 to 1. Default: 0.05.
        recall_frequency_weight : float, optional
            How much better a recall ranks an item that is used often than one never used that
            matches as well, from 0 to 1. Default: 0.05.
        temporary : bool, optional
            Whether recallable items are bypassed: none is read, and writing one is an error.
            Default: false.
        index_submodules : bool, optional
            Whether the index of a repository's files includes the repositories inside its work
            tree, such as submodules. Default: false.
        index_subtree : bool, optional
            Whether maps and symbols are of the files below the workspace alone, and not of the
            whole repository. Default: false.
        index_max_files : int, optional
            The maximum number of files that are indexed of a repository; at most 1,000,000.
            Default: 100,000.
        index_max_file_bytes : int, optional
            The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is
            known. At most 67,108,864. Default: 1,048,576.
        rollouts_min_idle_hours : int, optional
            How long a session must have been idle before its memory is extracted, in hours.
            Default: 12.
        rollouts_max_age_days : int, optional
            How long ago a session may have changed last, in days, for its memory to be extracted.
            Default: 30.
        rollouts_max_running : int, optional
            The maximum number of sessions whose memory is being extracted, by all processes
            together; at most 10,000. Default: 64.
        rollouts_lease_secs : int, optional
            How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600.
        rollouts_attempts : int, optional
            How often a session may be claimed before it changes; at least 1. Default: 3.
        rollouts_retry_delay_secs : int, optional
            How long a failed session or consolidation waits for the next attempt, in seconds.
            Default: 3,600.
        rollouts_consolidation_inputs : int, optional
            The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64.
        rollouts_max_unused_days : int, optional
            For how long the memory of a session that is not used is consolidated, in days. Default:
            30.
        rollouts_diff_max_chars : int, optional
            The maximum length of what changed since the last consolidation, in Unicode scalar
            values. Default: 60,000.
        rollouts_input_max_tokens : int, optional
            The maximum length of a transcript that a model is asked to read, in tokens of three
            bytes; at most 10,000,000. Each failed attempt halves it. Default: 100,000.
        rollouts_interactive_sources : sequence of str, optional
            The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and
            `claude`.
        rollouts_same_repo : bool, optional
            Whether a context pack leaves out what sessions in other repositories left. Default:
            false.
        branch_attempts : int, optional
            How often a memory on a git branch is tried to be pushed while others push to it; from 1
            to 1,000. Default: 10.
        clock : str, optional
            For tests: a fixed RFC 3339 time for this store's clock.
        logger : Logger, optional
            The logger to which each call is reported when it is over, such as a `logging.Logger`.
            Default: none.
        count_tokens : CountTokens, optional
            The tokenizer that limits in tokens are checked with, asynchronous or not. Default:
            tokens are estimated, rather too many.

        Returns
        -------
        Store
            The store; close it when it is no longer needed.

        Raises
        ------
        ValidationError
            An option or a key of the configuration is invalid, or the adapter lacks a required
            function.
        IoError
            The home is not a folder, or a configuration file cannot be read.
        """
        return await cls._open(
            {
                "home": path_text(home),
                "codexHome": path_text(codex_home),
                "branchMemoryRoot": path_text(branch_memory_root),
                "branchScope": branch_scope,
                "inheritFrom": inherit_from,
                "maxSummariesInContext": max_summaries_in_context,
                "summariesMaxEntries": summaries_max_entries,
                "summariesMaxBytes": summaries_max_bytes,
                "summaryMaxBytes": summary_max_bytes,
                "lockTimeoutMs": lock_timeout_ms,
                "appendTimeoutMs": append_timeout_ms,
                "lockStaleMs": lock_stale_ms,
                "strongAtomicity": strong_atomicity,
                "redactionPatterns": redaction_patterns,
                "allow": allow,
                "adapter": adapter,
                "redisPrefix": redis_prefix,
                "redisHosts": redis_hosts,
                "redisCaFile": path_text(redis_ca_file),
                "adapterTimeoutMs": adapter_timeout_ms,
                "checkpointsMaxEntries": checkpoints_max_entries,
                "checkpointsMaxAgeMs": checkpoints_max_age_ms,
                "itemsBackend": items_backend,
                "itemsMaxContentChars": items_max_content_chars,
                "recallMinRepoCandidates": recall_min_repo_candidates,
                "recallLimit": recall_limit,
                "recallMaxChars": recall_max_chars,
                "recallRecencyWeight": recall_recency_weight,
                "recallFrequencyWeight": recall_frequency_weight,
                "temporary": temporary,
                "indexSubmodules": index_submodules,
                "indexSubtree": index_subtree,
                "indexMaxFiles": index_max_files,
                "indexMaxFileBytes": index_max_file_bytes,
                "rolloutsMinIdleHours": rollouts_min_idle_hours,
                "rolloutsMaxAgeDays": rollouts_max_age_days,
                "rolloutsMaxRunning": rollouts_max_running,
                "rolloutsLeaseSecs": rollouts_lease_secs,
                "rolloutsAttempts": rollouts_attempts,
                "rolloutsRetryDelaySecs": rollouts_retry_delay_secs,
                "rolloutsConsolidationInputs": rollouts_consolidation_inputs,
                "rolloutsMaxUnusedDays": rollouts_max_unused_days,
                "rolloutsDiffMaxChars": rollouts_diff_max_chars,
                "rolloutsInputMaxTokens": rollouts_input_max_tokens,
                "rolloutsInteractiveSources": rollouts_interactive_sources,
                "rolloutsSameRepo": rollouts_same_repo,
                "branchAttempts": branch_attempts,
                "clock": clock,
                "logger": logger,
                "count_tokens": count_tokens,
            }
        )

    @classmethod
    async def _open(cls, options: Mapping[str, object]) -> Self:
        raise NotImplementedError

    @overload
    async def call(
        self,
        method: Literal["repo.identify"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoIdentity: ...

    @overload
    async def call(
        self,
        method: Literal["repo.sanitizeRemoteUrl"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.SanitizedUrl: ...

    @overload
    async def call(
        self,
        method: Literal["repo.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.KnownRepo]: ...

    @overload
    async def call(
        self,
        method: Literal["repo.migrate"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Migration: ...

    @overload
    async def call(
        self,
        method: Literal["memory.get"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoMemory: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertConvention"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Convention: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertDecision"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Decision: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertNote"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Note: ...

    @overload
    async def call(
        self,
        method: Literal["memory.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.MemoryRecord]: ...

    @overload
    async def call(
        self,
        method: Literal["memory.remove"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["summary.append"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Summary: ...

    @overload
    async def call(
        self,
        method: Literal["summary.endStep"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Summary: ...

    @overload
    async def call(
        self,
        method: Literal["summary.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Summary]: ...

    @overload
    async def call(
        self,
        method: Literal["context.build"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ContextPack: ...

    @overload
    async def call(
        self,
        method: Literal["working.getContext"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.updateContext"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.addLog"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MemoryEntry: ...

    @overload
    async def call(
        self,
        method: Literal["working.getLogs"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.MemoryEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.searchLogs"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.ScoredEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.saveCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Checkpoint: ...

    @overload
    async def call(
        self,
        method: Literal["working.restoreCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.listCheckpoints"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[int]: ...

    @overload
    async def call(
        self,
        method: Literal["working.deleteCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["working.history"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.TrailEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.listScopes"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[str]: ...

    @overload
    async def call(
        self,
        method: Literal["working.deleteScope"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["items.add"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item: ...

    @overload
    async def call(
        self,
        method: Literal["items.get"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item: ...

    @overload
    async def call(
        self,
        method: Literal["items.sweep"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Item]: ...

    @overload
    async def call(
        self,
        method: Literal["items.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Item]: ...

    @overload
    async def call(
        self,
        method: Literal["items.update"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item: ...

    @overload
    async def call(
        self,
        method: Literal["items.archive"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item: ...

    @overload
    async def call(
        self,
        method: Literal["items.restore"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Item: ...

    @overload
    async def call(
        self,
        method: Literal["items.remove"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["items.recall"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Recall: ...

    @overload
    async def call(
        self,
        method: Literal["items.used"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.UsedItems: ...

    @overload
    async def call(
        self,
        method: Literal["items.export"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ExportedItems: ...

    @overload
    async def call(
        self,
        method: Literal["items.import"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ImportedItems: ...

    @overload
    async def call(
        self,
        method: Literal["items.migrate"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedItems: ...

    @overload
    async def call(
        self,
        method: Literal["items.migrateLegacy"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedLegacyItems: ...

    @overload
    async def call(
        self,
        method: Literal["items.stats"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ItemStats: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.upsertThread"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Thread: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.scan"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ScannedTranscripts: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.input"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Stage1Input: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.claimStage1"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Stage1Claims: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.heartbeat"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RenewedLease: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.completeStage1"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.CompletedStage1: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.failStage1"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.FailedJob: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.materialize"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MaterializedFiles: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.claimConsolidation"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ConsolidationClaim: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.completeConsolidation"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.CompletedConsolidation: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.failConsolidation"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.FailedJob: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.run"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RolloutsRun: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.status"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RolloutsStatus: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ThreadList: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.explain"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ThreadExplanation: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.retry"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RetriedRollouts: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.recordUsage"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RecordedUsage: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.setMode"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Thread: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.forget"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ForgottenThread: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.reset"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.ResetRollouts: ...

    @overload
    async def call(
        self,
        method: Literal["rollouts.migrateLegacyRoot"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.MigratedLegacyRoot: ...

    @overload
    async def call(
        self,
        method: Literal["branch.parseConfig"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchMemories: ...

    @overload
    async def call(
        self,
        method: Literal["branch.checkout"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchCheckout: ...

    @overload
    async def call(
        self,
        method: Literal["branch.validate"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchValidation: ...

    @overload
    async def call(
        self,
        method: Literal["branch.push"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPush: ...

    @overload
    async def call(
        self,
        method: Literal["branch.pack"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPacked: ...

    @overload
    async def call(
        self,
        method: Literal["branch.unpack"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchUnpacked: ...

    @overload
    async def call(
        self,
        method: Literal["branch.snapshot"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchSnapshot: ...

    @overload
    async def call(
        self,
        method: Literal["branch.snapshots"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchSnapshots: ...

    @overload
    async def call(
        self,
        method: Literal["branch.rollback"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchRollback: ...

    @overload
    async def call(
        self,
        method: Literal["branch.prune"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.PrunedSnapshots: ...

    @overload
    async def call(
        self,
        method: Literal["branch.prompt"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchPrompt: ...

    @overload
    async def call(
        self,
        method: Literal["branch.workflow"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.BranchWorkflow: ...

    @overload
    async def call(
        self,
        method: Literal["branch.match"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.PatternMatch: ...

    @overload
    async def call(
        self,
        method: Literal["index.refresh"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RefreshedIndex: ...

    @overload
    async def call(
        self,
        method: Literal["index.map"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.RepoMap: ...

    @overload
    async def call(
        self,
        method: Literal["index.symbols"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.RepoSymbol]: ...

    @overload
    async def call(
        self,
        method: Literal["safety.redact"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Redacted: ...

    @overload
    async def call(
        self,
        method: Literal["safety.scan"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.SecretFinding]: ...

    @overload
    async def call(
        self,
        method: Literal["safety.rules"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.SecretRule]: ...

    @overload
    async def call(
        self,
        method: Literal["safety.preview"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Redaction]: ...

    @overload
    async def call(
        self,
        method: Literal["safety.allow"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.Allowance: ...

    @overload
    async def call(
        self,
        method: Literal["safety.allowances"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[t.Allowance]: ...

    @overload
    async def call(
        self,
        method: Literal["doctor.check"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> t.DoctorReport: ...

    @overload
    async def call(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> object: ...

    async def call(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: Callable[[t.Redaction], object] | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> object:
        """Calls a method by its name.

        Offsets into a text are UTF-8 bytes here.

        Parameters
        ----------
        method : str
            The name of the method, such as `memory.get`.
        params : mapping, optional
            The params, with their names in the method reference. Default: none.
        timeout : float, optional
            The maximum time that the call waits in total, in seconds: for locks and for an adapter.
            With 0 the call does not wait for locks. Default: as configured.
        cancel : Cancel, optional
            A request to cancel the call, which any thread may trigger.
        on_redaction : callable, optional
            Called with a `Redaction` for each field of which the call redacted something, before it
            returns. An exception in it is reported and not raised. The logger gets the same as
            warnings.
        on_progress : callable, optional
            Called with the number of completed steps and the total while a long call runs, such as
            the files that were read for the index of a repository. It runs on the calling thread,
            where calls of loopmem raise `Misuse`, or on the event loop. An exception in it is
            reported and not raised.

        Returns
        -------
        object
            The result of the method, as decoded by `json.loads`.

        Raises
        ------
        ValidationError
            The method does not exist, or the params are invalid.
        LoopmemError
            Any error that the method raises.
        """
        return await self._caller.call(
            method,
            {} if params is None else params,
            timeout=timeout,
            cancel=cancel,
            on_redaction=on_redaction,
            on_progress=on_progress,
        )
