"""What a host may pass to a store: an adapter that keeps working contexts, and a logger."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol


class PersistenceAdapter(Protocol):
    """A storage backend of your own.

    Each function may be `async def` or not. Keys are texts such as `context:JOB`; values and items are what JSON can
    tell, and the adapter's own to keep. What a function raises is the `__cause__` of the call's `AdapterError`.
    Functions that are not `async` are called on the thread of the call, several at once, and must end by themselves;
    asynchronous ones run on the event loop that was running when the store was opened, or else on one that the store
    has for itself. Of calls that change one scope of a store one begins when the last has ended; those that read it run
    side by side.

    Notes
    -----
    Three more functions are optional. Without them a change is atomic only among the calls of one store.

    `compare_and_set(key, expected, value)`
        Sets the value, or deletes it for None, if the stored one still equals `expected` (None: there is none). Returns
        whether it did.
    `get_range(key, start)`
        Returns the items from `start` on, counted from the end when it is negative.
    `list_keys(prefix)`
        Returns the keys that begin with the prefix.
    """

    def get(self, key: str, /) -> object:
        """Returns the value under `key`, or None."""

    def set(self, key: str, value: Any, /) -> object:
        """Stores a value under `key`."""

    def delete(self, key: str, /) -> object:
        """Deletes what is under `key`, a value or a list, if there is anything."""

    def push(self, key: str, item: Any, /) -> object:
        """Appends an item to the list under `key`, which begins empty."""

    def get_list(self, key: str, /) -> Sequence[object] | Awaitable[Sequence[object]]:
        """Returns every item of the list under `key`, in the order in which they were pushed; without a list, none."""


class AsyncPersistenceAdapter(Protocol):
    """A `PersistenceAdapter` of which every function is awaited."""

    async def get(self, key: str, /) -> object:
        """Returns the value under `key`, or None."""

    async def set(self, key: str, value: Any, /) -> object:
        """Stores a value under `key`."""

    async def delete(self, key: str, /) -> object:
        """Deletes what is under `key`, a value or a list, if there is anything."""

    async def push(self, key: str, item: Any, /) -> object:
        """Appends an item to the list under `key`, which begins empty."""

    async def get_list(self, key: str, /) -> Sequence[object]:
        """Returns every item of the list under `key`, in the order in which they were pushed; without a list, none."""
        ...


class Logger(Protocol):
    """What calls are reported to when they are over, such as a `logging.Logger`.

    `extra["loopmem"]` says the same as the message to programs. What a logger raises changes nothing for the call.
    Calls that are awaited are reported on a thread of loopmem's.
    """

    def debug(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Reports what happened, for debugging."""

    def info(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Reports something that is done rarely."""

    def warning(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Reports something that a person should know and that stops nothing."""

    def error(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Reports a call that failed."""


__all__ = ["AsyncPersistenceAdapter", "Logger", "PersistenceAdapter"]
