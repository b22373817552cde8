"""A store: an opened home, with its rooms and `call`."""

from __future__ import annotations

from ._caller import Caller, Cancel, error_of
from ._native import NativeStore
from ._rooms import Rooms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self


class Store(Rooms):
    """An opened home. Any number of stores, in any number of processes and languages, may share one.

        with Store.open() as store:
            repo = store.repo.identify()["repoHash"]
            store.memory.upsert_convention(
                repo_hash=repo,
                convention={"title": "Use pnpm workspaces", "content": "All packages live under packages/."},
            )
            print(store.context.build(repo_hash=repo, max_chars=8_000)["text"])
    """

    __slots__ = ("_caller", "_native")

    def __init__(self, native: NativeStore) -> None:
        """Used by `open`."""
        self._native = native
        self._caller = Caller(native)
        super().__init__(self._caller)

    @classmethod
    def _open(cls, options: Mapping[str, object]) -> Self:
        return cls(open_native(options))

    def call(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout_ms: int | None = None,
        cancel: Cancel | None = None,
    ) -> object:
        """Calls a method by its name, such as `memory.get`."""
        return self._caller.call(method, {} if params is None else params, timeout_ms=timeout_ms, cancel=cancel)

    def close(self) -> None:
        """Closes the store. Calls that are under way finish; later ones raise `Misuse`. Closing again does nothing."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_native(options: Mapping[str, object]) -> NativeStore:
    native, error = NativeStore.open(options)
    if native is None:
        raise error_of(error)
    return native
