"""Durable, local-first memory for coding agents.

`Store.open` opens a home; its rooms (`store.repo`, `store.memory`, `store.summary`, `store.context`) hold the methods.
`loopmem.aio` has the same for asyncio. Errors are subclasses of `LoopmemError`, and of `ValueError`, `OSError` or
`TimeoutError` where they match.
"""

from __future__ import annotations

from . import errors
from ._caller import Cancel
from ._store import Store
from .errors import *  # noqa: F403

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._types import *  # noqa: F403

__all__ = ["Cancel", "Store", *errors.__all__]


def __getattr__(name: str) -> object:
    """The types of the records: they need `typing`, which most programs never import through here."""
    from . import _types

    if name in _types.__all__:
        return getattr(_types, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
