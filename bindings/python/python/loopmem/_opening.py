"""A store that is being opened, by `await` or by `async with`."""

from __future__ import annotations

from ._room import like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractAsyncContextManager
    from typing import Any, TypeVar

    S = TypeVar("S")

    class Opening(Coroutine[Any, Any, S], AbstractAsyncContextManager[S]):
        """A store that is being opened: await it, or enter it with `async with`."""

    def opening(function: Callable[..., object]) -> Callable[..., Any]:
        """The asynchronous form of `open` in `_rooms`, with its signature and docstring."""
        raise NotImplementedError

else:

    class Opening:
        """A store that is being opened: await it, or enter it with `async with`."""

        __slots__ = ("_coroutine", "_store")

        def __init__(self, coroutine):
            self._coroutine = coroutine

        def __await__(self):
            return self._coroutine.__await__()

        # Those of a coroutine, so that a task can be made of it.
        def send(self, value):
            return self._coroutine.send(value)

        def throw(self, *error):
            return self._coroutine.throw(*error)

        def close(self):
            self._coroutine.close()

        async def __aenter__(self):
            self._store = await self._coroutine
            return self._store

        async def __aexit__(self, kind, error, trace):
            self._store.close()

    def opening(function):
        """The asynchronous form of `open` in `_rooms`, with its signature and docstring."""

        def method(cls, /, **options):
            return Opening(function(cls, **options))

        return like(function, method)
