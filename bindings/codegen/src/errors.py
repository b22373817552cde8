
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
