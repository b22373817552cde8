"""The host's own adapter, tokenizer and logger. Functions get decoded JSON; awaitables run on an event loop.

This module is imported only if a store is opened with one of them, and `asyncio` only for an awaitable.
"""

from __future__ import annotations

import atexit
from contextvars import ContextVar
from os import getpid

from ._caller import cast
from ._json import MAX_DEPTH, complaint, plain
from ._loop import OwnLoop, running_loop
from ._native import NativeSignal, end_deliveries
from ._refusal import invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Awaitable, Callable, Mapping
    from concurrent.futures import Future

# A thread that runs Python during the finalization of the interpreter would abort the process.
atexit.register(end_deliveries)

# The names of the specification are accepted too, for ported adapters; the types list only ours. `del` is a keyword.
REQUIRED = {"get": (), "set": (), "delete": ("del_", "del"), "push": (), "get_list": ("getList",)}
OPTIONAL = {"compare_and_set": ("compareAndSet",), "get_range": ("getRange",), "list_keys": ("listKeys",)}
# The function of a tokenizer.
COUNT_TOKENS = "count_tokens"
# Functions whose result is used.
ANSWERING = frozenset({"get", "get_list", COUNT_TOKENS, *OPTIONAL})
LEVELS = {"debug": "debug", "info": "info", "warn": "warning", "error": "error"}
# `inspect.CO_COROUTINE`.
CO_COROUTINE = 0x80
# An answer may wrap what was passed in a list and an entry.
ANSWER_LEVELS = MAX_DEPTH + 2

WITHIN: ContextVar[int | None] = ContextVar("loopmem_within", default=None)
"""The call that the adapter runs for: a nested call must not wait for it."""

HELD = (
    "this call would block the event loop that runs the host's asynchronous functions (adapter or tokenizer); use "
    "loopmem.aio, or call from another thread"
)
CLOSED = (
    "the host's asynchronous functions (adapter or tokenizer) need the event loop that was running when the store was "
    "opened, but that is closed"
)
FORKED = (
    "the host's asynchronous functions (adapter or tokenizer) need an event loop of the parent process; open a store "
    "in the child"
)


class Fault(Exception):
    """A misused adapter or an invalid answer, as opposed to an exception that the adapter raised."""

    def __init__(self, message: str, *, is_misuse: bool = False) -> None:
        super().__init__(message)
        self.is_misuse = is_misuse


class Adapter:
    """The functions of the host's adapter and tokenizer, and the event loop for asynchronous ones."""

    __slots__ = ("_loop", "_own", "_process", "functions", "is_adapter", "is_async")

    within = WITHIN

    def __init__(self, adapter: object, count_tokens: object) -> None:
        self.is_adapter = adapter is not None
        self.functions = functions(adapter) if self.is_adapter else {}
        if count_tokens is not None:
            if not callable(count_tokens):
                raise invalid("count_tokens must be a function from a text to its number of tokens", "open")
            self.functions[COUNT_TOKENS] = count_tokens
        self.is_async = any(map(is_async, self.functions.values()))
        self._loop = running_loop()
        self._process = getpid()
        # By process: a forked child has none of its parent's threads.
        self._own: dict[int, OwnLoop] = {}

    def check(self) -> None:
        """Refuses a call that would block the thread on which the adapter runs."""
        running = running_loop()
        if running is not None and (running is self._loop or self._is_own(running)):
            raise Fault(HELD, is_misuse=True)

    def call(self, function: str, arguments: str, number: int) -> str | Pending:
        """Calls a function with the arguments in a JSON array, for the call with this number."""
        from json import loads

        within = WITHIN.set(number)
        try:
            answer = self.functions[function](*loads(arguments))
            if hasattr(type(answer), "__await__"):
                return Pending(function, cast("Awaitable[object]", answer), self._where(answer))
            return as_json(function, answer)
        finally:
            WITHIN.reset(within)

    def end(self) -> None:
        """Called when the store is closed and its last call has ended."""
        own = self._own.pop(getpid(), None)
        if own is not None:
            own.end()

    def _where(self, awaitable: object) -> AbstractEventLoop:
        """The event loop to run `awaitable` on."""
        try:
            self.check()
            if self._loop is None:
                return self._own.setdefault(getpid(), OwnLoop()).get()
            if self._process != getpid():
                raise Fault(FORKED)
            if self._loop.is_closed():
                raise Fault(CLOSED)
        except BaseException:
            dispose(awaitable)
            raise
        return self._loop

    def _is_own(self, loop: AbstractEventLoop) -> bool:
        own = self._own.get(getpid())
        return own is not None and own.is_it(loop)


class Pending:
    """An answer that is being computed on an event loop."""

    __slots__ = ("_answer", "_function", "_future", "_loop", "raised", "signal")

    raised: BaseException | None
    """The exception that the function raised, if any, once the signal is set."""

    def __init__(self, function: str, awaitable: Awaitable[object], loop: AbstractEventLoop) -> None:
        from asyncio import run_coroutine_threadsafe

        self.signal = NativeSignal()
        self.raised = None
        self._answer: tuple[object] | None = None
        self._function = function
        self._loop = loop
        work = self._wait(awaitable)
        try:
            self._future: Future[None] = run_coroutine_threadsafe(work, loop)
        except RuntimeError:
            # The loop was closed in the meantime.
            dispose(work)
            dispose(awaitable)
            raise Fault(CLOSED) from None
        self._future.add_done_callback(lambda _: self.signal.set())

    async def _wait(self, awaitable: Awaitable[object]) -> None:
        try:
            self._answer = (await awaitable,)
        except Exception as raised:
            self.raised = raised
        except BaseException as raised:
            # The loop must see it too.
            self.raised = raised
            raise
        finally:
            self.signal.set()

    def answer(self) -> str:
        """The answer as JSON, once the signal is set and nothing was raised."""
        if self._answer is None:
            raise Fault(f"the event loop was stopped before {self._function} ran")
        return as_json(self._function, self._answer[0])

    def cancel(self) -> None:
        """Cancels the coroutine, whose answer is no longer needed."""
        if not self.is_lost():
            self._future.cancel()

    def is_lost(self) -> bool:
        """Whether the loop is closed, so that no answer can arrive."""
        return self._loop.is_closed()

    def is_running(self) -> bool:
        """Whether the loop is running; a stopped loop may be run again."""
        return self._loop.is_running()


class Logger:
    """The host's logger."""

    __slots__ = ("_functions",)

    def __init__(self, logger: object) -> None:
        self._functions = {level: getattr(logger, name, None) for level, name in LEVELS.items()}
        if not any(map(callable, self._functions.values())):
            raise invalid("logger must be an object with some of the functions debug, info, warning and error", "open")

    def log(self, level: str, message: str, payload: str) -> None:
        """Logs a call that is over, unless the logger has no function for this level."""
        from json import loads

        function = self._functions[level]
        if not callable(function):
            return
        details = loads(payload)
        details.pop("thrown", None)
        function(message, extra={"loopmem": details})


def functions(adapter: object) -> dict[str, Callable[..., object]]:
    """The functions of `adapter` by their names here. Raises `ValidationError` if a required one is missing."""
    found: dict[str, Callable[..., object]] = {}
    for name, other_names in {**REQUIRED, **OPTIONAL}.items():
        candidates = (getattr(adapter, candidate, None) for candidate in (name, *other_names))
        function = next(filter(callable, candidates), None)
        if function is not None:
            found[name] = function
        elif name in REQUIRED:
            raise invalid(f"the adapter has no function {name}, which is required", "open")
    return found


def is_async(function: object) -> bool:
    """Whether a function is a coroutine function. `inspect` has this too, but takes long to import."""
    while True:
        inner = getattr(function, "__func__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    # Not `callable`: the code of `__call__` is needed.
    called = getattr(type(function), "__call__", None)  # noqa: B004
    code = getattr(function, "__code__", None) or getattr(called, "__code__", None)
    flags = getattr(code, "co_flags", 0)
    return isinstance(flags, int) and bool(flags & CO_COROUTINE)


def as_json(function: str, answer: object) -> str:
    """The answer of a function as JSON."""
    if function not in ANSWERING:
        return ""
    from json import dumps

    try:
        return dumps(plain(answer, ANSWER_LEVELS), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Fault(f"the host's answer is not valid JSON: {complaint({function: answer})}") from None


def dispose(awaitable: object) -> None:
    """Closes a coroutine that will not be awaited, so that it does not warn."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()


def lent(options: Mapping[str, object]) -> tuple[dict[str, object], Adapter | None, Logger | None]:
    """`options` without what the host provides, and that, bound to the event loop that runs on this thread."""
    rest = dict(options)
    logger, count_tokens = rest.pop("logger", None), rest.pop("countTokens", None)
    adapter = None if rest.get("adapter") is None or isinstance(rest["adapter"], str) else rest.pop("adapter")
    own = None if adapter is None and count_tokens is None else Adapter(adapter, count_tokens)
    return rest, own, None if logger is None else Logger(logger)
