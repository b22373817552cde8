"""Working contexts with the host's own adapter and blocking calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from loopmem import (
    AdapterError,
    Cancel,
    Cancelled,
    JsonValue,
    MemoryEntryDraft,
    MemoryStore,
    Misuse,
    NotFound,
    Store,
    Unsupported,
    ValidationError,
    aio,
    create_memory_store,
)
from loopmem._host import Pending

from adapters import AsyncDicts, Dicts, MixedDicts, RichDicts, Silent, failing, over

KINDS: list[Callable[[], Any]] = [Dicts, AsyncDicts, MixedDicts, RichDicts, lambda: "memory"]


@pytest.fixture(params=KINDS, ids=["sync", "async", "mixed", "rich", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    with create_memory_store(home=tmp_path, adapter=request.param()) as store:
        yield store


def test_an_update_merges_its_keys_and_returns_the_new_context(store: MemoryStore) -> None:
    assert store.get_context("job") == {}
    assert store.update_context("job", {"a": {"deep": 1}, "b": 1}) == {"a": {"deep": 1}, "b": 1}
    assert store.update_context("job", {"a": {"other": 2}, "c": None}) == {"a": {"other": 2}, "b": 1, "c": None}
    assert store.update_context("job", {"d": 1}, remove=["b", "none"], source="agent-x") == {
        "a": {"other": 2},
        "c": None,
        "d": 1,
    }
    assert store.get_context("job") == {"a": {"other": 2}, "c": None, "d": 1}


def test_scopes_do_not_overlap_whatever_their_names(store: MemoryStore) -> None:
    names = ["job-A", "job-B", "global", "a:b", "a", "../up", "%s%d", "ä 字 🙂", ":", "trail:x"]
    for number, name in enumerate(names):
        store.update_context(name, {"number": number})
        store.add_log(name, {"content": str(number)})
    for number, name in enumerate(names):
        assert store.get_context(name) == {"number": number}
        assert [entry["content"] for entry in store.get_logs(name)] == [str(number)]


def test_a_result_is_a_copy(store: MemoryStore) -> None:
    patch: dict[str, list[int]] = {"list": [1]}
    for context in (store.update_context("job", patch), store.get_context("job")):
        patch["list"].append(2)
        listed = context["list"]
        assert isinstance(listed, list)
        listed.append(3)
        context["more"] = 1
    assert store.get_context("job") == {"list": [1]}


def test_a_log_keeps_its_order_and_is_read_in_parts(store: MemoryStore) -> None:
    for number in range(5):
        entry: MemoryEntryDraft = {"id": f"e{number}", "content": str(number), "metadata": {"source": "user"}}
        assert store.add_log("job", entry) is None  # type: ignore[func-returns-value]
    assert [entry["id"] for entry in store.get_logs("job")] == ["e0", "e1", "e2", "e3", "e4"]
    assert [entry["id"] for entry in store.get_logs("job", limit=2)] == ["e3", "e4"]
    assert [entry["id"] for entry in store.get_logs("job", after="e1", limit=2)] == ["e2", "e3"]
    assert store.get_logs("job")[0]["metadata"]["source"] == "user"


def test_a_log_is_searched_by_embedding_and_by_words(store: MemoryStore) -> None:
    store.add_log("job", {"id": "near", "content": "the build broke", "metadata": {"embedding": [1, 0.1]}})
    store.add_log("job", {"id": "far", "content": "lunch", "metadata": {"embedding": (0, 1)}})
    assert [found["entry"]["id"] for found in store.search_logs("job", embedding=[1, 0])] == ["near", "far"]
    assert [found["entry"]["id"] for found in store.search_logs("job", text="build", limit=5)] == ["near"]


def test_a_context_is_restored_to_a_checkpoint(store: MemoryStore) -> None:
    store.update_context("job", {"step": 1})
    first, second = store.save_checkpoint("job"), store.save_checkpoint("job")
    assert isinstance(first, int) and first < second
    store.update_context("job", {"step": 2})
    assert store.restore_checkpoint("job", first) == {"step": 1} == store.get_context("job")
    undone = store.history("job")[-1]
    assert (undone["operation"], undone["replaced"]) == ("restoreCheckpoint", {"step": 2})
    assert store.list_checkpoints("job") == [first, second]
    assert store.delete_checkpoint("job", first) is True
    assert store.delete_checkpoint("job", first) is False
    with pytest.raises(NotFound, match=f'"job".*{first}'):
        store.restore_checkpoint("job", first)


def test_a_context_can_be_rebuilt_from_its_trail(store: MemoryStore) -> None:
    store.update_context("job", {"a": {"deep": 1}, "b": 1})
    store.update_context("job", {"a": {"other": 2}, "c": None}, remove=["b"])
    timestamp = store.save_checkpoint("job")
    store.update_context("job", {"d": [1]}, remove=["a"])
    store.restore_checkpoint("job", timestamp)
    store.update_context("job", {"e": 5}, remove=["e", "none"])

    context: dict[str, JsonValue] = {}
    for entry in store.history("job"):
        if entry["operation"] == "restoreCheckpoint":
            context = {}
        for name in entry["remove"]:
            context.pop(name, None)
        context.update(entry["patch"])
    assert context == store.get_context("job") == {"a": {"other": 2}, "c": None, "e": 5}


def test_a_restore_can_be_undone_from_the_trail(store: MemoryStore) -> None:
    store.update_context("job", {"a": 1, "gone": True})
    timestamp = store.save_checkpoint("job")
    # Never saved.
    unsaved = store.update_context("job", {"a": 2, "b": {"deep": None}}, remove=["gone"])
    store.restore_checkpoint("job", timestamp)

    restored = [entry for entry in store.history("job") if entry["operation"] == "restoreCheckpoint"]
    assert restored[-1]["timestamp"] == timestamp
    now = store.get_context("job")
    assert now != unsaved
    store.update_context("job", restored[-1]["replaced"], remove=list(now), source="undo")
    assert store.get_context("job") == unsaved


def test_the_trail_records_who_changed_what(store: MemoryStore) -> None:
    store.update_context("job", {"a": 1}, source="agent-x")
    store.update_context("job", {"b": None}, remove=["a"])
    changes = [(entry["patch"], entry["remove"], entry["source"]) for entry in store.history("job")]
    assert changes == [({"a": 1}, [], "agent-x"), ({"b": None}, ["a"], None)]
    assert len(store.history("job", limit=1)) == 1


def test_a_scope_can_be_deleted(store: MemoryStore) -> None:
    store.update_context("job", {"a": 1})
    timestamp = store.save_checkpoint("job")
    store.add_log("job", {"content": "c"})
    assert store.delete_scope("job") is True
    assert store.delete_scope("job") is False
    assert (store.get_context("job"), store.get_logs("job"), store.list_checkpoints("job")) == ({}, [], [])
    with pytest.raises(NotFound):
        store.restore_checkpoint("job", timestamp)


def test_an_adapter_receives_the_specifications_keys_and_no_secret(tmp_path: Path) -> None:
    adapter = Dicts()
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    with over(adapter, tmp_path) as store:
        store.update_context("job", {"a": 1, "note": f"token {secret}"})
        store.add_log("job", {"content": f"used {secret}"})
        timestamp = store.save_checkpoint("job")
    assert set(adapter.values) == {"context:job", f"checkpoint:job:{timestamp}", "checkpoints:job"}
    assert set(adapter.lists) == {"logs:job", "trail:job"}
    assert adapter.values["checkpoints:job"] == [timestamp]
    assert secret not in repr((adapter.values, adapter.lists))


@pytest.mark.parametrize("kind", [Dicts, MixedDicts])
def test_what_an_adapter_stored_is_found_by_the_next_store(kind: type[Dicts], tmp_path: Path) -> None:
    adapter = kind()
    with over(adapter, tmp_path) as store:
        store.update_context("job", {"a": 1})
        store.add_log("job", {"content": "c"})
        timestamp = store.save_checkpoint("job")
        store.update_context("job", {"a": 2})
    with over(adapter, tmp_path) as store:
        assert store.get_context("job") == {"a": 2}
        assert store.restore_checkpoint("job", timestamp) == {"a": 1}
        assert [entry["content"] for entry in store.get_logs("job")] == ["c"]


def test_the_names_of_the_specification_are_accepted_too(tmp_path: Path) -> None:
    class Ported:
        def __init__(self) -> None:
            dicts = RichDicts()
            self.get, self.set, self.push = dicts.get, dicts.set, dicts.push
            self.getList, self.listKeys = dicts.get_list, dicts.list_keys
            setattr(self, "del", dicts.delete)

    with over(Ported(), tmp_path) as store:
        store.update_context("job", {"a": 1})
        assert store.list_scopes() == ["job"]
        assert store.delete_scope("job")


def test_scopes_are_listed_if_the_adapter_can_list_its_keys(tmp_path: Path) -> None:
    with over(RichDicts(), tmp_path) as store:
        store.update_context("b", {})
        store.add_log("a", {"content": "c"})
        assert store.list_scopes() == ["a", "b"]
    with over(Dicts(), tmp_path) as store, pytest.raises(Unsupported):
        store.list_scopes()


def test_an_update_is_computed_again_after_a_concurrent_write(tmp_path: Path) -> None:
    class Contended(RichDicts):
        others = 3

        def get(self, key: str) -> object:
            seen = super().get(key)
            if self.others > 0:
                self.others -= 1
                self.values[key] = {**(seen if isinstance(seen, dict) else {}), f"other{self.others}": True}
            return seen

    with over(Contended(), tmp_path) as store:
        assert store.update_context("job", {"mine": True}) == {
            "mine": True,
            "other0": True,
            "other1": True,
            "other2": True,
        }


def test_the_end_of_a_log_is_read_by_range_if_the_adapter_can(tmp_path: Path) -> None:
    adapter = RichDicts()
    with over(adapter, tmp_path) as store:
        for number in range(9):
            store.add_log("job", {"content": str(number)})
        assert [entry["content"] for entry in store.get_logs("job", limit=2)] == ["7", "8"]
    assert adapter.ranges == [-2]


@pytest.mark.parametrize("name", ["get", "set", "delete", "push", "get_list"])
def test_an_adapter_without_a_required_function_is_refused_when_the_store_is_opened(name: str, tmp_path: Path) -> None:
    adapter = Dicts()
    setattr(adapter, name, None)
    with pytest.raises(ValidationError, match=f"the adapter has no function {name}") as refused:
        over(adapter, tmp_path)
    assert refused.value.operation == "open"


def test_invalid_adapters_and_loggers_are_refused(tmp_path: Path) -> None:
    for adapter in (5, {}, object(), b"memory", "nothing of the kind"):
        with pytest.raises(ValidationError, match="adapter"):
            over(adapter, tmp_path)
    for logger in (5, "log", print, object()):
        with pytest.raises(ValidationError, match="logger must be an object with some of the functions debug, info"):
            over("memory", tmp_path, logger=logger)


CALLS: dict[str, Callable[[MemoryStore], object]] = {
    "get": lambda store: store.get_context("job"),
    "compare_and_set": lambda store: store.update_context("job", {"a": 1}),
    "push": lambda store: store.add_log("job", {"content": "c"}),
    "get_list": lambda store: store.get_logs("job"),
    "get_range": lambda store: store.get_logs("job", limit=1),
    "list_keys": lambda store: store.list_scopes(),
}


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_an_exception_of_an_adapter_is_the_cause_of_an_adapter_error(name: str, is_async: bool, tmp_path: Path) -> None:
    for raised in (KeyError("lost"), TimeoutError(5, "late"), asyncio.TimeoutError("late"), OSError()):
        with over(failing(name, raised, is_async), tmp_path) as store, pytest.raises(AdapterError) as caught:
            CALLS[name](store)
        assert caught.value.__cause__ is raised
        assert f"the adapter's {name} raised {type(raised).__name__}" in str(caught.value)
        assert caught.value.operation is not None and caught.value.operation.startswith("working.")


def test_an_error_shows_what_the_adapter_raised_without_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "z9Y8x7W6v5" * 3 + "u4T3s2"
    with (
        over(failing("get", ValueError(f"no {secret}"), False), tmp_path) as store,
        pytest.raises(AdapterError) as caught,
    ):
        store.get_context("job")
    assert caught.value.cause is not None and caught.value.cause.startswith("no ") and secret not in str(caught.value)


def test_a_failing_adapter_never_looks_like_an_empty_context(tmp_path: Path) -> None:
    adapter = Dicts()
    with over(adapter, tmp_path) as store:
        store.update_context("job", {"a": 1})
        adapter.values["context:job"] = [1]
        with pytest.raises(AdapterError, match="is not an object"):
            store.update_context("job", {"b": 1})
    assert adapter.values["context:job"] == [1]


def answering(name: str, answer: object, is_async: bool) -> Dicts:
    adapter = RichDicts()

    def give(*_: object) -> object:
        return answer

    async def give_later(*_: object) -> object:
        return answer

    setattr(adapter, name, give_later if is_async else give)
    return adapter


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("name", "answer", "what"), [
    ("get", {"a": [1, {2}]}, r"get\.a\[1\]: a set, which JSON cannot represent"),
    ("get", b"{}", "get: bytes, which JSON cannot represent"),
    ("get_list", [{"x": float("nan")}], r"get_list\[0\]\.x: NaN, which JSON cannot represent"),
    ("get_list", {"a": 1}, "is not a list"),
    ("compare_and_set", "yes", "true or false"),
    ("list_keys", [1], "list of strings"),
])  # fmt: skip
def test_an_invalid_answer_is_an_adapter_error(
    name: str, answer: object, what: str, is_async: bool, tmp_path: Path
) -> None:
    with over(answering(name, answer, is_async), tmp_path) as store, pytest.raises(AdapterError, match=what):
        CALLS[name](store)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_result_of_a_write_is_ignored(is_async: bool, tmp_path: Path) -> None:
    with over(answering("push", object(), is_async), tmp_path) as store:
        store.add_log("job", {"content": "c"})


def test_an_adapter_that_never_answers_is_an_adapter_error_in_time(tmp_path: Path) -> None:
    adapter = Silent()
    with (
        over(adapter, tmp_path, adapter_timeout_ms=30) as store,
        pytest.raises(AdapterError, match="get did not answer within 30 ms"),
    ):
        store.get_context("job")
    assert adapter.is_cancelled.wait(60)


def test_a_call_that_waits_for_an_adapter_can_be_cancelled(tmp_path: Path) -> None:
    adapter = Silent()
    with Store.open(home=tmp_path, adapter=adapter) as store, ThreadPoolExecutor(1) as pool:
        cancel = Cancel()
        waiting = pool.submit(store.working.get_context, scope_id="job", cancel=cancel)
        assert adapter.is_asked.wait(60)
        cancel.request()
        with pytest.raises(Cancelled):
            waiting.result(60)
        assert adapter.is_cancelled.wait(60)


@pytest.mark.parametrize("kind", [Dicts, AsyncDicts, MixedDicts, RichDicts])
def test_eight_threads_lose_no_update(kind: Callable[[], object], tmp_path: Path) -> None:
    with over(kind(), tmp_path) as store, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.update_context("job", {str(number): number}), range(200)))
        assert store.get_context("job") == {str(number): number for number in range(200)}
        assert len(store.history("job")) == 200


class Calling(Dicts):
    """Calls into the store from within `get`."""

    call: Callable[[], object] | None = None
    outcome: object = None

    def get(self, key: str) -> object:
        call, self.call = self.call, None
        if call is not None:
            try:
                self.outcome = call()
            except Misuse as refused:
                self.outcome = type(refused)
        return super().get(key)


def test_an_adapter_that_calls_into_the_scope_it_is_called_for_is_misuse(tmp_path: Path) -> None:
    adapter = Calling()
    with over(adapter, tmp_path) as store:
        for scope, outcome in (("job", Misuse), ("other", {"b": 1})):
            adapter.call = lambda scope=scope: store.update_context(scope, {"b": 1})
            assert store.update_context("job", {"a": 1}) == {"a": 1}
            assert adapter.outcome == outcome


def test_a_loop_that_an_adapter_runs_is_within_its_call(tmp_path: Path) -> None:
    adapter = Calling()
    with over(adapter, tmp_path) as store:

        async def call(scope: str) -> object:
            async with aio.create_memory_store(home=tmp_path, adapter=through) as awaited:
                return await awaited.get_context(scope)

        through = Calling()
        through.call = lambda: store.get_context("job")
        adapter.call = lambda: asyncio.run(call("job"))
        store.get_context("job")
        # The call on one store is nested in a call on the other, which is nested in a call on the first.
        assert (through.outcome, adapter.outcome) == (Misuse, {})


def test_a_blocking_call_on_the_loop_that_the_adapter_needs_is_misuse(tmp_path: Path) -> None:
    async def call(adapter: AsyncDicts) -> None:
        with over(adapter, tmp_path) as store:
            with pytest.raises(Misuse, match="event loop"):
                store.update_context("job", {"a": 1})
            assert adapter.dicts.values == {}
            assert await asyncio.to_thread(store.update_context, "job", {"a": 1}) == {"a": 1}

    async def call_what_needs_none() -> None:
        with over(Dicts(), tmp_path) as store:
            assert store.update_context("job", {"a": 1}) == {"a": 1}

    asyncio.run(call(AsyncDicts()))
    asyncio.run(call_what_needs_none())


def test_a_blocking_call_from_within_an_asynchronous_function_is_misuse(tmp_path: Path) -> None:
    class Blocking(AsyncDicts):
        async def get(self, key: str) -> object:
            with pytest.raises(Misuse, match="event loop"):
                opened.get_context("other")
            return await super().get(key)

    opened = over(Blocking(), tmp_path)
    assert opened.get_context("job") == {}
    opened.close()


def test_a_function_that_returns_an_awaitable_is_misuse_there_too(tmp_path: Path) -> None:
    class Hidden(Dicts):
        def get(self, key: str) -> object:
            return AsyncDicts.get(awaited, key)

    awaited = AsyncDicts()

    async def call() -> None:
        with over(Hidden(), tmp_path) as store, pytest.raises(Misuse):
            store.get_context("job")

    asyncio.run(call())
    with over(Hidden(), tmp_path) as store:
        assert store.get_context("job") == {}


def test_a_store_whose_loop_is_closed_is_an_adapter_error(tmp_path: Path) -> None:
    async def opened() -> MemoryStore:
        return over(AsyncDicts(), tmp_path)

    with asyncio.run(opened()) as store, pytest.raises(AdapterError, match="is closed"):
        store.get_context("job")


def test_the_error_of_a_call_that_times_out_mentions_a_stopped_loop(tmp_path: Path) -> None:
    async def opened() -> MemoryStore:
        return over(AsyncDicts(), tmp_path, adapter_timeout_ms=50)

    loop = asyncio.new_event_loop()
    with loop.run_until_complete(opened()) as store:
        with pytest.raises(AdapterError, match="within 50 ms: the event loop .* is no longer running"):
            store.get_context("job")
        # The loop is not lost: it may run again.
        assert loop.run_until_complete(asyncio.to_thread(store.update_context, "job", {"a": 1})) == {"a": 1}
    loop.close()


def test_waiting_for_an_adapter_rarely_takes_the_interpreter_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Pending] = []
    is_lost = Pending.is_lost

    def looked(pending: Pending) -> bool:
        looks.append(pending)
        return is_lost(pending)

    monkeypatch.setattr(Pending, "is_lost", looked)
    with over(Silent(), tmp_path, adapter_timeout_ms=500) as store:
        with pytest.raises(AdapterError, match="did not answer within 500 ms$"):
            store.get_context("job")
    # Every 200 ms, and once to cancel.
    assert 1 <= len(looks) <= 3


def test_a_loop_that_is_closed_in_the_middle_of_a_call_is_an_adapter_error(tmp_path: Path) -> None:
    adapter = Silent()

    async def asked() -> None:
        await asyncio.to_thread(adapter.is_asked.wait, 60)

    async def opened() -> MemoryStore:
        return over(adapter, tmp_path)

    loop = asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as pool:
        store = loop.run_until_complete(opened())
        waiting = pool.submit(store.get_context, "job")
        loop.run_until_complete(asked())
        loop.close()
        with pytest.raises(AdapterError, match="the event loop was closed before the adapter's get answered"):
            waiting.result(60)


def test_the_loop_of_a_store_ends_with_it(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with over(AsyncDicts(), tmp_path) as store:
        store.get_context("job")
        (thread,) = set(threading.enumerate()) - before
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize("raised", [KeyboardInterrupt("now"), SystemExit(3), GeneratorExit()])
def test_a_base_exception_passes_through_unchanged(raised: BaseException, tmp_path: Path) -> None:
    with over(failing("get", raised, False), tmp_path) as store:
        with pytest.raises(type(raised)) as caught:
            store.get_context("job")
        assert caught.value is raised
        # The scope is free again.
        assert store.get_logs("job") == []


def test_values_that_json_cannot_represent_are_refused_with_their_path(store: MemoryStore) -> None:
    with pytest.raises(ValidationError, match=r"patch\.a\[1\]: a set, which JSON cannot represent"):
        store.update_context("job", {"a": [1, {2}]})
    with pytest.raises(ValidationError, match=r"entry\.metadata\.embedding\[0\]: NaN"):
        store.add_log("job", {"content": "c", "metadata": {"embedding": [float("nan")]}})
    assert store.get_context("job") == {}
