"""A call: encodes the params, decodes the result, and raises an error of the right class.

`json` is imported by the first call and `typing` never, so that opening a store stays fast.
"""

from __future__ import annotations

from ._json import to_json
from ._native import NativeCancel, NativeStore, write_unraisable
from ._refusal import error_of, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable, Mapping
    from typing import ParamSpec, TypeAlias
    from typing import cast as cast

    from typing_extensions import Unpack

    from ._types import Redaction

    Answer: TypeAlias = tuple[bool, str, list[BaseException], str | None]
    OnRedaction: TypeAlias = Callable[[Redaction], object]
    OnProgress: TypeAlias = Callable[[int, int], object]
    P = ParamSpec("P")
else:

    def cast(_type: object, value: object) -> object:
        """`typing.cast` without `typing`."""
        return value


TOO_DEEP_TO_READ = (
    "the call succeeded, but its result is nested too deeply for Python's json module; use `loopmem call` to read it"
)
UNREADABLE = (
    "the call succeeded, but Python's json module cannot read its result, for example because of a number with more "
    "digits than sys.get_int_max_str_digits(); use `loopmem call` to read it"
)

# 2^32 - 1 milliseconds, in seconds: 49 days.
MAX_SECONDS = 0xFFFFFFFF // 1000


class Cancel:
    """A request to stop waiting.

    Pass it to calls as `cancel`. It cancels all of them: create a new one for each call that you want to cancel alone.

    Examples
    --------
    >>> cancel = Cancel()
    >>> threading.Timer(1.0, cancel.request).start()
    >>> store.memory.get(cancel=cancel)
    """

    __slots__ = ("_native",)

    def __init__(self) -> None:
        self._native = NativeCancel()

    def request(self) -> None:
        """Cancels every waiting call that has this request.

        They raise `Cancelled`, and so do later calls with this request. Any thread may call this.
        """
        self._native.request()


class Caller:
    """Calls methods by name and waits for them with the interpreter's lock released."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeStore) -> None:
        self._native = native

    def call(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: OnRedaction | None = None,
        on_progress: OnProgress | None = None,
    ) -> object:
        check(self._native, method, cancel, on_redaction, on_progress)
        timeout_ms = milliseconds(self._native, method, timeout)
        text = to_json(method, params, self._native)
        answer = self._native.call(method, text, timeout_ms, native_cancel(cancel), on_progress)
        return value(self._native, method, answer, on_redaction)


class AsyncCaller:
    """Calls methods by name on loopmem's threads. Gathered calls take effect in the order in which they were made."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeStore) -> None:
        self._native = native

    async def call(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        on_redaction: OnRedaction | None = None,
        on_progress: OnProgress | None = None,
    ) -> object:
        from asyncio import get_running_loop

        check(self._native, method, cancel, on_redaction, on_progress)
        timeout_ms = milliseconds(self._native, method, timeout)
        text = to_json(method, params, self._native)
        loop = get_running_loop()
        answered: Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        def done(*answer: Unpack[Answer]) -> None:
            # On a closed loop, no task waits for the answer.
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, answer)

        progress = None if on_progress is None else reporter(loop, answered, on_progress)
        request, error = self._native.submit(method, text, timeout_ms, native_cancel(cancel), progress, done)
        if request is None:
            raise error_of(error)
        try:
            answer = await answered
        except BaseException:
            # The task was cancelled. Other calls may share `cancel`, so only this call's own request is triggered.
            request.request()
            raise
        return value(self._native, method, answer, on_redaction)


def native_cancel(cancel: Cancel | None) -> NativeCancel | None:
    return None if cancel is None else cancel._native


def call_back(function: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> None:
    """Calls a function of the host. An exception in it must not affect the call, and is reported instead."""
    try:
        function(*arguments, **named)
    except Exception as raised:
        write_unraisable(raised, function)


def reporter(loop: AbstractEventLoop, answered: Future[Answer], on_progress: OnProgress) -> Callable[[int, int], None]:
    """Passes reports from another thread to `on_progress` on the event loop, until the call is answered."""

    def tell(done: int, total: int) -> None:
        if not answered.done():
            call_back(on_progress, done, total)

    def report(done: int, total: int) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, done, total)

    return report


def value(store: NativeStore, method: str, answer: Answer, on_redaction: OnRedaction | None = None) -> object:
    """Reports what `method` redacted, and returns the result of its answer or raises its error."""
    succeeded, text, thrown, redactions = answer
    if on_redaction is not None and redactions is not None:
        from json import loads

        for redaction in loads(redactions):
            call_back(on_redaction, redaction)
    if not succeeded:
        raise error_of(text, thrown)
    from json import loads

    try:
        return cast("object", loads(text))
    except (RecursionError, ValueError) as cause:
        # loopmem limits nesting, but the caller may be close to the recursion limit, and a number may have more digits
        # than Python accepts.
        what = TOO_DEEP_TO_READ if isinstance(cause, RecursionError) else UNREADABLE
        raise error_of(store.unreadable(what, method)) from None


def path_text(path: object) -> object:
    """A path as text; anything else unchanged, for the core to refuse."""
    as_path = getattr(path, "__fspath__", None)
    return path if as_path is None else as_path()


def check(store: NativeStore, method: object, cancel: object, on_redaction: object, on_progress: object) -> None:
    """Checks argument types at run time, for callers without type checking."""
    if not (isinstance(method, str) and method.isascii()):
        raise invalid("the method must be a name, such as memory.get", store=store)
    if not (cancel is None or isinstance(cancel, Cancel)):
        raise invalid("cancel must be a Cancel", method, store)
    if not (on_redaction is None or callable(on_redaction)):
        raise invalid("on_redaction must be a function", method, store)
    if not (on_progress is None or callable(on_progress)):
        raise invalid("on_progress must be a function", method, store)


def milliseconds(store: NativeStore, method: str, timeout: object) -> int | None:
    """The time-out of a call in milliseconds, rounded up, so that only 0 means not to wait for locks."""
    if timeout is None:
        return None
    # This also refuses NaN.
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout <= MAX_SECONDS:
        raise invalid(f"timeout must be a number of seconds from 0 to {MAX_SECONDS}", method, store)
    from math import ceil

    # 0.07 * 1000 is slightly more than 70, and must not become 71.
    return ceil(round(timeout * 1000, 6)) or int(timeout > 0)
