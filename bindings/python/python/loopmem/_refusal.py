"""Creates the errors of calls, and the errors that the package raises itself.

`json` is imported by the first error, so that opening a store stays fast.
"""

from __future__ import annotations

from . import _native
from .errors import ERROR_CLASSES, LoopmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._native import NativeStore


def error_of(text: str, thrown: Sequence[BaseException] = ()) -> LoopmemError:
    """The error for JSON from the core, of the class for its code; its cause may be one of `thrown`."""
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
    """The `ValidationError` for an invalid value that the caller passed.

    All errors that the package raises itself are created here: their texts may contain what the caller passed, such as
    the path to a value, and must pass through the redactor of `store`, or else through one with the built-in rules.
    """
    refusal = _native.refusal if store is None else store.refusal
    return error_of(refusal("ValidationError", printable(message), None if operation is None else printable(operation)))


def printable(text: str) -> str:
    """`text` without lone surrogates, which UTF-8 cannot represent."""
    return text.encode(errors="replace").decode()
