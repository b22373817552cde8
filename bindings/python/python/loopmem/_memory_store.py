"""The memory store of the specification: working contexts, logs and checkpoints on one store."""

from __future__ import annotations

from ._store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import _types as t


class MemoryStore:
    """Working contexts, logs and checkpoints: `store.working` with scopes and jobs as positional arguments.

    Examples
    --------
    >>> with create_memory_store(logger=logging.getLogger("jobs")) as store:
    ...     store.update_context("job-1", {"step": 2})
    ...     print(store.get_context("job-1")["step"])
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        """Used by `create_memory_store`."""
        self._store = store

    def get_context(self, scope_id: str) -> dict[str, t.JsonValue]:
        """Returns the context of a scope.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.

        Returns
        -------
        dict
            A copy of the context; `{}` if there is none.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.get_context(scope_id=scope_id)

    def update_context(
        self,
        scope_id: str,
        patch: Mapping[str, object] | None = None,
        *,
        remove: Sequence[str] | None = None,
        increment: Mapping[str, float] | None = None,
        append: Mapping[str, Sequence[object]] | None = None,
        expect: Mapping[str, object] | None = None,
        source: str | None = None,
    ) -> dict[str, t.JsonValue]:
        """Updates the context of a scope and returns the new context.

        The names in `remove` are removed first, then the values of `patch` are set. Each value replaces the whole
        previous one, without a deep merge; None is stored as null. With `increment` and `append`, no other writer's
        change is lost. The change is recorded in the trail.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        patch : mapping, optional
            The values to set, by name. Default: none.
        remove : sequence of str, optional
            The names to remove. Default: none.
        increment : mapping, optional
            Numbers to add to the values of these names; one that is missing counts as 0. Default: none.
        append : mapping, optional
            Lists whose elements are appended to the lists of these names; one that is missing counts as empty.
            Default: none.
        expect : mapping, optional
            The values that these names must have, or nothing is changed; None for a name that must be missing.
            Default: any.
        source : str, optional
            Who makes the change, for the trail.

        Returns
        -------
        dict
            A copy of the new context.

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
            A value is not the expected one, or other writers kept changing the scope; try again with back-off.
        AdapterError
            A server or the host's adapter failed.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.update_context(
            scope_id, patch=patch, remove=remove, increment=increment, append=append, expect=expect, source=source
        )

    def add_log(self, scope_id: str, entry: t.MemoryEntryDraft | t.MemoryEntry) -> None:
        """Adds an entry to the log of a scope.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        entry : MemoryEntryDraft or MemoryEntry
            The entry.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        self._store.working.add_log(scope_id=scope_id, entry=entry)

    def get_logs(self, scope_id: str, *, limit: int | None = None, after: str | None = None) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        limit : int, optional
            The maximum number of entries: the last ones or, with `after`, the first ones that follow. Default: all.
        after : str, optional
            Only entries that follow the one with this id.

        Returns
        -------
        list of MemoryEntry
            The entries.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.get_logs(scope_id=scope_id, limit=limit, after=after)

    def search_logs(
        self,
        scope_id: str,
        *,
        embedding: Sequence[float] | None = None,
        text: str | None = None,
        limit: int | None = None,
    ) -> list[t.ScoredEntry]:
        """Searches the log of a scope by embedding or by text.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        embedding : sequence of float, optional
            The embedding to compare with. Pass either this or `text`.
        text : str, optional
            The words to search for.
        limit : int, optional
            The maximum number of entries. Default: 10.

        Returns
        -------
        list of ScoredEntry
            The entries with their scores, best first.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.search_logs(scope_id=scope_id, embedding=embedding, text=text, limit=limit)

    def save_checkpoint(self, job_id: str) -> int:
        """Saves the context of a job as a checkpoint.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.

        Returns
        -------
        int
            The checkpoint's timestamp, in milliseconds since 1970.

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
            Other writers kept changing the scope; try again with back-off.
        AdapterError
            A server or the host's adapter failed.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.save_checkpoint(job_id=job_id)["timestamp"]

    def restore_checkpoint(self, job_id: str, timestamp: int) -> dict[str, t.JsonValue]:
        """Replaces the context of a job with the one saved in a checkpoint.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timestamp : int
            The checkpoint, as `save_checkpoint` returned it.

        Returns
        -------
        dict
            A copy of the context.

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
            Other writers kept changing the scope; try again with back-off.
        AdapterError
            A server or the host's adapter failed.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.restore_checkpoint(job_id=job_id, timestamp=timestamp)

    def list_checkpoints(self, job_id: str) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.

        Returns
        -------
        list of int
            In milliseconds since 1970.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.list_checkpoints(job_id=job_id)

    def delete_checkpoint(self, job_id: str, timestamp: int) -> bool:
        """Deletes a checkpoint of a job.

        Parameters
        ----------
        job_id : str
            The job; its scope has the same id.
        timestamp : int
            The checkpoint, as `save_checkpoint` returned it.

        Returns
        -------
        bool
            Whether it existed.

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
            Other writers kept changing the scope; try again with back-off.
        AdapterError
            A server or the host's adapter failed.
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.delete_checkpoint(job_id=job_id, timestamp=timestamp)["removed"]

    def history(self, scope_id: str, *, limit: int | None = None) -> list[t.TrailEntry]:
        """Returns the changes to the context of a scope, oldest first.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.
        limit : int, optional
            The maximum number of changes: the last ones. Default: all.

        Returns
        -------
        list of TrailEntry
            The changes.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.history(scope_id=scope_id, limit=limit)

    def list_scopes(self) -> list[str]:
        """Returns the ids of all scopes that have stored data, sorted.

        Returns
        -------
        list of str
            The ids.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.list_scopes()

    def delete_scope(self, scope_id: str) -> bool:
        """Deletes everything stored for a scope: its context, trail, log and checkpoints.

        Parameters
        ----------
        scope_id : str
            The scope: a job id, `global`, or any other text.

        Returns
        -------
        bool
            Whether there was anything.

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
        FormatTooNew
            A file was written by a newer version of loopmem; it was not changed.
        Misuse
            The library was used incorrectly, such as by a call on a closed store.
        """
        return self._store.working.delete_scope(scope_id=scope_id)["removed"]

    def close(self) -> None:
        """Closes the store.

        Calls in progress finish; later ones raise `Misuse`. Closing a closed store does nothing.
        """
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create_memory_store(**options: Unpack[t.StoreOptions]) -> MemoryStore:
    """Opens a store for working contexts.

    Parameters
    ----------
    **options
        The options of `Store.open`. `adapter` is where working contexts are stored: a string, or an object of your own
        (see `PersistenceAdapter`). `logger` receives each call when it is over.

    Returns
    -------
    MemoryStore
        The store; close it when it is no longer needed.

    Raises
    ------
    ValidationError
        An option or a key of the configuration is invalid, or the adapter lacks a required function.
    IoError
        The home is not a folder, or a configuration file cannot be read.
    """
    return MemoryStore(Store.open(**options))


__all__ = ["MemoryStore", "create_memory_store"]
