"""What a store may be lent: an adapter that keeps working contexts, and a logger."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol


class PersistenceAdapter(Protocol):
    """A storage backend of your own. Each function may be `async def` or not.

    Keys are texts such as `context:JOB`; values and items are what JSON can tell, and the adapter's own to keep. What a
    function raises is the `__cause__` of the call's `AdapterError`. Functions that are not `async` are called on the
    thread of the call, several at once, and must end by themselves; asynchronous ones run on the event loop that was
    running when the store was opened, or else on one that the store has for itself. Of calls that change one scope of a
    store one begins when the last has ended; those that read it run side by side.

    Three more functions may be there. Without them a change is atomic only among the calls of one store:

    `compare_and_set(key, expected, value)`: sets the value, or takes it away for None, if what stands there still equals
    `expected` (None: nothing); tells whether it did.

    `get_range(key, start)`: the items from `start` on, counted from the end when it is negative.

    `list_keys(prefix)`: the keys that begin so.
    """

    def get(self, key: str, /) -> object:
        """The value under `key`, or None."""

    def set(self, key: str, value: Any, /) -> object:
        """Puts a value under `key`."""

    def delete(self, key: str, /) -> object:
        """Takes away what is under `key`, a value or a list; fine when nothing is."""

    def push(self, key: str, item: Any, /) -> object:
        """Puts an item behind the others of a list, which begins empty."""

    def get_list(self, key: str, /) -> Sequence[object] | Awaitable[Sequence[object]]:
        """Every item of a list, in the order in which they were pushed; of one that there is not, none."""


class AsyncPersistenceAdapter(Protocol):
    """A `PersistenceAdapter` of which every function is awaited."""

    async def get(self, key: str, /) -> object:
        """The value under `key`, or None."""

    async def set(self, key: str, value: Any, /) -> object:
        """Puts a value under `key`."""

    async def delete(self, key: str, /) -> object:
        """Takes away what is under `key`, a value or a list; fine when nothing is."""

    async def push(self, key: str, item: Any, /) -> object:
        """Puts an item behind the others of a list, which begins empty."""

    async def get_list(self, key: str, /) -> Sequence[object]:
        """Every item of a list, in the order in which they were pushed; of one that there is not, none."""
        ...


class Logger(Protocol):
    """What is told of calls when they are over, such as a `logging.Logger`. What it raises changes nothing for the call.

    `extra["loopmem"]` says the same as the message to programs. Of calls that are awaited it is told on a thread of
    loopmem's.
    """

    def debug(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """What happened, for somebody who looks closely."""

    def info(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Something that is done rarely."""

    def warning(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Something that a person should know and that stops nothing."""

    def error(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """A call failed."""


__all__ = ["AsyncPersistenceAdapter", "Logger", "PersistenceAdapter"]
