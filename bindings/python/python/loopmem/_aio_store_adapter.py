"""A built-in adapter as an object, for asyncio."""

from __future__ import annotations

from ._aio_store import Store
from ._store import Lender
from ._store import Store as Blocking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import _types as t


class StoreAdapter(Lender):
    """A built-in adapter for asyncio.

    See Also
    --------
    loopmem.StoreAdapter : The blocking adapter, with the same methods, parameters and results.

    Examples
    --------
    >>> async with aio.open_adapter(adapter="sqlite") as adapter:
    ...     await adapter.set("context:job-1", {"step": "plan"})
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        """Used by `open_adapter`."""
        super().__init__(store._native)
        self._store = store

    async def get(self, key: str, /) -> t.JsonValue:
        """Returns the value under a key; None if there is none."""
        return (await self._store.adapter.get(key))["value"]

    async def set(self, key: str, value: object, /) -> None:
        """Sets the value under a key."""
        await self._store.adapter.set(key, value=value)

    async def delete(self, key: str, /) -> None:
        """Deletes the value and the list under a key; a missing key is not an error."""
        await self._store.adapter.delete(key)

    async def push(self, key: str, item: object, /) -> None:
        """Appends an item to the list under a key, which is created if it does not exist."""
        await self._store.adapter.push(key, item=item)

    async def get_list(self, key: str, /) -> list[t.JsonValue]:
        """Returns the items of the list under a key in the order in which they were pushed; empty if there is none."""
        return await self._store.adapter.get_list(key)

    def close(self) -> None:
        """Closes the adapter.

        Stores that were opened with it stay open. Closing a closed adapter does nothing.
        """
        self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_adapter(**options: Unpack[t.StoreOptions]) -> StoreAdapter:
    """Opens a built-in adapter as an object. The function is not asynchronous.

    See Also
    --------
    loopmem.open_adapter : The blocking function, with the same parameters, result and errors.
    """
    return StoreAdapter(Store(Blocking.open(**options)._native))


__all__ = ["StoreAdapter", "open_adapter"]
