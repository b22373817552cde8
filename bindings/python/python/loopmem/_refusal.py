"""What the package raises: the errors of calls, and what it refuses by itself.

`json` is imported by the first of them: opening a store costs no more than it must.
"""

from __future__ import annotations

from . import _native
from .errors import ERROR_CLASSES, LoopmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._native import NativeStore


def error_of(text: str, thrown: Sequence[BaseException] = ()) -> LoopmemError:
    """The error of the class of its kind, with the one among `thrown` that it names as its cause."""
    from json import loads

    details = loads(text)
    error = ERROR_CLASSES.get(details["code"], LoopmemError)(
        details["message"],
        code=details["code"],
        operation=details.get("operation"),
        path=details.get("path"),
        id=details.get("id"),
        cause=details.get("cause"),
        errno=details.get("errno"),
        retryable=details["retryable"],
        may_be_stored=details.get("mayBeStored", False),
    )
    if error.errno is not None:
        from os import strerror

        error.__cause__ = OSError(error.errno, strerror(error.errno), error.path)
    number = details.get("thrown", len(thrown))
    if number < len(thrown):
        error.__cause__ = thrown[number]
    return error


def invalid(message: str, operation: str | None = None, store: NativeStore | None = None) -> LoopmemError:
    """The `ValidationError` for a value that a host passed.

    The one place where the package makes errors by itself: their texts may hold what the caller passed, such as the
    path to a value, and go through the redactor of `store`, or else through one with the rules that hold for every
    store.
    """
    refusal = _native.refusal if store is None else store.refusal
    return error_of(refusal("ValidationError", printable(message), None if operation is None else printable(operation)))


def printable(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 can hold."""
    return text.encode(errors="replace").decode()
