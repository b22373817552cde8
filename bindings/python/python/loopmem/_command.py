"""The command `loopmem`, as the package installs it."""

from __future__ import annotations

import os
import signal
import sys

from ._native import run_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Runs the command with the arguments of this process, and ends the process with its exit status."""
    # The command answers to signals itself; Python's handler would only note that one has arrived.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = run_command(_program(), sys.argv[1:])
    sys.exit(status)


def _program() -> list[str]:
    """The words that start this command, for the configuration of a client."""
    script = sys.argv[0]
    if os.path.basename(script) == "__main__.py":
        return [sys.executable, "-m", "loopmem"]
    folders = sys.prefix.replace(os.sep, "/").split("/")
    # The environment that `uvx` makes is gone when its cache is cleaned.
    if "archive-v0" in folders:
        return ["uvx", "loopmem"]
    return [os.path.abspath(script)]
