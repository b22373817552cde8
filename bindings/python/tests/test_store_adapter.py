"""Built-in adapters as objects."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from loopmem import (
    Misuse,
    PersistenceAdapter,
    SecretRefused,
    StoreAdapter,
    ValidationError,
    aio,
    create_memory_store,
    open_adapter,
)


@pytest.mark.parametrize("kind", ["file", "sqlite", "memory"])
def test_the_functions_of_a_built_in_adapter(kind: str, tmp_path: Path) -> None:
    with open_adapter(adapter=kind, home=tmp_path) as adapter:
        assert adapter.get("plan") is None and adapter.get_list("queue") == []
        adapter.set("plan", {"steps": (1, "two", None)})
        adapter.push("queue", "a")
        adapter.push("queue", {"b": [2]})
        assert adapter.get("plan") == {"steps": [1, "two", None]}
        assert adapter.get_list("queue") == ["a", {"b": [2]}]
        for key in ("plan", "queue", "plan"):
            adapter.delete(key)
        assert adapter.get("plan") is None and adapter.get_list("queue") == []
        with pytest.raises(SecretRefused):
            adapter.get("ghp_" + "a1B2" * 9)
    with pytest.raises(Misuse):
        adapter.get("plan")


@pytest.mark.parametrize("kind", ["file", "sqlite", "memory"])
def test_a_store_on_a_built_in_adapter_has_what_the_adapter_has(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    adapter = open_adapter(adapter=kind, home=tmp_path)
    adapter.set("context:job", {"step": "plan"})
    with create_memory_store(adapter=adapter, logger=logging.getLogger("jobs"), home=tmp_path) as store:
        assert store.get_context("job") == {"step": "plan"}
        assert store.update_context("job", {"tries": 1}) == {"step": "plan", "tries": 1}
        store.add_log("job", {"content": "Began."})
        timestamp = store.save_checkpoint("job")
        # Each change once, and none by halves.
        assert [entry["patch"] for entry in store.history("job")] == [{"step": "plan"}, {"tries": 1}]
        assert adapter.get("context:job") == {"step": "plan", "tries": 1}
        assert [entry["content"] for entry in adapter.get_list("logs:job")] == ["Began."]  # type: ignore[index,call-overload]
        assert adapter.get(f"checkpoint:job:{timestamp}") == {"step": "plan", "tries": 1}
        adapter.close()
        assert store.list_scopes() == ["job"]
    assert [record.getMessage() for record in caplog.records][0] == "Context updated for job"


def test_a_store_on_a_built_in_adapter_has_its_options(tmp_path: Path) -> None:
    with open_adapter(adapter="memory", home=tmp_path, redaction_patterns=["CORP-[0-9]+"]) as adapter:
        with create_memory_store(adapter=adapter) as store:
            assert "CORP-1" not in str(store.update_context("job", {"a": "CORP-1"}))
        for options in ({"home": tmp_path / "other"}, {"lock_timeout_ms": 5}):
            with pytest.raises(ValidationError, match="pass it when you open the adapter"):
                create_memory_store(adapter=adapter, **options)
    with pytest.raises(Misuse):
        create_memory_store(adapter=adapter)


class Counting:
    """An adapter of one's own on top of a built-in one."""

    def __init__(self, adapter: StoreAdapter) -> None:
        self.adapter = adapter
        self.keys: list[str] = []

    def get(self, key: str) -> object:
        self.keys.append(key)
        return self.adapter.get(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.adapter, name)


def test_an_adapter_of_ones_own_may_be_on_top_of_a_built_in_one(tmp_path: Path) -> None:
    adapter = Counting(open_adapter(home=tmp_path / "inner"))
    own: PersistenceAdapter = adapter
    with create_memory_store(adapter=own, home=tmp_path / "outer") as store:
        assert store.update_context("job", {"a": 1}) == {"a": 1}
        assert store.update_context("job", {"b": 2}, source="me") == {"a": 1, "b": 2}
        store.add_log("job", {"content": "Began."})
        timestamp = store.save_checkpoint("job")
        store.update_context("job", {"a": 3}, remove=["b"])
        assert store.restore_checkpoint("job", timestamp) == {"a": 1, "b": 2}
        assert store.list_checkpoints("job") == [timestamp]
        assert store.history("job")[-1]["operation"] == "restoreCheckpoint"
        assert store.delete_checkpoint("job", timestamp)
        assert store.delete_scope("job")
        assert store.get_context("job") == {} and store.get_logs("job") == []
    assert "context:job" in adapter.keys


def test_a_built_in_adapter_for_asyncio(tmp_path: Path) -> None:
    async def use() -> None:
        async with aio.open_adapter(adapter="memory", home=tmp_path) as adapter:
            await adapter.set("context:job", {"a": 1})
            await asyncio.gather(*(adapter.push("queue", number) for number in range(9)))
            assert await adapter.get_list("queue") == list(range(9))
            async with aio.create_memory_store(adapter=adapter) as store:
                assert await store.get_context("job") == {"a": 1}
            async with aio.Store.open(adapter=adapter) as opened:
                assert await opened.working.get_context("job") == {"a": 1}
            with create_memory_store(adapter=adapter) as blocking:
                assert blocking.get_context("job") == {"a": 1}
            await adapter.delete("queue")
            assert await adapter.get("queue") is None

    asyncio.run(use())
