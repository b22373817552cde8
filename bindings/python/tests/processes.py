"""Python programs in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Ctrl-C works even if it was ignored when the tests were started, as in background jobs of a shell; and no process
# outlives this one, even if this one is killed.
PRELUDE = (
    "import ctypes, os, signal\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG\n"
    "if os.getppid() != {parent}: os._exit(1)\n"
)


@contextmanager
def running(program: str, *arguments: str, cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """The program's process, which is killed at the end. Its output is read from `stdout`."""
    command = [sys.executable, "-c", PRELUDE.format(parent=os.getpid()) + program, *arguments]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()
