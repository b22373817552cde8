"""Durable, local-first memory for coding agents.

`Store.open` opens a home. The methods are grouped: `store.memory`, `store.context`, `store.items`, `store.working` and
so on; `help(Store)` lists them. `get_repo_memory` and the other plain functions share one store per process, which is
opened for you. `create_memory_store` opens a store for the contexts, logs and checkpoints of jobs, and `open_adapter`
the storage of them, to read and write by key.

`loopmem.aio` has the same API for asyncio. Errors are subclasses of `LoopmemError` and, where one fits, also of
`ValueError`, `OSError` or `TimeoutError`.
"""

from __future__ import annotations

try:
    from ._native import __version__
except ImportError as error:
    from ._unavailable import reason

    raise type(error)(reason(error), name="loopmem._native", path=error.path) from error

from . import _functions, errors
from ._caller import Cancel
from ._functions import *  # noqa: F403
from ._memory_store import MemoryStore, create_memory_store
from ._store import Store
from ._store_adapter import StoreAdapter, open_adapter
from .errors import *  # noqa: F403

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import _adapter, _new, _types
    from ._adapter import *  # noqa: F403
    from ._new import *  # noqa: F403
    from ._types import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """Imports the types of the records on demand: they need `typing`, which most programs do not use."""
        from importlib import import_module

        if not name.startswith("_"):
            for module in ("loopmem._types", "loopmem._new", "loopmem._adapter"):
                types = import_module(module)
                if name in types.__all__:
                    return getattr(types, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__: list[str] = [
    "Cancel",
    "MemoryStore",
    "Store",
    "StoreAdapter",
    "__version__",
    "create_memory_store",
    "open_adapter",
]
__all__ += _functions.__all__
__all__ += errors.__all__
if TYPE_CHECKING:
    # So that type checkers take them for a part of the package, too.
    __all__ += _adapter.__all__
    __all__ += _new.__all__
    __all__ += _types.__all__
