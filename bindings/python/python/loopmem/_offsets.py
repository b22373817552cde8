"""Offsets into a text: UTF-8 bytes in the method table, code points in a `str`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def in_code_points(text: object, result: object, name: str | None, keys: Sequence[str]) -> None:
    """Turns the offsets under `keys` of each item from bytes into code points of `text`. The items are `result`, or its
    member `name`, in the order of the text.
    """
    items = result if name is None or not isinstance(result, dict) else result[name]
    if not (isinstance(text, str) and isinstance(items, list)) or text.isascii():
        return
    data = text.encode()
    byte = point = 0
    for item in items:
        for key in keys:
            offset = item[key]
            point += len(data[byte:offset].decode())
            byte = offset
            item[key] = point
