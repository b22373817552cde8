"""The native module: JSON text in, JSON text out."""

from collections.abc import Callable, Mapping

from ._host import Adapter, Logger

__version__: str
TOO_DEEP: str

def refusal(code: str, message: str, operation: str | None = None) -> str: ...
def end_deliveries() -> None: ...
def run_command(program: list[str], arguments: list[str]) -> int: ...
def write_unraisable(raised: BaseException, function: object) -> None: ...

class NativeStore:
    @staticmethod
    def open(
        options: Mapping[str, object], adapter: Adapter | None, logger: Logger | None
    ) -> tuple[NativeStore | None, str]: ...
    def lend(
        self, options: Mapping[str, object], adapter: Adapter | None, logger: Logger | None
    ) -> tuple[NativeStore | None, str]: ...
    def call(
        self,
        method: str,
        params: str,
        timeout_ms: int | None,
        cancel: NativeCancel | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[bool, str, list[BaseException], str | None]: ...
    def submit(
        self,
        method: str,
        params: str,
        timeout_ms: int | None,
        cancel: NativeCancel | None,
        progress: Callable[[int, int], object] | None,
        done: Callable[[bool, str, list[BaseException], str | None], None],
    ) -> tuple[NativeCancel | None, str]: ...
    def refusal(self, code: str, message: str, operation: str | None = None) -> str: ...
    def unreadable(self, message: str, operation: str) -> str: ...
    def close(self) -> str | None: ...

class NativeCancel:
    def __new__(cls) -> NativeCancel: ...
    def request(self) -> None: ...

class NativeSignal:
    def __new__(cls) -> NativeSignal: ...
    def set(self) -> None: ...
