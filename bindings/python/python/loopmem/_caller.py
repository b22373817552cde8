"""One call: params to text, text to result, error text to the class of its kind.

`json` is imported by the first call, and `typing` never: opening a store costs no more than it must.
"""

from __future__ import annotations

from ._json import to_json
from ._native import NativeCancel, NativeStore
from ._refusal import error_of, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias
    from typing import cast as cast
    from typing import overload as overload

    from typing_extensions import Unpack

    Answer: TypeAlias = tuple[bool, str, list[BaseException]]
else:

    def cast(_type: object, value: object) -> object:
        """`typing.cast` without `typing`."""
        return value

    def overload(signature: object) -> object:
        """`typing.overload` without `typing`."""
        return signature


TOO_DEEP_TO_READ = (
    "the call was made, and its result is nested more deeply than Python's json can read here; `loopmem call` shows "
    "what is stored"
)
UNREADABLE = (
    "the call was made, and its result holds what Python's json cannot read, such as a number of more digits than "
    "sys.get_int_max_str_digits() says; `loopmem call` shows what is stored"
)

# As many milliseconds as 32 bits hold, or 49 days.
MOST_SECONDS = 0xFFFFFFFF // 1000


class Cancel:
    """A request to stop waiting.

    It is passed to calls as `cancel` and ends all of them: make a new one for each call that is to be cancelled alone.

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
        """Asks the calls that were given this request to stop waiting.

        They raise `Cancelled`. Any thread may make the request, and a call that comes later is refused likewise.
        """
        self._native.request()


class Caller:
    """Calls methods by name and waits for them, without the interpreter's lock."""

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
    ) -> object:
        check(self._native, method, cancel)
        timeout_ms = milliseconds(self._native, method, timeout)
        text = to_json(method, params, self._native)
        return value(self._native, method, self._native.call(method, text, timeout_ms, native_cancel(cancel)))


class AsyncCaller:
    """Calls methods by name on loopmem's own threads. Calls that are not awaited one by one keep their order."""

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
    ) -> object:
        from asyncio import Future, get_running_loop

        check(self._native, method, cancel)
        timeout_ms = milliseconds(self._native, method, timeout)
        text = to_json(method, params, self._native)
        loop = get_running_loop()
        answered: Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        def done(*answer: Unpack[Answer]) -> None:
            # A loop that was closed has nobody left who waits.
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, answer)

        request, error = self._native.submit(method, text, timeout_ms, native_cancel(cancel), done)
        if request is None:
            raise error_of(error)
        try:
            answer = await answered
        except BaseException:
            # Nobody waits for this call any more. Others may share its `cancel`, which is not ours to request.
            request.request()
            raise
        return value(self._native, method, answer)


def native_cancel(cancel: Cancel | None) -> NativeCancel | None:
    return None if cancel is None else cancel._native


def value(store: NativeStore, method: str, answer: Answer) -> object:
    """The result of an answer of `method`, or its error raised."""
    succeeded, text, thrown = answer
    if not succeeded:
        raise error_of(text, thrown)
    from json import loads

    try:
        return cast("object", loads(text))
    except (RecursionError, ValueError) as cause:
        # What loopmem stores is not nested so deeply, but the caller may be near the limit of his own; and a number may
        # have more digits than Python reads.
        what = TOO_DEEP_TO_READ if isinstance(cause, RecursionError) else UNREADABLE
        raise error_of(store.unreadable(what, method)) from None


def path_text(path: object) -> object:
    """A path as text; anything else as it is, for the core to refuse."""
    as_path = getattr(path, "__fspath__", None)
    return path if as_path is None else as_path()


def check(store: NativeStore, method: object, cancel: object) -> None:
    """Refuses what has not the type that it should, for hosts that check no types."""
    if not (isinstance(method, str) and method.isascii()):
        raise invalid("a method is called by its name, such as memory.get", store=store)
    if not (cancel is None or isinstance(cancel, Cancel)):
        raise invalid("cancel must be a Cancel", method, store)


def milliseconds(store: NativeStore, method: str, timeout: object) -> int | None:
    """A time-out of `method` in whole milliseconds: a part of one counts as one, so that only 0 waits for nobody."""
    if timeout is None:
        return None
    # NaN is in no range.
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout <= MOST_SECONDS:
        raise invalid(f"timeout must be a number of seconds from 0 to {MOST_SECONDS}", method, store)
    from math import ceil

    # 0.07 * 1000 is a little more than 70, which is no part of a millisecond that somebody meant.
    return ceil(round(timeout * 1000, 6)) or int(timeout > 0)
