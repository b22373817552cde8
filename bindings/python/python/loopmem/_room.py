"""What the methods of a store share: how they call, the common part of their docstrings, and their asynchronous form.

`_rooms` has a function for each method of the table, with its types and docs. Its body is one `_call` with its local
variables, which are its params. With an `AsyncRoom`, the result of that is a coroutine: `awaited` makes an asynchronous
method of such a function.
"""

from __future__ import annotations

from sys import version_info

from ._caller import AsyncCaller, Caller, cast, path_text
from .errors import ERROR_CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

    from ._types import CallOptions

    P = ParamSpec("P")
    R = TypeVar("R")
    F = TypeVar("F", bound=Callable[..., object])
    # The param with a text, and where the result has offsets into it.
    Offsets: TypeAlias = tuple[str, str | None, Sequence[str]]

OPTIONS = frozenset({"timeout", "cancel", "on_redaction", "on_progress"})
"""The options of a call: the keys of `CallOptions`."""

CALL = ("**call", "    The options of the call, such as `timeout`: see `Store.call`.")
"""The entry of every docstring for the options of the call."""

ERRORS = {kind.__name__: kind.__doc__ for kind in ERROR_CLASSES.values()}
"""The meanings of the errors."""

ALWAYS = ("ValidationError", "Misuse")
"""The errors of every method."""

COMMON: dict[tuple[str, ...], str] = {}
"""What was added to docstrings, by the errors."""

# Before Python 3.13, docstrings are indented as in the source, and end with the indentation of the quotes.
LINE = "\n" if version_info >= (3, 13) else "\n        "

NO_PARAMS = frozenset({"self", "cls", "call"})
"""The local variables of a function of `_rooms` that are not params."""

WIRE_NAMES: dict[str, str] = {}
"""The names in the method table that `wire_name` does not compute, by those in Python."""

NAMES: dict[str, dict[str, str]] = {}
"""The names of the params of each method that was called, by those in Python."""


class Room:
    """The methods of one module of a store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _call(self, method: str, given: dict[str, object], *paths: str, offsets: Offsets | None = None) -> object:
        """Calls `method` with the local variables `given` of a function of `_rooms`, of which `paths` are paths."""
        options = options_of(method, given)
        result = self._caller.call(method, params_of(method, given, *paths), **options)
        if offsets is not None:
            from ._offsets import in_code_points

            in_code_points(given[offsets[0]], result, *offsets[1:])
        return result


class AsyncRoom:
    """The methods of one module of an asynchronous store."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def _call(self, method: str, given: dict[str, object], *paths: str, offsets: Offsets | None = None) -> object:
        """As `Room._call`."""
        options = options_of(method, given)
        result = await self._caller.call(method, params_of(method, given, *paths), **options)
        if offsets is not None:
            from ._offsets import in_code_points

            in_code_points(given[offsets[0]], result, *offsets[1:])
        return result


def options_of(method: str, given: dict[str, object]) -> CallOptions:
    """The options of the call in `given`. Others are not arguments of the method."""
    options = cast("CallOptions", given["call"])
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")
    return options


def params_of(method: str, given: dict[str, object], *paths: str) -> dict[str, object]:
    """The params in `given`, by their names in the method table."""
    names = NAMES.get(method)
    if names is None:
        # The others are not removed: before Python 3.13, a debugger that looks at the function would add them again.
        names = NAMES[method] = {name: wire_name(name) for name in given if name not in NO_PARAMS}
    params = {wire: given[name] for name, wire in names.items()}
    for name in paths:
        params[names[name]] = path_text(given[name])
    return params


def wire_name(name: str) -> str:
    """`repo_hash` → `repoHash`."""
    first, *others = name.split("_")
    return WIRE_NAMES.get(name) or first + "".join(map(str.capitalize, others))


def awaited(
    function: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The asynchronous form of a function of `_rooms`, with its signature and docstring."""

    async def method(self: object, /, *arguments: P.args, **named: P.kwargs) -> R:
        return await cast("Coroutine[Any, Any, R]", function(self, *arguments, **named))

    return like(function, method)


def like(function: Callable[..., object], method: F) -> F:
    """An asynchronous method with the name, the signature and the docstring of a function of `_rooms`."""
    method.__module__ = "loopmem._aio_rooms"
    method.__name__ = function.__name__
    method.__qualname__ = function.__qualname__
    method.__doc__ = function.__doc__
    # Where `inspect.signature` finds the parameters.
    vars(method)["__wrapped__"] = function
    return method


def documented(*errors: str, **meanings: str) -> Callable[[F], F]:
    """Adds to a docstring of `_rooms` the entry of `**call`, and a section with `errors` and those of `meanings`.

    It runs for every method when the package is imported, so it must be fast.
    """
    key = (*errors, *meanings, *meanings.values())
    common = COMMON.get(key)
    if common is None:
        raised = {*ALWAYS, *errors, *meanings}
        entries = [f"{name}{LINE}    {meanings.get(name, doc)}" for name, doc in ERRORS.items() if name in raised]
        common = COMMON[key] = LINE.join([*CALL, "", "Raises", "------", *entries])

    def document(function: F) -> F:
        doc = function.__doc__
        # With -OO, there are no docstrings.
        if doc is not None:
            if "Parameters\n" not in doc:
                doc = f"{doc.rstrip()}\n{LINE}Parameters{LINE}----------{LINE}"
            function.__doc__ = doc + common
        return function

    return document
