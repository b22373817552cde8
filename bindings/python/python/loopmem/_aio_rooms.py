"""The rooms of a store, to be awaited."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

from ._caller import AsyncCaller, Cancel, cast, overload, path_text
from ._offsets import in_code_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from typing_extensions import Self

    from . import _adapter as a
    from . import _types as t


class RepoRoom:
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
    ) -> t.RepoIdentity:
        """Tells which repository a folder belongs to: the hash under which its memory is kept, and what went into it.

        Outside a repository a folder is identified by its path. Memory that is kept by path does
        not travel between machines.

        Parameters
        ----------
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes. Default: as configured.
        branch : str, optional
            Identifies another branch than the one HEAD is on.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        RepoIdentity
            What a workspace is.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        )
        return cast("t.RepoIdentity", result)

    async def sanitize_remote_url(
        self,
        *,
        url: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.SanitizedUrl:
        """Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH URL one form.

        Parameters
        ----------
        url : str
            The URL, as git takes it, at most 16,384 bytes long.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        SanitizedUrl
            A remote's URL without credentials.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "repo.sanitizeRemoteUrl",
            {
                "url": url,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.SanitizedUrl", result)

    async def list(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.KnownRepo]:
        """Lists the repositories that something is stored for, the last changed first.

        Parameters
        ----------
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of KnownRepo
            A repository that something is stored for.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        IoError
            The operating system refused to read, write or sync a file.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "repo.list",
            {},
            timeout=timeout,
            cancel=cancel,
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
    ) -> t.Migration:
        """Copies what one repository hash remembers to another.

        After a branch was renamed, a folder moved or a remote changed.

        Records whose id, and summaries whose run, step and time are there already stay as they are
        there. The source stays as it was. The target keeps its limits: of all summaries the oldest
        beyond them are left behind or go, and are counted. When anything is in the way, nothing is
        copied.

        Parameters
        ----------
        from_repo_hash : str
            Where it is, as `repo.identify` or `repo.list` tells it.
        to_repo_hash : str
            Where it is to be.
        dry_run : bool, optional
            Only count what would be copied. Default: false.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Migration
            What a migration did, or would do.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        NotFound
            Nothing is stored under the hash that is to be copied from.
        Conflict
            An id names one kind of record there and another here; nothing was copied.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        )
        return cast("t.Migration", result)


class MemoryRoom:
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
    ) -> t.RepoMemory:
        """Returns everything that is stored for a repository; empty when nothing is.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        RepoMemory
            Everything stored for a repository.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
    ) -> t.Convention:
        """Stores a convention and returns it as stored.

        A draft with the id of a stored convention changes that one and keeps what the draft leaves
        out; any other makes a new one. Secrets in it are redacted.

        Parameters
        ----------
        convention : ConventionDraft or Convention
            The convention.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Convention
            How this repository does things.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            A decision or a note has the id already.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
    ) -> t.Decision:
        """Stores a decision and returns it as stored.

        A draft with the id of a stored decision changes that one and keeps what the draft leaves
        out; any other makes a new one. Secrets in it are redacted.

        Parameters
        ----------
        decision : DecisionDraft or Decision
            The decision.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Decision
            What was decided, and why.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            A convention or a note has the id already.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
    ) -> t.Note:
        """Stores a note and returns it as stored.

        A draft with the id of a stored note changes that one and keeps what the draft leaves out;
        any other makes a new one. Secrets in it are redacted.

        Parameters
        ----------
        note : NoteDraft or Note
            The note.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Note
            Anything else worth keeping.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            A convention or a decision has the id already.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.MemoryRecord]:
        """Returns the conventions, decisions and notes that every given filter lets through, each kind oldest first.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        kind : {"convention", "decision", "note"}, optional
            Only those of this kind.
        tag : str, optional
            Only conventions with this tag.
        path : str, optional
            Only decisions whose `impactedPaths` name this path or a folder above it.
        text : str, optional
            Only those with this text in one of their fields, whatever its case.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of MemoryRecord
            Any record of `memory.json`, and its kind.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
            },
            timeout=timeout,
            cancel=cancel,
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
    ) -> t.Removed:
        """Removes the convention, decision or note with this id.

        Parameters
        ----------
        id : str
            The record's id.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        )
        return cast("t.Removed", result)


class SummaryRoom:
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
    ) -> t.Summary:
        """Appends the summary of a workflow step and returns it as stored.

        Secrets in it are redacted.

        A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`;
        beyond either the oldest go, never the newest.

        Parameters
        ----------
        run_id : str
            The run of the workflow.
        step_id : str
            The step within the run.
        summary : str
            One paragraph: what happened, important outputs, what is to follow; a line break in it
            becomes a blank. At most `memory.summaryMaxBytes` (65,536) bytes.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        tags : sequence of str, optional
            Words to find it by. Default: none.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
    ) -> t.Summary:
        """Ends a workflow step.

        Makes one paragraph of its events, without a model, and appends it as `summary.append` does.

        What happened, important outputs, what went wrong, what is to follow: each event once, in at
        most 4,000 bytes. What has no room is counted in the text. The same events give the same
        paragraph.

        Parameters
        ----------
        run_id : str
            The run of the workflow.
        step_id : str
            The step within the run.
        events : sequence of StepEvent
            What happened, in order. At least one.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        tags : sequence of str, optional
            Words to find it by. Default: none.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.Summary]:
        """Returns a repository's step summaries, newest first.

        Parameters
        ----------
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        run_id : str, optional
            Only those of this run.
        tag : str, optional
            Only those with this tag.
        limit : int, optional
            At most so many.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of Summary
            What a workflow step did.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("list[t.Summary]", result)


class ContextRoom:
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
        sections: Sequence[Literal["conventions", "decisions", "notes", "summaries"]] | None = None,
        focus_files: Sequence[str] | None = None,
        scope_id: str | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.ContextPack:
        """Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.

        Conventions, decisions and notes come first, each oldest first, then the newest steps,
        newest first. When there are steps, 40 of 100 characters are kept for them, or more when the
        newest needs it; the other kinds share the rest, each its equal part and then what is left
        in their order. Records are taken whole or named as dropped. The same state gives the same
        bytes in every language.

        Parameters
        ----------
        max_chars : int
            The longest pack, in Unicode scalar values.
        repo_hash : str, optional
            The repository, as `repo.identify` returns it. Default: that of `workspace`.
        workspace : str or os.PathLike, optional
            A folder in the repository. Default: the current folder.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes, for this call. Default: as configured.
        prompt : str, optional
            What the agent is about to do, for sections that choose by relevance; the present ones
            do not.
        sections : sequence of {"conventions", "decisions", "notes", "summaries"}, optional
            The sections wanted. Default: all.
        focus_files : sequence of str, optional
            Files the agent is at work on, for sections that choose by nearness; the present ones do
            not.
        scope_id : str, optional
            The working scope, for sections that have one; the present ones do not.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        ContextPack
            A context pack and what went into it.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        GitError
            git could not read or write the repository.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.ContextPack", result)


class WorkingRoom:
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
    ) -> dict[str, t.JsonValue]:
        """Returns the context of a scope; `{}` when there is none.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.getContext",
            {
                "scopeId": scope_id,
            },
            timeout=timeout,
            cancel=cancel,
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
    ) -> dict[str, t.JsonValue]:
        """Changes the context of a scope and returns the new one.

        Values are set by name, each in the place of the whole one before; null is stored as null.
        Secrets in them are redacted. The change leaves an entry in the scope's trail.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        patch : mapping
            The values to set, by name.
        remove : sequence of str, optional
            The names to take away, before the values are set.
        source : str, optional
            Who changes it, for the trail.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        )
        return cast("dict[str, t.JsonValue]", result)

    async def add_log(
        self,
        *,
        scope_id: str,
        entry: t.MemoryEntryDraft | t.MemoryEntry,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.MemoryEntry:
        """Adds an entry to the log of a scope and returns it as stored.

        Secrets in it are redacted.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        entry : MemoryEntryDraft or MemoryEntry
            The entry.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        MemoryEntry
            What happened, as it is stored.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.addLog",
            {
                "scopeId": scope_id,
                "entry": entry,
            },
            timeout=timeout,
            cancel=cancel,
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
    ) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        limit : int, optional
            At most so many: the last ones, or, with `after`, the first that follow.
        after : str, optional
            Only those that follow the entry with this id.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of MemoryEntry
            What happened, as it is stored.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        NotFound
            No entry of the log has the id in `after`.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
    ) -> list[t.ScoredEntry]:
        """Finds entries in the log of a scope, the best first: by their vectors, or by their words.

        Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries
        without one, or with one of another length, are passed over. Texts are compared by BM25;
        entries that share no word are passed over.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        embedding : sequence of float, optional
            The vector to be near to.
        text : str, optional
            The words to be found.
        limit : int, optional
            At most so many. Default: 10.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of ScoredEntry
            An entry that was found.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
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
        )
        return cast("list[t.ScoredEntry]", result)

    async def save_checkpoint(
        self,
        *,
        job_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Checkpoint:
        """Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.

        Parameters
        ----------
        job_id : str
            The job, whose scope has the same id.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Checkpoint
            A checkpoint of a job.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.saveCheckpoint",
            {
                "jobId": job_id,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.Checkpoint", result)

    async def restore_checkpoint(
        self,
        *,
        job_id: str,
        timestamp: int,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, t.JsonValue]:
        """Puts the context that a checkpoint holds in the place of the job's, and returns it.

        The scope's trail keeps what it replaced (`replaced`), so that it can be undone.

        Parameters
        ----------
        job_id : str
            The job, whose scope has the same id.
        timestamp : int
            The checkpoint.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        dict

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        NotFound
            The job has no checkpoint with this timestamp.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.restoreCheckpoint",
            {
                "jobId": job_id,
                "timestamp": timestamp,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("dict[str, t.JsonValue]", result)

    async def list_checkpoints(
        self,
        *,
        job_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first.

        Parameters
        ----------
        job_id : str
            The job, whose scope has the same id.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of int

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.listCheckpoints",
            {
                "jobId": job_id,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("list[int]", result)

    async def delete_checkpoint(
        self,
        *,
        job_id: str,
        timestamp: int,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Removed:
        """Deletes a checkpoint.

        Parameters
        ----------
        job_id : str
            The job, whose scope has the same id.
        timestamp : int
            The checkpoint.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.deleteCheckpoint",
            {
                "jobId": job_id,
                "timestamp": timestamp,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.Removed", result)

    async def history(
        self,
        *,
        scope_id: str,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.TrailEntry]:
        """Returns the trail of a scope: what changed its context, oldest first.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        limit : int, optional
            At most so many: the last ones.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of TrailEntry
            One change of a context.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.history",
            {
                "scopeId": scope_id,
                "limit": limit,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("list[t.TrailEntry]", result)

    async def list_scopes(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[str]:
        """Returns the ids of the scopes of which something is kept, in their order.

        Parameters
        ----------
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of str

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Unsupported
            The adapter cannot list its keys.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.listScopes",
            {},
            timeout=timeout,
            cancel=cancel,
        )
        return cast("list[str]", result)

    async def delete_scope(
        self,
        *,
        scope_id: str,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Removed:
        """Deletes everything of a scope: its context, its trail, its log and its checkpoints.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Removed
            Whether something was removed.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        ParseError
            A stored file is not what its format says; it was left as it is.
        IoError
            The operating system refused to read, write or sync a file.
        RenameError
            A finished file could not be moved into its place; the old one still stands.
        LockAcquisitionError
            A lock was not free within its time-out; try again with back-off.
        SecretRefused
            A secret stands where it may neither be stored nor redacted, such as in an id.
        Conflict
            Something else already has this id, or changed in between.
        AdapterError
            A server, or the host's own adapter, failed or threw.
        Cancelled
            The caller cancelled the call; nothing was written.
        FormatTooNew
            A file was written by a newer loopmem; it was left as it is.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "working.deleteScope",
            {
                "scopeId": scope_id,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.Removed", result)


class SafetyRoom:
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
    ) -> t.Redacted:
        """Returns a text with every secret replaced by its placeholder, and where the secrets stood.

        A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags in one home; who has
        the text alone cannot test guesses. All other characters stay as they are, and a text that
        was redacted stays so too. Nothing of the text is stored; the first secret that is found
        makes the home's key.

        Parameters
        ----------
        text : str
            The text.
        patterns : sequence of str, optional
            Regular expressions for this call, beside what is configured; where one has a group
            named `secret`, only that is a secret.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        Redacted
            A text without its secrets.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "safety.redact",
            {
                "text": text,
                "patterns": patterns,
            },
            timeout=timeout,
            cancel=cancel,
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
    ) -> list[t.SecretFinding]:
        """Returns where secrets stand in a text, and never what they are.

        Parameters
        ----------
        text : str
            The text.
        patterns : sequence of str, optional
            Regular expressions for this call, beside what is configured; where one has a group
            named `secret`, only that is a secret.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of SecretFinding
            Where a secret stands in a text.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "safety.scan",
            {
                "text": text,
                "patterns": patterns,
            },
            timeout=timeout,
            cancel=cancel,
        )
        in_code_points(text, result, None, ("start", "end"))
        return cast("list[t.SecretFinding]", result)

    async def rules(
        self,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.SecretRule]:
        """Returns every rule by which secrets are found.

        The built-in ones, then those of the configuration, of the user's rule file and of the
        options.

        Parameters
        ----------
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        list of SecretRule
            A rule.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "safety.rules",
            {},
            timeout=timeout,
            cancel=cancel,
        )
        return cast("list[t.SecretRule]", result)


class DoctorRoom:
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
    ) -> t.DoctorReport:
        """Looks at every file of the home, and with `fix` mends what is wrong.

        Without `fix` nothing is changed and nothing is created. With it what is damaged is set
        aside beside the file, never deleted, and every record that is whole is brought back; modes
        are set to what they should be, and what a writer that died left unfinished is removed. A
        file of a newer version is never touched. What cannot be read or mended is a finding and no
        error.

        Parameters
        ----------
        fix : bool, optional
            Mend what can be mended. Default: false.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        DoctorReport
            What was found.

        Raises
        ------
        ValidationError
            What the caller passed is not what the method takes; nothing was written.
        Cancelled
            The caller cancelled the call; nothing was written.
        Misuse
            The library was used in a way that cannot work, such as a call on a closed store.
        """
        result = await self._caller.call(
            "doctor.check",
            {
                "fix": fix,
            },
            timeout=timeout,
            cancel=cancel,
        )
        return cast("t.DoctorReport", result)


class Rooms:
    """Every room of a store, and how it is opened."""

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
        "safety": "The methods `redact`, `scan` and `rules`.",
        "doctor": "The method `check`.",
    }

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.repo = RepoRoom(caller)
        self.memory = MemoryRoom(caller)
        self.summary = SummaryRoom(caller)
        self.context = ContextRoom(caller)
        self.working = WorkingRoom(caller)
        self.safety = SafetyRoom(caller)
        self.doctor = DoctorRoom(caller)

    @classmethod
    async def open(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        codex_home: str | os.PathLike[str] | None = None,
        branch_memory_root: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        max_summaries_in_context: int | None = None,
        summaries_max_entries: int | None = None,
        summaries_max_bytes: int | None = None,
        summary_max_bytes: int | None = None,
        lock_timeout_ms: int | None = None,
        append_timeout_ms: int | None = None,
        lock_stale_ms: int | None = None,
        strong_atomicity: bool | None = None,
        redaction_patterns: Sequence[str] | None = None,
        adapter: str | a.PersistenceAdapter | None = None,
        redis_prefix: str | None = None,
        redis_hosts: Sequence[str] | None = None,
        redis_ca_file: str | os.PathLike[str] | None = None,
        adapter_timeout_ms: int | None = None,
        checkpoints_max_entries: int | None = None,
        checkpoints_max_age_ms: int | None = None,
        clock: str | None = None,
        logger: a.Logger | None = None,
    ) -> Self:
        """Opens a store; nothing is created until the first write.

        Parameters
        ----------
        home : str or os.PathLike, optional
            The folder that holds everything. Default: `CODEX_TOOLLOOP_HOME`, else
            `~/.codex-toolloop`.
        codex_home : str or os.PathLike, optional
            The root of memories from past runs and of recallable items, whose methods come with a
            later version. Default: `CODEX_HOME`, else `~/.codex`.
        branch_memory_root : str or os.PathLike, optional
            The root of files kept on a branch, whose methods come with a later version. Default:
            `/tmp/gh-aw/repo-memory`.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whose memory a branch reads and writes. Default: `MEMORY_BRANCH_SCOPE`, else
            `perBranch`.
        max_summaries_in_context : int, optional
            How many of the newest summaries a context pack takes. Default: 10.
        summaries_max_entries : int, optional
            How many summaries a repository keeps; beyond it the oldest go. Default: 100.
        summaries_max_bytes : int, optional
            How long the file of a repository's summaries may grow, in bytes; beyond it the oldest
            go. At most 251,658,240. Default: 1,048,576.
        summary_max_bytes : int, optional
            The longest summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
        lock_timeout_ms : int, optional
            The longest wait for a lock, in milliseconds. Default: 5,000.
        append_timeout_ms : int, optional
            The longest wait for the lock of an append, in milliseconds. Default: 1,000.
        lock_stale_ms : int, optional
            How long a lock file must stand still, in milliseconds, before it is taken over from an
            owner of whom nothing is known; only where the file system has no locks of its own.
            Default: 10,000.
        strong_atomicity : bool, optional
            Whether a write fails with `RenameError` where a file cannot be replaced at once, such
            as one that is mounted by itself. Otherwise it is copied over, with a whole copy beside
            it until that is done. Default: false.
        redaction_patterns : sequence of str, optional
            Regular expressions; what they match is redacted before anything is stored. Those of
            `config.toml` count too.
        adapter : str or PersistenceAdapter, optional
            Where working contexts are kept: `file`, `memory`, `sqlite`, or the URL of a Redis
            server. Default: `WORKING_ADAPTER`, else `file`. Or an object of your own: see
            `PersistenceAdapter`.
        redis_prefix : str, optional
            What stands before every key on a Redis server. Braces in it keep the keys of one prefix
            on one node of a cluster. Default: `{loopmem}:`.
        redis_hosts : sequence of str, optional
            Hosts of the Redis cluster besides the URL's own, as `HOST` or `HOST:PORT`. Keys that
            have moved to any other host are an error: it would be sent the password. Default: none.
        redis_ca_file : str or os.PathLike, optional
            A file of certificates as PEM, which are trusted in place of the system's when the URL
            begins with `rediss://`. Default: those that the system trusts.
        adapter_timeout_ms : int, optional
            The longest wait for one answer of an adapter that is the host's own object or a server,
            in milliseconds. Default: 30,000.
        checkpoints_max_entries : int, optional
            How many checkpoints of a job are kept; beyond it the oldest go. Default: all.
        checkpoints_max_age_ms : int, optional
            How old a checkpoint may become, in milliseconds, before the next one that is saved
            takes it away; the newest stays. Default: any age.
        clock : str, optional
            For tests: an RFC 3339 time at which this store's clock stands still.
        logger : Logger, optional
            The logger to which each call is reported when it is over, such as a `logging.Logger`.
            Default: none.

        Returns
        -------
        Store
            The store, to be closed when it is no longer needed.

        Raises
        ------
        ValidationError
            An option, or a key of the configuration, is not acceptable, or the adapter lacks a
            function.
        IoError
            The home is not a folder, or a file of the configuration cannot be read.
        """
        return await cls._open(
            {
                "home": path_text(home),
                "codexHome": path_text(codex_home),
                "branchMemoryRoot": path_text(branch_memory_root),
                "branchScope": branch_scope,
                "maxSummariesInContext": max_summaries_in_context,
                "summariesMaxEntries": summaries_max_entries,
                "summariesMaxBytes": summaries_max_bytes,
                "summaryMaxBytes": summary_max_bytes,
                "lockTimeoutMs": lock_timeout_ms,
                "appendTimeoutMs": append_timeout_ms,
                "lockStaleMs": lock_stale_ms,
                "strongAtomicity": strong_atomicity,
                "redactionPatterns": redaction_patterns,
                "adapter": adapter,
                "redisPrefix": redis_prefix,
                "redisHosts": redis_hosts,
                "redisCaFile": path_text(redis_ca_file),
                "adapterTimeoutMs": adapter_timeout_ms,
                "checkpointsMaxEntries": checkpoints_max_entries,
                "checkpointsMaxAgeMs": checkpoints_max_age_ms,
                "clock": clock,
                "logger": logger,
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
    ) -> t.RepoIdentity: ...

    @overload
    async def call(
        self,
        method: Literal["repo.sanitizeRemoteUrl"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.SanitizedUrl: ...

    @overload
    async def call(
        self,
        method: Literal["repo.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.KnownRepo]: ...

    @overload
    async def call(
        self,
        method: Literal["repo.migrate"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Migration: ...

    @overload
    async def call(
        self,
        method: Literal["memory.get"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.RepoMemory: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertConvention"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Convention: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertDecision"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Decision: ...

    @overload
    async def call(
        self,
        method: Literal["memory.upsertNote"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Note: ...

    @overload
    async def call(
        self,
        method: Literal["memory.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.MemoryRecord]: ...

    @overload
    async def call(
        self,
        method: Literal["memory.remove"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["summary.append"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Summary: ...

    @overload
    async def call(
        self,
        method: Literal["summary.endStep"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Summary: ...

    @overload
    async def call(
        self,
        method: Literal["summary.list"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.Summary]: ...

    @overload
    async def call(
        self,
        method: Literal["context.build"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.ContextPack: ...

    @overload
    async def call(
        self,
        method: Literal["working.getContext"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.updateContext"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.addLog"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.MemoryEntry: ...

    @overload
    async def call(
        self,
        method: Literal["working.getLogs"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.MemoryEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.searchLogs"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.ScoredEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.saveCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Checkpoint: ...

    @overload
    async def call(
        self,
        method: Literal["working.restoreCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> dict[str, t.JsonValue]: ...

    @overload
    async def call(
        self,
        method: Literal["working.listCheckpoints"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[int]: ...

    @overload
    async def call(
        self,
        method: Literal["working.deleteCheckpoint"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["working.history"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.TrailEntry]: ...

    @overload
    async def call(
        self,
        method: Literal["working.listScopes"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[str]: ...

    @overload
    async def call(
        self,
        method: Literal["working.deleteScope"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Removed: ...

    @overload
    async def call(
        self,
        method: Literal["safety.redact"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.Redacted: ...

    @overload
    async def call(
        self,
        method: Literal["safety.scan"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.SecretFinding]: ...

    @overload
    async def call(
        self,
        method: Literal["safety.rules"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> list[t.SecretRule]: ...

    @overload
    async def call(
        self,
        method: Literal["doctor.check"],
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> t.DoctorReport: ...

    @overload
    async def call(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> object: ...

    async def call(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> object:
        """Calls a method by its name.

        Offsets into a text are UTF-8 bytes here.

        Parameters
        ----------
        method : str
            Its name, such as `memory.get`.
        params : mapping, optional
            What it takes, by the names that every language has for it. Default: nothing.
        timeout : float, optional
            The longest wait in seconds, for locks and for answers of an adapter, all of them
            together. 0 does not wait. Default: as configured.
        cancel : Cancel, optional
            A request to stop waiting, which may be made from any thread.

        Returns
        -------
        object
            What the method returns, as `json.loads` reads it.

        Raises
        ------
        ValidationError
            There is no such method, or it takes no such params.
        LoopmemError
            Whatever the method of this name raises.
        """
        return await self._caller.call(method, {} if params is None else params, timeout=timeout, cancel=cancel)
