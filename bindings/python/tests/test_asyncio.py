"""What is specific to asyncio: order, cancellation, and the exit of the interpreter during calls."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from loopmem import Cancel, Cancelled, aio

from locks import REPO, held_lock, somebody_waits

pytestmark = pytest.mark.terminal


def test_gathered_calls_keep_their_order(home: Path) -> None:
    async def append() -> list[str]:
        async with aio.Store.open(home=home) as store:
            calls = (store.summary.append(repo_hash=REPO, run_id="r", step_id=str(n), summary="s") for n in range(40))
            await asyncio.gather(*calls)
            return [summary["stepId"] for summary in await store.summary.list(repo_hash=REPO)]

    assert asyncio.run(append()) == [str(n) for n in reversed(range(40))]


async def until_somebody_waits(home: Path) -> None:
    while not somebody_waits(home):
        await asyncio.sleep(0)


def test_cancelling_a_task_ends_its_wait(home: Path) -> None:
    async def wait() -> None:
        async with aio.Store.open(home=home) as store:
            waiting = asyncio.create_task(store.memory.get(repo_hash=REPO, timeout=600))
            await until_somebody_waits(home)
            # The loop is not blocked: this call is answered while the other one waits.
            await store.summary.list(repo_hash=REPO)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    with held_lock(home):
        asyncio.run(wait())
        deadline = time.monotonic() + 60
        while somebody_waits(home):
            assert time.monotonic() < deadline, "the task is gone and its call still waits"


def test_cancelling_a_task_leaves_the_calls_that_share_its_request(home: Path) -> None:
    async def wait() -> None:
        shared = Cancel()
        async with aio.Store.open(home=home) as store:
            with held_lock(home):
                tasks = [
                    asyncio.create_task(store.memory.get(repo_hash=REPO, timeout=600, cancel=shared)) for _ in range(2)
                ]
                await until_somebody_waits(home)
                tasks[0].cancel()
                with pytest.raises(asyncio.CancelledError):
                    await tasks[0]
                # Longer than a cancelled call takes to end.
                with pytest.raises(TimeoutError):
                    await store.memory.get(repo_hash=REPO, timeout=0.1)
                assert not tasks[1].done()
            assert len((await tasks[1])["conventions"]) == 1

    asyncio.run(wait())


def test_a_shared_request_cancels_every_call_that_has_it(home: Path) -> None:
    async def wait() -> None:
        shared = Cancel()
        async with aio.Store.open(home=home) as store:
            tasks = [
                asyncio.create_task(store.memory.get(repo_hash=REPO, timeout=600, cancel=shared)) for _ in range(2)
            ]
            await until_somebody_waits(home)
            shared.request()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [Cancelled, Cancelled]

    with held_lock(home):
        asyncio.run(wait())


def run(program: str, home: Path) -> str:
    command = [sys.executable, "-c", program, str(home), REPO]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert ended.returncode == 0, "the interpreter did not end well"
    return ended.stdout


def test_the_interpreter_may_end_in_the_middle_of_an_answer(home: Path) -> None:
    program = (
        "import asyncio, sys, threading\n"
        "from loopmem import aio\n"
        "answering = threading.Event()\n"
        "class Loop(asyncio.SelectorEventLoop):\n"
        "    def call_soon_threadsafe(self, *arguments, **more):\n"
        "        answering.set()\n"
        "        for _ in range(1_000_000): pass\n"
        "        return super().call_soon_threadsafe(*arguments, **more)\n"
        "async def submit():\n"
        "    store = await aio.Store.open(home=sys.argv[1])\n"
        "    answering.clear()\n"
        "    asyncio.ensure_future(store.summary.list(repo_hash=sys.argv[2]))\n"
        "    await asyncio.sleep(0)\n"
        "loop = Loop()\n"
        "loop.run_until_complete(submit())\n"
        "answering.wait()\n"
    )
    for _ in range(5):
        run(program, home)


def test_the_interpreter_may_end_while_calls_are_unanswered(home: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from loopmem import aio\n"
        "sys.setswitchinterval(1e-6)\n"
        "async def submit():\n"
        "    store = await aio.Store.open(home=sys.argv[1])\n"
        "    for number in range(40):\n"
        "        wait = store.memory.get if number % 2 else store.summary.list\n"
        "        asyncio.ensure_future(wait(repo_hash=sys.argv[2], timeout=600))\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(submit())\n"
    )
    with held_lock(home):
        for _ in range(10):
            run(program, home)


def test_a_call_after_the_last_answer_is_misuse_and_does_not_hang(home: Path) -> None:
    program = (
        "import asyncio, atexit, sys\n"
        "def late():\n"
        "    try:\n"
        "        asyncio.run(store.summary.list(repo_hash=sys.argv[2]))\n"
        "    except loopmem.Misuse as error:\n"
        "        print(error.code)\n"
        # Registered before loopmem.aio is imported, so it runs after loopmem's own handler.
        "atexit.register(late)\n"
        "import loopmem\n"
        "from loopmem import aio\n"
        "store = asyncio.run(aio.Store.open(home=sys.argv[1]))\n"
    )
    assert run(program, home) == "Misuse\n"
