"""Working contexts with the host's own adapter and logger, and asynchronous calls."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from loopmem import AdapterError, LockAcquisitionError, Misuse, NotFound, Store, aio

from adapters import AsyncDicts, Dicts, MixedDicts, RichDicts, unraisable

KINDS: list[Callable[[], Any]] = [Dicts, AsyncDicts, MixedDicts, RichDicts, lambda: "memory"]


def over(adapter: Any, tmp_path: Path, **options: Any) -> aio.MemoryStore:
    return aio.create_memory_store(home=tmp_path, adapter=adapter, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_is_stored_as_with_blocking_calls(kind: Callable[[], Any], tmp_path: Path) -> None:
    async def use() -> None:
        async with over(kind(), tmp_path) as store:
            assert await store.get_context("job") == {}
            assert await store.update_context("job", {"a": 1, "b": 1}, source="agent-x") == {"a": 1, "b": 1}
            assert await store.update_context("job", {"b": None}, remove=["a"]) == {"b": None}
            assert await store.get_context("other") == {}
            assert await store.add_log("job", {"id": "e", "content": "c", "metadata": {"embedding": [1, 0]}}) is None  # type: ignore[func-returns-value]
            assert [entry["id"] for entry in await store.get_logs("job", limit=1)] == ["e"]
            assert [found["score"] for found in await store.search_logs("job", embedding=[1, 0])] == [1]
            timestamp = await store.save_checkpoint("job")
            await store.update_context("job", {"c": 1})
            assert await store.restore_checkpoint("job", timestamp) == {"b": None}
            assert await store.list_checkpoints("job") == [timestamp]
            assert [entry["source"] for entry in await store.history("job", limit=4)] == ["agent-x", None, None, None]
            assert await store.delete_checkpoint("job", timestamp) is True
            with pytest.raises(NotFound):
                await store.restore_checkpoint("job", timestamp)
            assert await store.delete_scope("job") is True
            assert await store.delete_scope("job") is False

    asyncio.run(use())


@pytest.mark.parametrize("kind", KINDS)
def test_gathered_updates_keep_their_order_and_lose_none(kind: Callable[[], Any], tmp_path: Path) -> None:
    async def use() -> None:
        async with over(kind(), tmp_path) as store:
            contexts = await asyncio.gather(*(store.update_context("job", {str(n): n}) for n in range(60)))
            assert [len(context) for context in contexts] == list(range(1, 61))
            await asyncio.gather(*(store.add_log("job", {"content": str(n)}) for n in range(60)))
            assert [entry["content"] for entry in await store.get_logs("job")] == [str(n) for n in range(60)]

    asyncio.run(use())


def test_asynchronous_functions_run_on_the_loop_that_opened_the_store(tmp_path: Path) -> None:
    class Asking(AsyncDicts):
        async def get(self, key: str) -> object:
            loops.append(asyncio.get_running_loop())
            return await super().get(key)

    loops: list[asyncio.AbstractEventLoop] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        async with await aio.Store.open(home=tmp_path, adapter=Asking()) as store:
            await store.working.get_context(scope_id="job")
        with Store.open(home=tmp_path, adapter=Asking()) as blocking:
            await asyncio.to_thread(blocking.working.get_context, scope_id="job")
        assert loops == [loop, loop]
        loops.clear()

    asyncio.run(use())
    # Opened without a running loop: a private loop of the store, wherever the store is used.
    store = over(Asking(), tmp_path)

    async def use_elsewhere() -> None:
        await store.get_context("job")
        assert loops[-1] is not asyncio.get_running_loop()

    asyncio.run(use_elsewhere())
    asyncio.run(use_elsewhere())
    assert loops[0] is loops[1]
    store.close()


class Calling(AsyncDicts):
    """Calls into the store from within `get`."""

    call: Callable[[], Awaitable[object]] | None = None
    outcome: object = None

    async def get(self, key: str) -> object:
        call, self.call = self.call, None
        if call is not None:
            try:
                self.outcome = await call()
            except Misuse as refused:
                self.outcome = type(refused)
        return await super().get(key)


def test_an_adapter_that_calls_into_the_scope_it_is_called_for_is_misuse(tmp_path: Path) -> None:
    async def use() -> None:
        adapter = Calling()
        async with over(adapter, tmp_path) as store:
            for call, outcome in (
                (lambda: store.update_context("job", {"b": 1}), Misuse),
                # So are calls of its tasks and threads.
                (lambda: asyncio.create_task(store.get_context("job")), Misuse),
                (lambda: asyncio.to_thread(asyncio.run, store.get_context("job")), Misuse),
                (lambda: store.update_context("other", {"b": 1}), {"b": 1}),
                (lambda: asyncio.create_task(store.get_context("other")), {"b": 1}),
            ):
                adapter.call = call
                await asyncio.wait_for(store.update_context("job", {"a": 1}), 20)
                assert adapter.outcome == outcome
            # A call that is not nested in a call of the adapter waits for its turn.
            await asyncio.gather(store.update_context("job", {"c": 1}), store.get_context("job"))

    asyncio.run(use())


def test_two_stores_that_call_each_other_are_detected(tmp_path: Path) -> None:
    async def use() -> None:
        first, second = Calling(), Calling()
        async with over(first, tmp_path) as one, over(second, tmp_path) as other:
            first.call = lambda: other.get_context("job")
            second.call = lambda: one.get_context("job")
            await one.get_context("job")
            assert (first.outcome, second.outcome) == ({}, Misuse)
            # Call numbers of different stores are never confused.
            first.call = lambda: other.get_context("a")
            second.call = lambda: other.get_context("b")
            await one.get_context("job")
            assert (first.outcome, second.outcome) == ({}, {})

    asyncio.run(use())


def test_a_blocking_call_on_the_loop_is_misuse_and_an_asynchronous_one_is_not(tmp_path: Path) -> None:
    async def use() -> None:
        adapter = AsyncDicts()
        with Store.open(home=tmp_path, adapter=adapter) as blocking:
            with pytest.raises(Misuse):
                blocking.working.get_context(scope_id="job")
        async with await aio.Store.open(home=tmp_path, adapter=adapter) as store:
            assert await store.working.get_context(scope_id="job") == {}

    asyncio.run(use())


@pytest.mark.parametrize(
    "raised", [KeyError("lost"), TimeoutError(5, "late"), asyncio.TimeoutError("late"), SystemExit(3)]
)
def test_an_exception_of_an_adapter_is_the_cause(
    raised: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Dicts):
        def get(self, key: str) -> object:
            raise raised

    class FailingLater(AsyncDicts):
        async def get(self, key: str) -> object:
            await asyncio.sleep(0)
            raise raised

    async def use(adapter: object) -> None:
        async with over(adapter, tmp_path) as store:
            with pytest.raises(AdapterError) as caught:
                await store.get_context("job")
            assert caught.value.__cause__ is raised

    with unraisable(monkeypatch) as passed:
        asyncio.run(use(Failing()))
    # It does not end our thread, and is reported.
    assert passed == ([] if isinstance(raised, Exception) else [raised])
    if isinstance(raised, Exception):
        asyncio.run(use(FailingLater()))


class Held(AsyncDicts):
    """Waits in one function until it is released."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.is_asked, self.is_free = asyncio.Event(), asyncio.Event()
        self.is_cancelled = False

    async def held(self, name: str) -> None:
        if name == self.name:
            self.is_asked.set()
            try:
                await self.is_free.wait()
            except asyncio.CancelledError:
                self.is_cancelled = True
                self.is_free.set()
                raise

    async def get(self, key: str) -> object:
        await self.held("get")
        return await super().get(key)

    async def push(self, key: str, item: object) -> None:
        await self.held("push")
        await super().push(key, item)


def test_cancelling_a_task_cancels_the_adapters_coroutine(tmp_path: Path) -> None:
    async def use() -> None:
        adapter = Held("get")
        async with over(adapter, tmp_path) as store:
            waiting = asyncio.create_task(store.update_context("job", {"a": 1}))
            await adapter.is_asked.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await asyncio.wait_for(adapter.is_free.wait(), 60)
            assert adapter.is_cancelled
            assert await store.get_context("job") == {}

    asyncio.run(use())


def test_a_change_that_has_begun_to_be_written_is_finished(tmp_path: Path) -> None:
    async def use() -> None:
        adapter = Held("push")
        async with await aio.Store.open(home=tmp_path, adapter=adapter) as store:
            waiting = asyncio.create_task(store.working.update_context(scope_id="job", patch={"a": 1}))
            await adapter.is_asked.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            # The task was cancelled, and the entry of the trail is not written yet.
            with pytest.raises(LockAcquisitionError):
                await store.working.history(scope_id="job", timeout=0.05)
            assert not adapter.is_cancelled
            adapter.is_free.set()
            assert [entry["patch"] for entry in await store.working.history(scope_id="job")] == [{"a": 1}]
            assert await store.working.get_context(scope_id="job") == {"a": 1}

    asyncio.run(use())


def test_an_adapter_that_never_answers_is_an_adapter_error_in_time(tmp_path: Path) -> None:
    async def use() -> None:
        adapter = Held("get")
        async with over(adapter, tmp_path, adapter_timeout_ms=30) as store:
            with pytest.raises(AdapterError, match="get did not answer within 30 ms"):
                await store.get_context("job")
            await asyncio.wait_for(adapter.is_free.wait(), 60)
            assert adapter.is_cancelled

    asyncio.run(use())


def test_a_logger_is_called_before_the_call_returns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "jobs")

    async def use() -> None:
        async with over(AsyncDicts(), tmp_path, logger=logging.getLogger("jobs")) as store:
            for number in range(20):
                await store.update_context(f"{number}%s", {"a": 1})
                assert caplog.messages[-1] == f"Context updated for {number}%s"
            with pytest.raises(NotFound):
                await store.restore_checkpoint("job", 7)
            assert caplog.records[-1].levelname == "ERROR"

    asyncio.run(use())


def test_a_logger_that_raises_changes_nothing_and_a_slow_one_delays_no_other_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow:
        def debug(self, message: str, *, extra: object) -> None:
            if "slow" in message:
                assert is_free.wait(60)
            raise ValueError(message)

        info = warning = error = debug

    is_free = threading.Event()

    async def use() -> None:
        async with over(AsyncDicts(), tmp_path, logger=Slow()) as store:
            slow = asyncio.create_task(store.update_context("slow", {"a": 1}))
            assert await store.update_context("job", {"a": 1}) == {"a": 1}
            # Neither the loop nor the scope is blocked.
            while await store.get_context("slow") == {}:
                pass
            assert not slow.done()
            is_free.set()
            assert await slow == {"a": 1}

    with unraisable(monkeypatch) as caught:
        asyncio.run(use())
    assert sorted(map(str, caught)) == ["Context updated for job", "Context updated for slow"]


def test_the_interpreter_may_end_during_a_call_of_an_asynchronous_adapter(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from loopmem import aio\n"
        "import adapters\n"
        "sys.setswitchinterval(1e-6)\n"
        "class Silent(adapters.AsyncDicts):\n"
        "    async def get(self, key):\n"
        "        asked.set()\n"
        "        await asyncio.Event().wait()\n"
        "class Busy(adapters.Dicts):\n"
        "    def get(self, key):\n"
        "        for _ in range(100_000): pass\n"
        "async def submit(adapter):\n"
        "    store = aio.create_memory_store(home=sys.argv[1], adapter=adapter, adapter_timeout_ms=600_000)\n"
        "    for number in range(20):\n"
        "        asyncio.ensure_future(store.get_context(str(number)))\n"
        "    await (asked.wait() if isinstance(adapter, Silent) else asyncio.sleep(0))\n"
        "loop = asyncio.new_event_loop()\n"
        "asked = asyncio.Event()\n"
        "adapter = {'silent': Silent, 'busy': Busy}[sys.argv[2]]()\n"
        "if sys.argv[3] == 'run': asyncio.run(submit(adapter))\n"
        # A loop that is never closed.
        "else: loop.run_until_complete(submit(adapter))\n"
    )
    for kind in ("silent", "busy"):
        for way in ("run", "leave"):
            for _ in range(3):
                begun = time.monotonic()
                command = [sys.executable, "-W", "ignore", "-c", program, str(tmp_path), kind, way]
                ended = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
                assert ended.returncode == 0, (kind, way, ended.stderr)
                assert time.monotonic() - begun < 60
