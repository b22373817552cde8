

class CallOptions(TypedDict, total=False):
    """The options of every call, which all methods take as keyword arguments."""

    timeout: float | None
    """The maximum time that the call waits in total, in seconds: for locks and for an adapter. With 0 the call does not
    wait for locks. Default: as configured.
    """
    cancel: Cancel | None
    """A request to cancel the call, which any thread may trigger."""
    on_redaction: Callable[[Redaction], object] | None
    """Called with a `Redaction` for each field of which the call redacted something, before it returns. An exception in
    it is reported and not raised. The logger gets the same as warnings.
    """
    on_progress: Callable[[int, int], object] | None
    """Called with the number of completed steps and the total while a long call runs, such as the files that were read
    for the index of a repository. It runs on the calling thread, where calls of loopmem raise `Misuse`, or on the
    event loop. An exception in it is reported and not raised.
    """
