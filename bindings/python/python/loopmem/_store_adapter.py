"""A built-in adapter as an object: the functions of an adapter on a store of its own."""

from __future__ import annotations

from ._store import Lender, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import _types as t


class StoreAdapter(Lender):
    """A built-in adapter: `file`, `sqlite`, `memory` or a Redis server.

    Keys are those of working contexts (`context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
    `checkpoint:JOB:TIMESTAMP`), or any other text.

    Examples
    --------
    >>> with open_adapter(adapter="sqlite") as adapter, create_memory_store(adapter=adapter) as store:
    ...     adapter.set("context:job-1", {"step": "plan"})
    ...     print(store.get_context("job-1")["step"])
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        """Used by `open_adapter`."""
        super().__init__(store._native)
        self._store = store

    def get(self, key: str, /) -> t.JsonValue:
        """Returns the value under a key; None if there is none."""
        return self._store.adapter.get(key)["value"]

    def set(self, key: str, value: object, /) -> None:
        """Sets the value under a key.

        It may be any JSON, and must be a dict under `context:SCOPE` and `checkpoint:JOB:TIMESTAMP`.
        """
        self._store.adapter.set(key, value=value)

    def delete(self, key: str, /) -> None:
        """Deletes the value and the list under a key; a missing key is not an error."""
        self._store.adapter.delete(key)

    def push(self, key: str, item: object, /) -> None:
        """Appends an item to the list under a key, which is created if it does not exist."""
        self._store.adapter.push(key, item=item)

    def get_list(self, key: str, /) -> list[t.JsonValue]:
        """Returns the items of the list under a key in the order in which they were pushed; empty if there is none."""
        return self._store.adapter.get_list(key)

    def close(self) -> None:
        """Closes the adapter.

        Stores that were opened with it stay open. Closing a closed adapter does nothing.
        """
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_adapter(**options: Unpack[t.StoreOptions]) -> StoreAdapter:
    """Opens a built-in adapter as an object.

    Parameters
    ----------
    **options
        The options of `Store.open`. `adapter` is `file`, `sqlite`, `memory` or the URL of a Redis server.

    Returns
    -------
    StoreAdapter
        The adapter; close it when it is no longer needed.

    Raises
    ------
    ValidationError
        An option or a key of the configuration is invalid.
    IoError
        The home is not a folder, or a configuration file cannot be read.
    """
    return StoreAdapter(Store.open(**options))


__all__ = ["StoreAdapter", "open_adapter"]
