"""The API reference of the Python package, by pdoc: python_api.py FOLDER.

Nothing has to be built: the native module, of which the package needs only the names, is replaced by an empty one, and
so is Anthropic's SDK.
"""

import importlib
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The methods and types of the public modules are defined in others.
PUBLIC = ["loopmem", "loopmem.aio", "loopmem.anthropic", "loopmem.errors"]
DEFINING = ["loopmem._rooms", "loopmem._aio_rooms", "loopmem._types", "loopmem._new", "loopmem._adapter"]

STUBS = (
    "loopmem._native",
    "anthropic",
    "anthropic.lib",
    "anthropic.lib.tools",
    "anthropic.types",
    "anthropic.types.beta",
)


class Stub(types.ModuleType):
    """A module that has every name."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__module__": self.__name__})


def main(folder: str) -> None:
    for name in STUBS:
        sys.modules[name] = Stub(name)
    sys.modules["loopmem._native"].__version__ = "0"
    sys.path.insert(0, str(ROOT / "bindings/python/python"))
    import pdoc

    for name in DEFINING:
        module = importlib.import_module(name)
        if not hasattr(module, "__all__"):
            own = (it for it in vars(module).values() if isinstance(it, type) and it.__module__ == name)
            module.__all__ = [it.__name__ for it in own]
    pdoc.render.configure(docformat="numpy", show_source=False, template_directory=Path(__file__).parent / "pdoc")
    pdoc.pdoc(*PUBLIC, *DEFINING, output_directory=Path(folder))


main(sys.argv[1])
