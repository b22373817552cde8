"""What a host may pass to a store: an adapter that stores working contexts, a logger, and a tokenizer."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class PersistenceAdapter(Protocol):
    """A storage backend of your own.

    Each function may be `async def` or not. Keys are text such as `context:JOB`; values and items are JSON, and the
    adapter may keep the objects it receives. An exception in a function becomes the `__cause__` of the call's
    `AdapterError`. Functions that are not `async` run on the calling thread, possibly several at once, and are not
    interrupted; asynchronous ones run on the event loop that was running when the store was opened, or else on a
    private loop of the store. Within one store, calls that change a scope run one after the other; calls that only
    read it run concurrently.

    Notes
    -----
    Three more functions are optional. Without `compare_and_set`, a change is atomic only within one store.

    `compare_and_set(key, expected, value)`
        Atomically sets the value, provided that the current one equals `expected` (None: there is none). Returns
        whether it did.
    `get_range(key, start)`
        Returns the items from `start` on; a negative `start` counts from the end.
    `list_keys(prefix)`
        Returns the keys that begin with the prefix.
    """

    def get(self, key: str, /) -> object:
        """Returns the value of `key`, or None."""

    def set(self, key: str, value: Any, /) -> object:
        """Sets the value of `key`."""

    def delete(self, key: str, /) -> object:
        """Deletes the value or the list of `key`, if there is one."""

    def push(self, key: str, item: Any, /) -> object:
        """Appends an item to the list of `key`, which is created if it does not exist."""

    def get_list(self, key: str, /) -> Sequence[object] | Awaitable[Sequence[object]]:
        """Returns the items of the list of `key` in the order in which they were pushed; none if there is no list."""
        ...


class AsyncPersistenceAdapter(Protocol):
    """A `PersistenceAdapter` whose functions are all asynchronous."""

    async def get(self, key: str, /) -> object:
        """Returns the value of `key`, or None."""

    async def set(self, key: str, value: Any, /) -> object:
        """Sets the value of `key`."""

    async def delete(self, key: str, /) -> object:
        """Deletes the value or the list of `key`, if there is one."""

    async def push(self, key: str, item: Any, /) -> object:
        """Appends an item to the list of `key`, which is created if it does not exist."""

    async def get_list(self, key: str, /) -> Sequence[object]:
        """Returns the items of the list of `key` in the order in which they were pushed; none if there is no list."""
        ...


class DebugLogger(Protocol):
    """A logger of routine changes."""

    def debug(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Logs a routine change."""


class InfoLogger(Protocol):
    """A logger of rarer changes."""

    def info(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Logs a rarer change."""


class WarningLogger(Protocol):
    """A logger of conditions that someone should know about."""

    def warning(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Logs a condition that someone should know about but that stops nothing."""


class ErrorLogger(Protocol):
    """A logger of failed calls."""

    def error(self, message: str, /, *, extra: Mapping[str, Any]) -> object:
        """Logs a failed call."""


Logger: TypeAlias = DebugLogger | InfoLogger | WarningLogger | ErrorLogger
"""A logger that receives each call when it is over, such as a `logging.Logger`.

It has some of the functions `debug`, `info`, `warning` and `error`; what it has no function for is not logged.
`extra["loopmem"]` has the same information as the message, for programs. An exception in a logger does not affect the
call. Asynchronous calls are logged on one of loopmem's threads.
"""


class CountTokens(Protocol):
    """Counts the tokens of a text as a model's tokenizer does, for limits in tokens such as that of `items.recall`.

    It may be `async def` or not, and runs where the functions of a `PersistenceAdapter` do, a few times per call.
    """

    def __call__(self, text: str, /) -> int | Awaitable[int]:
        """Returns the number of tokens of `text`."""
        ...


__all__ = [
    "AsyncPersistenceAdapter",
    "CountTokens",
    "DebugLogger",
    "ErrorLogger",
    "InfoLogger",
    "Logger",
    "PersistenceAdapter",
    "WarningLogger",
]
