"""The contexts, logs and checkpoints of jobs, with the specification's own functions."""

from __future__ import annotations

from ._store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import _types as t


class MemoryStore:
    """The working memory of a home: what `store.working` has, with scopes and jobs as plain arguments.

    Notes
    -----
    Every method raises `ValidationError` or `SecretRefused` for an argument that is not acceptable,
    `LockAcquisitionError` when it has waited too long, `ParseError` or `FormatTooNew` for stored data that cannot be
    read, `AdapterError`, `IoError` or `RenameError` when the storage fails, and `Misuse` when the store is closed.

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
            The scope: a job's id, `global`, or any other text.

        Returns
        -------
        dict
            The context, which is the caller's own; `{}` when there is none.
        """
        return self._store.working.get_context(scope_id=scope_id)

    def update_context(
        self,
        scope_id: str,
        patch: Mapping[str, object],
        *,
        remove: Sequence[str] | None = None,
        source: str | None = None,
    ) -> dict[str, t.JsonValue]:
        """Changes the context of a scope.

        Names in `remove` are removed first, then the values of `patch` are set. Each value replaces the whole one
        before: nothing is merged any deeper, and None is stored as a value. The change is recorded in the trail.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        patch : mapping
            The values to set, by name.
        remove : sequence of str, optional
            The names to remove. Default: none.
        source : str, optional
            Who changes it, for the trail.

        Returns
        -------
        dict
            The new context, which is the caller's own.

        Raises
        ------
        Conflict
            Other writers changed the scope again and again; try again with back-off.
        """
        return self._store.working.update_context(scope_id=scope_id, patch=patch, remove=remove, source=source)

    def add_log(self, scope_id: str, entry: t.MemoryEntryDraft | t.MemoryEntry) -> None:
        """Adds an entry to the log of a scope.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        entry : MemoryEntryDraft or MemoryEntry
            The entry.
        """
        self._store.working.add_log(scope_id=scope_id, entry=entry)

    def get_logs(self, scope_id: str, *, limit: int | None = None, after: str | None = None) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        limit : int, optional
            At most so many: the last ones, or, with `after`, the first that follow. Default: all.
        after : str, optional
            Only those that follow the entry with this id.

        Returns
        -------
        list of MemoryEntry
            The entries.

        Raises
        ------
        NotFound
            No entry has the id in `after`.
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
        """Finds entries in the log of a scope by a vector or by words.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        embedding : sequence of float, optional
            The vector to be near to. Either this or `text` is given.
        text : str, optional
            The words to be found.
        limit : int, optional
            At most so many. Default: 10.

        Returns
        -------
        list of ScoredEntry
            The entries with their scores, the best first.
        """
        return self._store.working.search_logs(scope_id=scope_id, embedding=embedding, text=text, limit=limit)

    def save_checkpoint(self, job_id: str) -> int:
        """Saves the context of a job as it is.

        Parameters
        ----------
        job_id : str
            The job, whose id is that of its scope.

        Returns
        -------
        int
            The checkpoint's timestamp, in milliseconds since 1970.

        Raises
        ------
        Conflict
            Other writers changed the scope again and again; try again with back-off.
        """
        return self._store.working.save_checkpoint(job_id=job_id)["timestamp"]

    def restore_checkpoint(self, job_id: str, timestamp: int) -> dict[str, t.JsonValue]:
        """Replaces the context of a job by that of a checkpoint.

        Parameters
        ----------
        job_id : str
            The job, whose id is that of its scope.
        timestamp : int
            The checkpoint, as `save_checkpoint` returned it.

        Returns
        -------
        dict
            The context, which is the caller's own.

        Raises
        ------
        NotFound
            The job has no checkpoint with this timestamp.
        Conflict
            Other writers changed the scope again and again; try again with back-off.
        """
        return self._store.working.restore_checkpoint(job_id=job_id, timestamp=timestamp)

    def list_checkpoints(self, job_id: str) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first.

        Parameters
        ----------
        job_id : str
            The job, whose id is that of its scope.

        Returns
        -------
        list of int
            In milliseconds since 1970.
        """
        return self._store.working.list_checkpoints(job_id=job_id)

    def delete_checkpoint(self, job_id: str, timestamp: int) -> bool:
        """Deletes a checkpoint of a job.

        Parameters
        ----------
        job_id : str
            The job, whose id is that of its scope.
        timestamp : int
            The checkpoint, as `save_checkpoint` returned it.

        Returns
        -------
        bool
            Whether there was one.

        Raises
        ------
        Conflict
            Other writers changed the scope again and again; try again with back-off.
        """
        return self._store.working.delete_checkpoint(job_id=job_id, timestamp=timestamp)["removed"]

    def history(self, scope_id: str, *, limit: int | None = None) -> list[t.TrailEntry]:
        """Returns the changes of a scope's context, oldest first.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.
        limit : int, optional
            At most so many: the last ones. Default: all.

        Returns
        -------
        list of TrailEntry
            The changes.
        """
        return self._store.working.history(scope_id=scope_id, limit=limit)

    def list_scopes(self) -> list[str]:
        """Returns the ids of the scopes that something is stored for, sorted.

        Returns
        -------
        list of str
            The ids.

        Raises
        ------
        Unsupported
            The adapter cannot list its keys.
        """
        return self._store.working.list_scopes()

    def delete_scope(self, scope_id: str) -> bool:
        """Deletes everything of a scope: its context, trail, log and checkpoints.

        Parameters
        ----------
        scope_id : str
            The scope: a job's id, `global`, or any other text.

        Returns
        -------
        bool
            Whether there was anything.
        """
        return self._store.working.delete_scope(scope_id=scope_id)["removed"]

    def close(self) -> None:
        """Closes the store.

        Calls that are under way finish; later ones raise `Misuse`. Closing a closed store does nothing.
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
        Those of `Store.open`. `adapter` says where working contexts are stored: a text, or an object of your own, see
        `PersistenceAdapter`. `logger` is the logger to which each call is reported.

    Returns
    -------
    MemoryStore
        The store, to be closed when it is no longer needed.

    Raises
    ------
    ValidationError
        An option, or a key of the configuration, is not acceptable, or the adapter lacks a function.
    IoError
        The home is not a folder, or a file of the configuration cannot be read.
    """
    return MemoryStore(Store.open(**options))


__all__ = ["MemoryStore", "create_memory_store"]
