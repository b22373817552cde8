"""The errors that loopmem raises."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations


class LoopmemError(Exception):
    """Anything that loopmem raises.

    Decide by the class, or by `code` and `retryable`.

    Attributes
    ----------
    message : str
        What happened, and what to do about it.
    code : str
        The kind of error, such as `ValidationError`, as every language names it.
    operation : str or None
        The method that failed, such as `memory.get`.
    path : str or None
        The file that this is about.
    filename : str or None
        The same, by the name that an `OSError` has for it.
    id : str or None
        The record that this is about.
    cause : str or None
        The underlying error, as text.
    errno : int or None
        The operating system's number for the underlying error, if that is known; then `__cause__` is the `OSError`.
    retryable : bool
        Whether the same call may succeed later, unchanged.
    may_be_stored : bool
        Whether the change may have been stored although the call failed: look before trying again.
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
    """The record concerned."""
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
        # An OSError keeps these two beside its dictionary.
        return type(self), self.args, {**self.__dict__, "errno": self.errno, "filename": self.filename}

    def __str__(self) -> str:
        prefix = f"{self.operation}: " if self.operation else ""
        suffix = f" ({self.cause})" if self.cause else ""
        return f"{prefix}{self.message}{suffix}"


class ValidationError(LoopmemError, ValueError):
    """What the caller passed is not what the method takes; nothing was written."""

    _code = "ValidationError"


class ParseError(LoopmemError, ValueError):
    """A stored file is not what its format says; it was left as it is."""

    _code = "ParseError"


class IoError(LoopmemError, OSError):
    """The operating system refused to read, write or sync a file."""

    _code = "IOError"


class RenameError(LoopmemError, OSError):
    """A finished file could not be moved into its place; the old one still stands."""

    _code = "RenameError"


class LockAcquisitionError(LoopmemError, TimeoutError):
    """A lock was not free within its time-out; try again with back-off."""

    _code = "LockAcquisitionError"


class SecretRefused(LoopmemError, ValueError):
    """A secret stands where it may neither be stored nor redacted, such as in an id."""

    _code = "SecretRefused"


class NotFound(LoopmemError):
    """Nothing has this id or name."""

    _code = "NotFound"


class Conflict(LoopmemError):
    """Something else already has this id, or changed in between."""

    _code = "Conflict"


class LeaseLost(LoopmemError):
    """The lease ran out or another worker owns it now."""

    _code = "LeaseLost"


class AdapterError(LoopmemError):
    """A server, or the host's own adapter, failed or threw."""

    _code = "AdapterError"


class GitError(LoopmemError):
    """git could not read or write the repository."""

    _code = "GitError"


class Unsupported(LoopmemError):
    """This platform or build cannot do it."""

    _code = "Unsupported"


class Cancelled(LoopmemError):
    """The caller cancelled the call; nothing was written."""

    _code = "Cancelled"


class FormatTooNew(LoopmemError):
    """A file was written by a newer loopmem; it was left as it is."""

    _code = "FormatTooNew"


class Misuse(LoopmemError):
    """The library was used in a way that cannot work, such as a call on a closed store."""

    _code = "Misuse"


class Internal(LoopmemError):
    """A defect in loopmem; the call was stopped and the process goes on."""

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
