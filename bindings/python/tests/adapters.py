"""Adapters in typical styles: dicts with synchronous functions, with asynchronous ones, and with both."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from loopmem import MemoryStore, create_memory_store


class Dicts:
    """All functions are synchronous."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.lists: dict[str, list[object]] = {}

    def get(self, key: str) -> object:
        return self.values.get(key)

    def set(self, key: str, value: object) -> None:
        self.values[key] = value

    def delete(self, key: str) -> None:
        self.values.pop(key, None)
        self.lists.pop(key, None)

    def push(self, key: str, item: object) -> None:
        self.lists.setdefault(key, []).append(item)

    def get_list(self, key: str) -> list[object]:
        return self.lists.get(key, [])


class AsyncDicts:
    """All functions are asynchronous."""

    def __init__(self) -> None:
        self.dicts = Dicts()

    async def get(self, key: str) -> object:
        await asyncio.sleep(0)
        return self.dicts.get(key)

    async def set(self, key: str, value: object) -> None:
        await asyncio.sleep(0)
        self.dicts.set(key, value)

    async def delete(self, key: str) -> None:
        self.dicts.delete(key)

    async def push(self, key: str, item: object) -> None:
        await asyncio.sleep(0)
        self.dicts.push(key, item)

    async def get_list(self, key: str) -> list[object]:
        return self.dicts.get_list(key)


class MixedDicts(Dicts):
    """Some functions are asynchronous."""

    async def push(self, key: str, item: object) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super().push(key, item)

    async def get_list(self, key: str) -> list[object]:  # type: ignore[override]
        return super().get_list(key)


class RichDicts(Dicts):
    """With the optional functions."""

    def __init__(self) -> None:
        super().__init__()
        self.ranges: list[int] = []

    def compare_and_set(self, key: str, expected: object, value: object) -> bool:
        if self.values.get(key) != expected:
            return False
        if value is None:
            self.values.pop(key, None)
        else:
            self.values[key] = value
        return True

    def get_range(self, key: str, start: int) -> list[object]:
        self.ranges.append(start)
        return self.lists.get(key, [])[start:]

    def list_keys(self, prefix: str) -> list[str]:
        return [key for key in (*self.values, *self.lists) if key.startswith(prefix)]


class Silent(AsyncDicts):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = threading.Event()
        self.is_cancelled = threading.Event()

    async def get(self, key: str) -> object:
        self.is_asked.set()
        try:
            return await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled.set()
            raise


@contextmanager
def unraisable(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """Exceptions that were reported as unraisable."""
    caught: list[BaseException] = []
    with monkeypatch.context() as patch:
        patch.setattr("sys.unraisablehook", lambda it: caught.append(it.exc_value))
        yield caught


def over(adapter: Any, tmp_path: Path, **options: Any) -> MemoryStore:
    """A blocking store with this adapter."""
    return create_memory_store(home=tmp_path, adapter=adapter, **options)


def failing(name: str, error: BaseException, is_async: bool) -> Dicts:
    """An adapter whose function of this name raises."""
    adapter = RichDicts()

    def fail(*_: object) -> None:
        raise error

    async def fail_later(*_: object) -> None:
        await asyncio.sleep(0)
        raise error

    setattr(adapter, name, fail_later if is_async else fail)
    return adapter
