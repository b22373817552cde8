"""Encodes params as JSON. A value that JSON cannot represent is an error; it is never dropped or altered.

`json` is imported by the first call, so that opening a store stays fast.
"""

from __future__ import annotations

from ._native import TOO_DEEP
from ._refusal import invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._native import NativeStore

# Types that `json` encodes directly.
SCALARS = frozenset({str, int, float, bool, type(None)})
BYTES = (bytes, bytearray, memoryview)
# The maximum depth of nesting: no method accepts more, and no walk in this file goes deeper.
MAX_DEPTH = 128
# The longest key that an error repeats, in bytes: a longer one is hardly a typo and may contain anything.
SHOWN_KEY_BYTES = 40


def to_json(operation: str, params: Mapping[str, object], store: NativeStore) -> str:
    """`params` of a call on `store` as JSON. Raises `ValidationError` if JSON cannot represent them."""
    from json import dumps

    try:
        return dumps(plain(params), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        # A second walk finds the path; valid values need only one.
        raise invalid(complaint(params), operation, store) from None


def plain(value: object, levels: int = MAX_DEPTH) -> object:
    """`value` with mappings as dicts and sequences as lists, which `dumps` requires.

    Keys that are not text are refused: `dumps` would convert them, and could make two keys equal.
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
    """A dict for a mapping and a list for a sequence; anything else unchanged."""
    from collections.abc import Mapping, Sequence

    if isinstance(value, (str, *BYTES)):
        return value
    if isinstance(value, Mapping):
        return dict(value.items())
    return list(value) if isinstance(value, Sequence) else value


def complaint(params: object) -> str:
    """The path and kind of the first value in `params` that JSON cannot represent."""
    path: list[str | int] = []
    try:
        fault = search(params, path, set()) or "cannot be read"
    except (TypeError, ValueError, RecursionError) as cause:
        # `path` leads to the value that raised.
        fault = f"cannot be read ({type(cause).__name__})"
    return fault if fault == TOO_DEEP else f"{place(path)}: {fault}"


def search(value: object, path: list[str | int], above: set[int]) -> str | None:
    """What is wrong with `value`; `path` then leads to it. `above` are the ids of the containers around it."""
    from json import dumps
    from math import isfinite

    if isinstance(value, float) and not isfinite(value):
        return f"{dumps(value)}, which JSON cannot represent"
    if value is None or isinstance(value, (str, int, float)):
        # Raises for an integer with more digits than Python converts to text.
        dumps(value)
        return None
    held = container(value)
    if not isinstance(held, (dict, list)):
        return f"{kind_of(value)}, which JSON cannot represent"
    if id(value) in above:
        return "contains itself"
    if len(above) == MAX_DEPTH:
        return TOO_DEEP
    if isinstance(held, dict) and not all(isinstance(key, str) for key in held):
        return "a key that is not text, which JSON cannot represent"
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
    """`convention.tags[0]`; a key that is too long to repeat is shown as `…`."""
    if not path:
        return "the params"
    return "".join(f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in path).removeprefix(".")


def shown(key: str) -> str:
    # A lone surrogate cannot be printed.
    text = key.encode(errors="replace")
    return text.decode() if len(text) <= SHOWN_KEY_BYTES else "…"
