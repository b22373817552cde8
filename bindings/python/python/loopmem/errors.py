"""The errors that loopmem raises."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations


class LoopmemError(Exception):
    """The base class of every error that loopmem raises.

    Base decisions on the class, or on `code` and `retryable`.

    Attributes
    ----------
    message : str
        What happened, and what to do about it.
    code : str
        The kind of error, such as `ValidationError`, the same in every language.
    operation : str or None
        The method that failed, such as `memory.get`.
    path : str or None
        The file concerned.
    filename : str or None
        The same as `path`, under the name that `OSError` uses.
    id : str or None
        The id of the record concerned.
    cause : str or None
        The cause, as text.
    errno : int or None
        The operating system's error number, if known; `__cause__` is then the `OSError`.
    retryable : bool
        Whether the same call may succeed if it is repeated later.
    may_be_stored : bool
        Whether the change may have been stored although the call failed: check before you try again.
    """

    _code = "LoopmemError"

    message: str
    code: str
    operation: str | None
    path: str | None
    """The file concerned."""
    filename: str | None
    """The same as `path`, under the name that `OSError` uses."""
    id: str | None
    """The id of the record concerned."""
    cause: str | None
    """The cause, as text."""
    errno: int | None
    """The operating system's error number, if known; `__cause__` is then the `OSError`."""
    retryable: bool
    may_be_stored: bool
    """Whether the change may have been stored although the call failed: check before you try again."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        operation: str | None = None,
        path: str | None = None,
        id: str | None = None,
        cause: str | None = None,
        errno: int | None = None,
        retryable: bool = False,
        may_be_stored: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self._code
        self.operation = operation
        self.path = path
        self.id = id
        self.cause = cause
        self.errno = errno
        self.filename = path
        self.retryable = retryable
        self.may_be_stored = may_be_stored

    def __reduce__(self) -> tuple[type[LoopmemError], tuple[object, ...], dict[str, object]]:
        # OSError stores these two outside of `__dict__`.
        return type(self), self.args, {**self.__dict__, "errno": self.errno, "filename": self.filename}

    def __str__(self) -> str:
        prefix = f"{self.operation}: " if self.operation else ""
        suffix = f" ({self.cause})" if self.cause else ""
        return f"{prefix}{self.message}{suffix}"


class ValidationError(LoopmemError, ValueError):
    """The caller passed invalid input; nothing was written."""

    _code = "ValidationError"


class ParseError(LoopmemError, ValueError):
    """A stored file is damaged; it was not changed."""

    _code = "ParseError"


class IoError(LoopmemError, OSError):
    """The operating system refused to read, write or sync a file."""

    _code = "IOError"


class RenameError(LoopmemError, OSError):
    """A new version of a file was written but could not replace the old one, which is unchanged."""

    _code = "RenameError"


class LockAcquisitionError(LoopmemError, TimeoutError):
    """A lock could not be acquired within the timeout; try again with back-off."""

    _code = "LockAcquisitionError"


class SecretRefused(LoopmemError, ValueError):
    """A secret was found where it can neither be stored nor redacted, such as in an id."""

    _code = "SecretRefused"


class NotFound(LoopmemError):
    """Nothing with this id or name exists."""

    _code = "NotFound"


class Conflict(LoopmemError):
    """The id is already in use, or the data was changed concurrently."""

    _code = "Conflict"


class LeaseLost(LoopmemError):
    """The lease expired, or another worker owns it now."""

    _code = "LeaseLost"


class AdapterError(LoopmemError):
    """A server or the host's adapter failed."""

    _code = "AdapterError"


class GitError(LoopmemError):
    """The git repository could not be read or written."""

    _code = "GitError"


class Unsupported(LoopmemError):
    """This platform or build does not support the operation."""

    _code = "Unsupported"


class Cancelled(LoopmemError):
    """The caller cancelled the call; nothing was written, unless `mayBeStored` says so."""

    _code = "Cancelled"


class FormatTooNew(LoopmemError):
    """A file was written by a newer version of loopmem; it was not changed."""

    _code = "FormatTooNew"


class Misuse(LoopmemError):
    """The library was used incorrectly, such as by a call on a closed store."""

    _code = "Misuse"


class Internal(LoopmemError):
    """A bug in loopmem; the call was aborted and the process continues."""

    _code = "Internal"


__all__ = [
    "LoopmemError",
    "ValidationError",
    "ParseError",
    "IoError",
    "RenameError",
    "LockAcquisitionError",
    "SecretRefused",
    "NotFound",
    "Conflict",
    "LeaseLost",
    "AdapterError",
    "GitError",
    "Unsupported",
    "Cancelled",
    "FormatTooNew",
    "Misuse",
    "Internal",
]

ERROR_CLASSES: dict[str, type[LoopmemError]] = {
    "ValidationError": ValidationError,
    "ParseError": ParseError,
    "IOError": IoError,
    "RenameError": RenameError,
    "LockAcquisitionError": LockAcquisitionError,
    "SecretRefused": SecretRefused,
    "NotFound": NotFound,
    "Conflict": Conflict,
    "LeaseLost": LeaseLost,
    "AdapterError": AdapterError,
    "GitError": GitError,
    "Unsupported": Unsupported,
    "Cancelled": Cancelled,
    "FormatTooNew": FormatTooNew,
    "Misuse": Misuse,
    "Internal": Internal,
}
"""The class of each code."""
