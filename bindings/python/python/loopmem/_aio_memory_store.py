"""The memory store of the specification for asyncio."""

from __future__ import annotations

from ._aio_store import Store
from ._store import Store as Blocking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import _types as t


class MemoryStore:
    """Working contexts, logs and checkpoints for asyncio.

    See Also
    --------
    loopmem.MemoryStore : The blocking store, with the same methods, parameters, results and errors.

    Examples
    --------
    >>> async with aio.create_memory_store(adapter=MyAdapter()) as store:
    ...     await store.update_context("job-1", {"step": 2})
    ...     print((await store.get_context("job-1"))["step"])
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        """Used by `create_memory_store`."""
        self._store = store

    async def get_context(self, scope_id: str) -> dict[str, t.JsonValue]:
        """Returns the context of a scope."""
        return await self._store.working.get_context(scope_id=scope_id)

    async def update_context(
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
        """Updates the context of a scope and returns the new context."""
        return await self._store.working.update_context(
            scope_id, patch=patch, remove=remove, increment=increment, append=append, expect=expect, source=source
        )

    async def add_log(self, scope_id: str, entry: t.MemoryEntryDraft | t.MemoryEntry) -> None:
        """Adds an entry to the log of a scope."""
        await self._store.working.add_log(scope_id=scope_id, entry=entry)

    async def get_logs(
        self, scope_id: str, *, limit: int | None = None, after: str | None = None
    ) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first."""
        return await self._store.working.get_logs(scope_id=scope_id, limit=limit, after=after)

    async def search_logs(
        self,
        scope_id: str,
        *,
        embedding: Sequence[float] | None = None,
        text: str | None = None,
        limit: int | None = None,
    ) -> list[t.ScoredEntry]:
        """Searches the log of a scope by embedding or by text."""
        return await self._store.working.search_logs(scope_id=scope_id, embedding=embedding, text=text, limit=limit)

    async def save_checkpoint(self, job_id: str) -> int:
        """Saves the context of a job as a checkpoint."""
        return (await self._store.working.save_checkpoint(job_id=job_id))["timestamp"]

    async def restore_checkpoint(self, job_id: str, timestamp: int) -> dict[str, t.JsonValue]:
        """Replaces the context of a job with the one saved in a checkpoint."""
        return await self._store.working.restore_checkpoint(job_id=job_id, timestamp=timestamp)

    async def list_checkpoints(self, job_id: str) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first."""
        return await self._store.working.list_checkpoints(job_id=job_id)

    async def delete_checkpoint(self, job_id: str, timestamp: int) -> bool:
        """Deletes a checkpoint of a job."""
        return (await self._store.working.delete_checkpoint(job_id=job_id, timestamp=timestamp))["removed"]

    async def history(self, scope_id: str, *, limit: int | None = None) -> list[t.TrailEntry]:
        """Returns the changes to the context of a scope, oldest first."""
        return await self._store.working.history(scope_id=scope_id, limit=limit)

    async def list_scopes(self) -> list[str]:
        """Returns the ids of all scopes that have stored data, sorted."""
        return await self._store.working.list_scopes()

    async def delete_scope(self, scope_id: str) -> bool:
        """Deletes everything stored for a scope: its context, trail, log and checkpoints."""
        return (await self._store.working.delete_scope(scope_id=scope_id))["removed"]

    def close(self) -> None:
        """Closes the store.

        Calls in progress finish; later ones raise `Misuse`. Closing a closed store does nothing.
        """
        self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create_memory_store(**options: Unpack[t.StoreOptions]) -> MemoryStore:
    """Opens a store for working contexts. The function is not asynchronous.

    See Also
    --------
    loopmem.create_memory_store : The function for a blocking store, with the same options and errors.
    """
    return MemoryStore(Store(Blocking.open(**options)._native))


__all__ = ["MemoryStore", "create_memory_store"]
