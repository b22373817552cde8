"""A store for asyncio: an open home, with asynchronous methods and `call`."""

from __future__ import annotations

import atexit

from ._aio_rooms import StoreApi
from ._caller import AsyncCaller
from ._native import NativeStore, end_deliveries
from ._refusal import error_of
from ._store import lent, open_native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self

# A thread that runs Python during the finalization of the interpreter would abort the process.
atexit.register(end_deliveries)


class Store(StoreApi):
    """An open home with asynchronous methods.

    Any number of stores, in any number of processes and languages, may share one home. `open` opens a store; its
    methods are grouped by module, such as `store.memory.upsert_note`.

    Examples
    --------
    >>> async with Store.open() as store:
    ...     await store.memory.upsert_convention(
    ...         {"title": "Use pnpm workspaces", "content": "All packages live under packages/."},
    ...     )
    ...     print((await store.context.build(8_000))["text"])
    """

    __slots__ = ("_native",)

    if TYPE_CHECKING:
        _native: NativeStore

        def __init__(self, native: NativeStore) -> None:
            """Used by `open`."""
    else:

        def __init__(self, native=None):
            """Used by `open`."""
            if not isinstance(native, NativeStore):
                raise TypeError("a store is opened with `await Store.open()`; `Store()` cannot be called")
            self._native = native
            super().__init__(AsyncCaller(native))

    @classmethod
    async def _open(cls, options: Mapping[str, object]) -> Self:
        from asyncio import to_thread

        return cls(await to_thread(open_native, *lent(options)))

    def close(self) -> None:
        """Closes the store.

        Calls in progress finish; later ones raise `Misuse`. Closing a closed store does nothing.
        """
        error = self._native.close()
        if error is not None:
            raise error_of(error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
