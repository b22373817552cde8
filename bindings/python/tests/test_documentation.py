"""The output of `help`: every parameter of a function, and only errors that exist."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import loopmem
import pytest
from loopmem import LoopmemError, _aio_rooms, _functions, _rooms, aio


def rooms_methods(module: ModuleType) -> list[Callable[..., Any]]:
    apis = [api for name, api in inspect.getmembers(module, inspect.isclass) if name.endswith("Api")]
    return [method for api in apis for method in public_methods(api)]


def public_methods(of: type) -> list[Callable[..., Any]]:
    methods = inspect.getmembers(of, lambda it: inspect.isfunction(it) or inspect.ismethod(it))
    return [method for name, method in methods if not name.startswith("_")]


FUNCTIONS = [
    *rooms_methods(_rooms),
    *rooms_methods(_aio_rooms),
    *public_methods(loopmem.MemoryStore),
    *(getattr(loopmem, name) for name in _functions.__all__),
    loopmem.create_memory_store,
]


def section(doc: str, name: str) -> list[str]:
    """The entries of a section, which are its unindented lines."""
    found = re.search(rf"^{name}\n-+\n(.*?)(?=\n\n|\Z)", doc, re.MULTILINE | re.DOTALL)
    return [] if found is None else [line for line in found[1].splitlines() if not line.startswith(" ")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda it: f"{it.__module__}.{it.__qualname__}")
def test_help_lists_every_parameter_and_only_errors_that_exist(function: Callable[..., Any]) -> None:
    doc = inspect.getdoc(function)
    assert doc is not None
    documented = [entry.split(" : ")[0].lstrip("*") for entry in section(doc, "Parameters")]
    assert documented == [name for name in inspect.signature(function).parameters if name != "self"]
    raised = [getattr(loopmem, name) for name in section(doc, "Raises")]
    assert all(issubclass(error, LoopmemError) for error in raised)
    assert raised or function.__name__ == "close"


@pytest.mark.parametrize("method", public_methods(loopmem.MemoryStore), ids=lambda it: it.__name__)
def test_a_method_of_a_memory_store_lists_the_errors_of_the_method_that_it_calls(method: Callable[..., Any]) -> None:
    if method.__name__ == "close":
        return
    called = getattr(_rooms.WorkingApi, method.__name__)
    # It takes no request to cancel.
    errors = [error for error in section(inspect.getdoc(called) or "", "Raises") if error != "Cancelled"]
    assert section(inspect.getdoc(method) or "", "Raises") == errors


def test_help_of_a_store_names_its_methods() -> None:
    for store in (loopmem.Store, aio.Store):
        shown = pydoc.plain(pydoc.render_doc(store))
        for name in (
            "`upsert_convention`",
            "`get_context`",
            "lock_timeout_ms : int, optional",
            "timeout : float, optional",
        ):
            assert name in shown


def test_the_signature_of_a_method_has_its_parameters_and_the_options_of_a_call(tmp_path: Path) -> None:
    with loopmem.Store.open(home=tmp_path) as store:
        blocking = inspect.signature(store.memory.upsert_note)
        asynchronous = inspect.signature(asyncio.run(aio.Store.open(home=tmp_path)).memory.upsert_note)
    shown = "(note: 't.NoteDraft | t.Note', *, repo_hash: 'str | None' = None,"
    assert str(blocking).startswith(shown)
    assert str(blocking).endswith("**call: 'Unpack[t.CallOptions]') -> 't.Note'")
    assert str(asynchronous) == str(blocking)


def test_asynchronous_methods_are_coroutine_functions_with_the_docs_of_the_blocking_ones() -> None:
    for method in rooms_methods(_aio_rooms):
        api = getattr(_rooms, method.__qualname__.split(".")[0])
        # What `open` returns can also be entered with `async with`.
        assert inspect.iscoroutinefunction(method) or method.__name__ == "open"
        assert inspect.getdoc(method) == inspect.getdoc(getattr(api, method.__name__))
        assert pickle.loads(pickle.dumps(method)) == method
