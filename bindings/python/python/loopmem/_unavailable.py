"""Why the native module cannot be imported, for the error that the package raises."""

from __future__ import annotations


def reason(error: ImportError) -> str:
    """What to do about `error`, which the import of the native module raised."""
    import sys
    from pathlib import Path
    from sysconfig import get_config_var, get_platform

    free_threaded = " free-threaded" if get_config_var("Py_GIL_DISABLED") else ""
    version = ".".join(map(str, sys.version_info[:2]))
    this = f"{sys.implementation.name} {version}{free_threaded} on {get_platform()}"
    if not isinstance(error, ModuleNotFoundError):
        # Without a file, Python itself refused it, as in a sub-interpreter.
        advice = f"; run `pip install --force-reinstall loopmem` with this Python ({this})" if error.path else ""
        return f"the native module of loopmem cannot be loaded: {error}{advice}"
    for file in Path(__file__).parent.glob("_native.*"):
        if file.suffix in (".so", ".pyd"):
            wrong = f"the native module of loopmem ({file.name}) is not for this Python ({this})"
            return f"{wrong}; install loopmem with pip"
    return "the native module of loopmem is missing; build it with `scripts/dev python`, or install loopmem with pip"
