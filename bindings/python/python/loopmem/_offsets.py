"""Offsets into a text: UTF-8 bytes in the method table, code points in a `str`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def in_code_points(text: object, result: object, name: str | None, keys: Sequence[str]) -> None:
    """Converts the offsets under `keys` of each item from bytes to code points of `text`.

    The items are `result` or its member `name`. Offsets are in ascending order.
    """
    items = result if name is None or not isinstance(result, dict) else result[name]
    if not (isinstance(text, str) and isinstance(items, list)) or text.isascii():
        return
    try:
        data = text.encode()
    except UnicodeEncodeError:
        in_code_points_of_pairs(text, items, keys)
        return
    byte = point = 0
    for item in items:
        for key in keys:
            offset = item[key]
            point += len(data[byte:offset].decode())
            byte = offset
            item[key] = point


def in_code_points_of_pairs(text: str, items: list[dict[str, int]], keys: Sequence[str]) -> None:
    """As above, for a text with surrogate pairs: each becomes one character in JSON, four bytes in UTF-8."""
    from bisect import bisect_right
    from itertools import accumulate

    def width(point: str) -> int:
        if "\ud800" <= point <= "\udbff":
            return 4
        return 0 if "\udc00" <= point <= "\udfff" else len(point.encode())

    ends = list(accumulate(width(point) for point in text))
    for item in items:
        for key in keys:
            item[key] = bisect_right(ends, item[key]) if item[key] else 0
