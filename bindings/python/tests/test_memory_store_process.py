"""Working contexts with the host's own adapter in a process that forks, is interrupted or ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from processes import running

pytestmark = pytest.mark.terminal


def run(program: str, tmp_path: Path) -> str:
    folder = Path(__file__).parent
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=folder, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize("kind", ["Dicts", "AsyncDicts"])
def test_a_forked_child_uses_the_store_of_its_parent(kind: str, tmp_path: Path) -> None:
    program = (
        "import os, sys, loopmem, adapters\n"
        f"store = loopmem.create_memory_store(home=sys.argv[1], adapter=adapters.{kind}())\n"
        "store.update_context('job', {'a': 1})\n"
        "if os.fork() == 0:\n"
        "    print(store.update_context('job', {'b': 1}), flush=True)\n"
        "    store.close()\n"
        "    os._exit(0)\n"
        "assert os.wait()[1] == 0\n"
        "print(store.update_context('job', {'c': 1}))\n"
    )
    assert run(program, tmp_path) == "{'a': 1, 'b': 1}\n{'a': 1, 'c': 1}\n"


def test_a_child_that_is_forked_in_the_middle_of_calls_does_not_hang(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys, threading, warnings, loopmem, adapters\n"
        # This test needs threads.
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "store = loopmem.create_memory_store(home=sys.argv[1], adapter=adapters.Dicts())\n"
        "def work(scope):\n"
        "    while True: store.get_context(scope)\n"
        "for scope in 'abc': threading.Thread(target=work, args=(scope,), daemon=True).start()\n"
        "for _ in range(300):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        signal.alarm(30)\n"
        "        store.get_context('child')\n"
        "        os._exit(0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "os._exit(0)\n"
    )
    assert run(program, tmp_path) == ""


@pytest.mark.parametrize("opened", ["", "with_a_loop_of_the_hosts"])
def test_the_interpreter_may_end_in_the_middle_of_a_call_of_an_adapter(opened: str, tmp_path: Path) -> None:
    program = (
        "import asyncio, atexit, sys, threading, loopmem\n"
        "def get():\n"
        "    try: store.get_context('job')\n"
        "    except loopmem.AdapterError: print('AdapterError', flush=True)\n"
        # Runs after loopmem's own handler: nothing runs any more, and nothing hangs.
        "atexit.register(get)\n"
        "import adapters\n"
        "adapter = adapters.Silent()\n"
        "async def with_a_loop_of_the_hosts(): return opened()\n"
        "def opened():\n"
        "    return loopmem.create_memory_store(home=sys.argv[1], adapter=adapter, adapter_timeout_ms=600_000)\n"
        "loop = asyncio.new_event_loop()\n"
        f"store = loop.run_until_complete({opened}()) if {opened!r} else opened()\n"
        "if not loop.is_running(): threading.Thread(target=loop.run_forever, daemon=True).start()\n"
        "threading.Thread(target=get, daemon=True).start()\n"
        "adapter.is_asked.wait()\n"
    )
    assert run(program, tmp_path).count("AdapterError") in (1, 2)


def test_ctrl_c_ends_the_wait_for_an_adapter(tmp_path: Path) -> None:
    program = (
        "import sys, loopmem, adapters\n"
        "class Asked(adapters.Silent):\n"
        "    async def get(self, key):\n"
        "        print('asked', flush=True)\n"
        "        return await super().get(key)\n"
        "store = loopmem.create_memory_store(home=sys.argv[1], adapter=Asked(), adapter_timeout_ms=600_000)\n"
        "try:\n"
        "    store.get_context('job')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with running(program, str(tmp_path), cwd=Path(__file__).parent) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "asked\n"
        os.kill(waiting.pid, signal.SIGINT)
        assert waiting.stdout.readline() == "interrupted\n"
        assert waiting.wait(60) == 0


def test_a_synchronous_adapter_imports_no_asyncio(tmp_path: Path) -> None:
    program = (
        "import sys, loopmem\n"
        "class Nothing:\n"
        "    def get(self, *_): return None\n"
        "    set = delete = push = get_list = get\n"
        "with loopmem.create_memory_store(home=sys.argv[1], adapter='memory') as store: pass\n"
        "print('loopmem._host' in sys.modules)\n"
        "with loopmem.create_memory_store(home=sys.argv[1], adapter=Nothing()) as store:\n"
        "    store.update_context('job', {'a': 1})\n"
        "print(sorted({'asyncio', 'inspect', 'typing', 'threading', 'logging'} & set(sys.modules)))\n"
    )
    assert run(program, tmp_path) == "False\n[]\n"
