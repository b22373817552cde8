"""Event loops for an adapter's asynchronous functions: the running one, or a private one on a separate thread."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from asyncio import Event as Stop
    from threading import Event, Thread

# How long the exit of the interpreter waits for functions that are being cancelled.
EXIT_SECONDS = 1


def running_loop() -> AbstractEventLoop | None:
    """The event loop that runs on this thread, if any. If `asyncio` was not imported, there is none."""
    if "asyncio" not in sys.modules:
        return None
    from asyncio import get_running_loop

    try:
        return get_running_loop()
    except RuntimeError:
        return None


class OwnLoop:
    """An event loop on a daemon thread, from its first use until `end` or the exit of the interpreter."""

    __slots__ = ("_lock", "_loop", "_stop", "_thread")

    def __init__(self) -> None:
        from threading import Lock

        self._lock = Lock()
        self._loop: AbstractEventLoop | None = None
        self._stop: Stop | None = None
        self._thread: Thread | None = None

    def get(self) -> AbstractEventLoop:
        """The loop, which is started if necessary."""
        import atexit
        from threading import Event, Thread

        with self._lock:
            if self._loop is None:
                started = Event()
                self._thread = Thread(target=self._run, args=(started,), name="loopmem adapter", daemon=True)
                self._thread.start()
                started.wait()
                atexit.register(self._end_with_interpreter)
            if self._loop is None:
                raise RuntimeError("no event loop could be started")
            return self._loop

    def is_it(self, loop: AbstractEventLoop) -> bool:
        return loop is self._loop

    def end(self) -> None:
        """Cancels everything that runs on the loop, and stops it."""
        import atexit

        atexit.unregister(self._end_with_interpreter)
        # In a forked child this has no effect: the thread of the loop does not exist there.
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)

    def _end_with_interpreter(self) -> None:
        self.end()
        if self._thread is not None:
            self._thread.join(EXIT_SECONDS)

    def _run(self, started: Event) -> None:
        import asyncio

        async def stay() -> None:
            self._stop = asyncio.Event()
            self._loop = asyncio.get_running_loop()
            started.set()
            await self._stop.wait()

        try:
            asyncio.run(stay())
        finally:
            started.set()
