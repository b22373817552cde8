"""A store: an open home, with the methods of its modules and `call`."""

from __future__ import annotations

from ._caller import Caller
from ._native import NativeStore
from ._refusal import error_of
from ._rooms import StoreApi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self

    from ._host import Adapter, Logger


class Store(StoreApi):
    """An open home.

    Any number of stores, in any number of processes and languages, may share one home. `open` opens a store; its
    methods are grouped by module, such as `store.memory.upsert_note`.

    Examples
    --------
    >>> with Store.open() as store:
    ...     store.memory.upsert_convention(
    ...         convention={"title": "Use pnpm workspaces", "content": "All packages live under packages/."},
    ...     )
    ...     print(store.context.build(max_chars=8_000)["text"])
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
                raise TypeError("a store is opened with `Store.open()`; `Store()` cannot be called")
            self._native = native
            super().__init__(Caller(native))

    @classmethod
    def _open(cls, options: Mapping[str, object]) -> Self:
        return cls(open_native(*lent(options)))

    def close(self) -> None:
        """Closes the store.

        Calls in progress finish; later ones raise `Misuse`. Closing a closed store does nothing.
        """
        error = self._native.close()
        if error is not None:
            raise error_of(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Lender:
    """A built-in adapter as an object: the stores that are opened with it have its options."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeStore) -> None:
        self._native = native


def lent(options: Mapping[str, object]) -> tuple[Mapping[str, object], Adapter | None, Logger | None]:
    """`options` without the host's own adapter, tokenizer and logger, and these, if any."""
    own, adapter = ("logger", "countTokens"), options.get("adapter")
    if isinstance(adapter, Lender):
        rest, host, logger = lent({key: value for key, value in options.items() if key != "adapter"})
        return {**rest, "adapter": adapter}, host, logger
    if all(options.get(key) is None for key in own) and (adapter is None or isinstance(adapter, str)):
        return {key: value for key, value in options.items() if key not in own}, None, None
    from ._host import lent as of_host

    return of_host(options)


def open_native(
    options: Mapping[str, object], adapter: Adapter | None = None, logger: Logger | None = None
) -> NativeStore:
    lender = options.get("adapter")
    if isinstance(lender, Lender):
        rest = {key: value for key, value in options.items() if key != "adapter"}
        native, error = lender._native.lend(rest, adapter, logger)
    else:
        native, error = NativeStore.open(options, adapter, logger)
    if native is None:
        raise error_of(error)
    return native
