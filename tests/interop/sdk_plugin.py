"""A plugin for pytest, with which the tests of Anthropic's SDK for its file tool test that of loopmem instead."""

from __future__ import annotations

import asyncio
import inspect
import os
from pathlib import Path
from threading import Thread
from typing import cast

import anyio
import pytest
from anthropic.lib.tools import _beta_builtin_memory_tool as own
from loopmem import Store, aio
from loopmem.anthropic import AsyncMemoryTool, MemoryTool

REPO = "c" * 64
PRIVATE = (
    "test_read_rejects_symlink_created_after_validation",
    "test_read_rejects_file_replaced_with_symlink_before_open",
    "test_view_rejects_directory_symlink_created_after_validation",
    "test_validate_path_returns_resolved_path_not_symlink_target",
)
"""Tests of the SDK's private functions, which they replace by others."""


def root_of(home: str) -> Path:
    return Path(home) / "repos" / REPO / "files"


def make_root(home: str) -> Path:
    """Creates the folder, as the SDK's tool does when it is made."""
    with Store.open(home=home) as store:
        store.files.create(path="/memories/first", file_text="", repo_hash=REPO)
        store.files.remove(path="/memories/first", purge=True, repo_hash=REPO)
    return root_of(home)


class StandIn(MemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.base_path, self.memory_root = Path(base_path), make_root(base_path)
        super().__init__(Store.open(home=base_path), repo_hash=REPO)


class AsyncStandIn(AsyncMemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.base_path, self.memory_root = Path(base_path), anyio.Path(make_root(base_path))
        stores: list[aio.Store] = []
        # A loop may be running here.
        opening = Thread(target=lambda: stores.append(asyncio.run(aio.Store.open(home=base_path))))
        opening.start()
        opening.join()
        super().__init__(stores[0], repo_hash=REPO)

    async def _ensure_memory_root(self) -> None:
        pass


def get_directory_snapshot(base_path: str) -> dict[str, str]:
    """The texts of all files, by the paths that they have in the SDK's folder."""
    root = root_of(base_path)
    files = (Path(folder) / name for folder, _, names in os.walk(root) for name in names)
    return {f"memories/{file.relative_to(root)}": file.read_text() for file in files}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    private = [item for item in items if cast(pytest.Function, item).originalname in PRIVATE]
    config.hook.pytest_deselected(items=private)
    items[:] = [item for item in items if item not in private]
    for item in items:
        vars(cast(pytest.Function, item).module)["get_directory_snapshot"] = get_directory_snapshot


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    parameters = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in parameters}))
    return True


vars(own).update(BetaLocalFilesystemMemoryTool=StandIn, BetaAsyncLocalFilesystemMemoryTool=AsyncStandIn)
