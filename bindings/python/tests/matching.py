"""Replacing names in a conformance case, and matching what came back: see tests/conformance/README.md."""

from __future__ import annotations

import re
from typing import TypeAlias, Union

Json: TypeAlias = Union[None, bool, int, float, str, "list[Json]", "dict[str, Json]"]
Names: TypeAlias = "dict[str, str]"

KINDS = {
    "string": r"(?s).*",
    "sha256": r"[0-9a-f]{64}",
    "commit": r"[0-9a-f]{40}",
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
}


def replaced(text: str, names: Names) -> str:
    """`text` with every `${name}` replaced."""
    return re.sub(r"\$\{(\w+)\}", lambda match: names.get(match[1], match[0]), text)


def expand(value: Json, names: Names) -> Json:
    """`value` with names, `$repeat` and `$join` replaced."""
    if isinstance(value, str):
        return replaced(value, names)
    if isinstance(value, list):
        return [expand(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$repeat": [str(text), int(count)]}:
            return text * count
        case {"$join": [*parts]}:
            return "".join(str(part) for part in parts)
        case _:
            return {replaced(key, names): expand(inner, names) for key, inner in value.items()}


def fault(expected: Json, error: Json, names: Names) -> str | None:
    """How an error's JSON differs from a case's `fails`, a code or an object to match; None if it matches."""
    return mismatch({"code": expected, "...": True} if isinstance(expected, str) else expected, error, names)


def mismatch(expected: Json, found: Json, names: Names) -> str | None:
    """How `found` differs from `expected`; None if it matches."""
    match expected:
        case {"$a": "count"}:
            return None if type(found) is int and found >= 0 else f"{found!r} is no count"
        case {"$a": str(kind)}:
            return None if isinstance(found, str) and re.fullmatch(KINDS[kind], found) else f"{found!r} is no {kind}"
        case {"$holds": str(part)}:
            held = isinstance(found, str) and replaced(part, names) in found
            return None if held else f"{found!r} does not hold {part!r}"
        case dict():
            if not isinstance(found, dict):
                return f"expected an object, got {found!r}"
            extra = set(found) - set(expected)
            if extra and "..." not in expected:
                return f"{sorted(extra)} are there and should not be"
            for key in set(expected) - {"..."}:
                if key not in found:
                    return f".{key} is missing"
                if wrong := mismatch(expected[key], found[key], names):
                    return f".{key}{wrong}"
            return None
        case list():
            if not isinstance(found, list) or len(found) != len(expected):
                return f"expected {len(expected)} items, got {found!r}"
            for index, (item, other) in enumerate(zip(expected, found, strict=True)):
                if wrong := mismatch(item, other, names):
                    return f"[{index}]{wrong}"
            return None
        case _:
            plain = expand(expected, names)
            same = plain == found and type(plain) is type(found)
            return None if same else f": expected {plain!r}, got {found!r}"
