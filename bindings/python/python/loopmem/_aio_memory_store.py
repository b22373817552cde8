"""The contexts, logs and checkpoints of jobs, with the specification's own functions, to be awaited."""

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
    """The working memory of a home: what `store.working` has, with scopes and jobs as plain arguments.

        async with aio.create_memory_store(adapter=MyAdapter()) as store:
            await store.update_context("job-1", {"step": 2})
            print((await store.get_context("job-1"))["step"])
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        """Used by `create_memory_store`."""
        self._store = store

    async def get_context(self, scope_id: str) -> dict[str, t.JsonValue]:
        """The context of a scope, `{}` when there is none. It is the caller's own."""
        return await self._store.working.get_context(scope_id=scope_id)

    async def update_context(
        self,
        scope_id: str,
        patch: Mapping[str, object],
        *,
        remove: Sequence[str] | None = None,
        source: str | None = None,
    ) -> dict[str, t.JsonValue]:
        """Takes the names in `remove` away from a scope's context, sets the values of `patch` in it, and returns the new
        one. Nothing deeper is merged; None is stored. `source` is told in the trail.
        """
        return await self._store.working.update_context(scope_id=scope_id, patch=patch, remove=remove, source=source)

    async def add_log(self, scope_id: str, entry: t.MemoryEntryDraft | t.MemoryEntry) -> None:
        """Adds an entry to a scope's log."""
        await self._store.working.add_log(scope_id=scope_id, entry=entry)

    async def get_logs(self, scope_id: str, *, limit: int | None = None, after: str | None = None) -> list[t.MemoryEntry]:
        """A scope's log, oldest entry first: the last `limit` entries, or, with `after`, the first that follow the entry
        with this id.
        """
        return await self._store.working.get_logs(scope_id=scope_id, limit=limit, after=after)

    async def search_logs(
        self,
        scope_id: str,
        *,
        embedding: Sequence[float] | None = None,
        text: str | None = None,
        limit: int | None = None,
    ) -> list[t.ScoredEntry]:
        """The entries of a scope's log that fit a vector or a text, the best first: at most `limit`, or 10."""
        return await self._store.working.search_logs(scope_id=scope_id, embedding=embedding, text=text, limit=limit)

    async def save_checkpoint(self, job_id: str) -> int:
        """Saves a job's context as it is, and returns the checkpoint's timestamp in milliseconds."""
        return (await self._store.working.save_checkpoint(job_id=job_id))["timestamp"]

    async def restore_checkpoint(self, job_id: str, timestamp: int) -> dict[str, t.JsonValue]:
        """Puts the context that a checkpoint holds in the place of the job's, and returns it."""
        return await self._store.working.restore_checkpoint(job_id=job_id, timestamp=timestamp)

    async def list_checkpoints(self, job_id: str) -> list[int]:
        """The timestamps of a job's checkpoints, oldest first."""
        return await self._store.working.list_checkpoints(job_id=job_id)

    async def delete_checkpoint(self, job_id: str, timestamp: int) -> bool:
        """Deletes a checkpoint; tells whether there was one."""
        return (await self._store.working.delete_checkpoint(job_id=job_id, timestamp=timestamp))["removed"]

    async def history(self, scope_id: str, *, limit: int | None = None) -> list[t.TrailEntry]:
        """What changed a scope's context, oldest first: the last `limit` changes, or all."""
        return await self._store.working.history(scope_id=scope_id, limit=limit)

    async def list_scopes(self) -> list[str]:
        """The ids of the scopes of which something is kept, in their order."""
        return await self._store.working.list_scopes()

    async def delete_scope(self, scope_id: str) -> bool:
        """Deletes everything of a scope: context, trail, log and checkpoints; tells whether there was anything."""
        return (await self._store.working.delete_scope(scope_id=scope_id))["removed"]

    def close(self) -> None:
        """Closes the store. Calls that are under way finish; later ones raise `Misuse`. Closing again does nothing."""
        self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create_memory_store(**options: Unpack[t.StoreOptions]) -> MemoryStore:
    """Opens a store for working contexts; nothing is waited for. `adapter` says where they are kept: a text, or an object of
    your own; `logger` is told of every call. The other options are those of `Store.open`.
    """
    return MemoryStore(Store(Blocking.open(**options)._native))


__all__ = ["MemoryStore", "create_memory_store"]
