"""Params to JSON text, without dropping or altering what JSON cannot tell.

`json` is imported by the first call: opening a store costs no more than it must.
"""

from __future__ import annotations

from ._native import TOO_DEEP
from ._refusal import invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._native import NativeStore

# What `json` takes as it is.
SCALARS = frozenset({str, int, float, bool, type(None)})
BYTES = (bytes, bytearray, memoryview)
# No method takes what is nested deeper, and no walk here goes further.
MOST_LEVELS = 128
# The longest key that an error repeats, in bytes: a longer one is no slip of the pen, and might be anything.
SHOWN_KEY_BYTES = 40


def to_json(operation: str, params: Mapping[str, object], store: NativeStore) -> str:
    """`params` of a call on `store` as JSON text. What JSON cannot tell is refused."""
    from json import dumps

    try:
        return dumps(plain(params), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        # Only what is refused is walked a second time, to tell where.
        raise invalid(complaint(params), operation, store) from None


def plain(value: object, levels: int = MOST_LEVELS) -> object:
    """`value` with dicts for mappings and lists for sequences, as `dumps` takes them.

    Keys that are no texts are refused: `dumps` would make texts of them, and perhaps one of two.
    """
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is not dict and kind is not list:
        value = container(value)
    if isinstance(value, dict):
        if levels == 0 or not all(isinstance(key, str) for key in value):
            raise TypeError
        return {key: plain(inner, levels - 1) for key, inner in value.items()}
    if isinstance(value, list):
        if levels == 0:
            raise TypeError
        return [plain(inner, levels - 1) for inner in value]
    return value


def container(value: object) -> object:
    """A dict for a mapping and a list for a sequence; anything else as it is."""
    from collections.abc import Mapping, Sequence

    if isinstance(value, (str, *BYTES)):
        return value
    if isinstance(value, Mapping):
        return dict(value.items())
    return list(value) if isinstance(value, Sequence) else value


def complaint(params: object) -> str:
    """The first place in `params` that JSON cannot tell, and what is there."""
    path: list[str | int] = []
    try:
        fault = search(params, path, set()) or "cannot be read"
    except (TypeError, ValueError, RecursionError) as cause:
        # The path to what raised is left behind.
        fault = f"cannot be read ({type(cause).__name__})"
    return fault if fault == TOO_DEEP else f"{place(path)}: {fault}"


def search(value: object, path: list[str | int], above: set[int]) -> str | None:
    """What is wrong with `value`, and then the path to it is left in `path`; `above` are the ids of what holds it."""
    from json import dumps
    from math import isfinite

    if isinstance(value, float) and not isfinite(value):
        return f"{dumps(value)}, which JSON cannot tell"
    if value is None or isinstance(value, (str, int, float)):
        # Integers may have more digits than Python writes.
        dumps(value)
        return None
    held = container(value)
    if not isinstance(held, (dict, list)):
        return f"{kind_of(value)}, which JSON cannot tell"
    if id(value) in above:
        return "holds itself"
    if len(above) == MOST_LEVELS:
        return TOO_DEEP
    if isinstance(held, dict) and not all(isinstance(key, str) for key in held):
        return "a key that is no text, which JSON cannot tell"
    above.add(id(value))
    for key, inner in held.items() if isinstance(held, dict) else enumerate(held):
        path.append(key)
        fault = search(inner, path, above)
        if fault is not None:
            return fault
        path.pop()
    above.remove(id(value))
    return None


def kind_of(value: object) -> str:
    """`bytes`, `a set`, `an object`."""
    if isinstance(value, BYTES):
        return "bytes"
    name = type(value).__name__
    if not name or len(name.encode(errors="replace")) > SHOWN_KEY_BYTES:
        return "an object of a class"
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def place(path: list[str | int]) -> str:
    """`convention.tags[0]`; a key that is too long to be told is `…`."""
    if not path:
        return "the params"
    return "".join(f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in path).removeprefix(".")


def shown(key: str) -> str:
    # A lone surrogate could not be printed.
    text = key.encode(errors="replace")
    return text.decode() if len(text) <= SHOWN_KEY_BYTES else "…"
