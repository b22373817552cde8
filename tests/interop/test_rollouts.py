"""Workers in three languages claim one session a thousand times: exactly one of them gets it each time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopmem import Store

from writers import DEBUG

HERE = Path(__file__).parent
CLOCK = "2026-01-31T12:00:00Z"
TIMES = 1_000


def test_exactly_one_worker_gets_a_session_each_time(tmp_path: Path) -> None:
    home, codex_home = str(tmp_path / "home"), str(tmp_path / "codex")
    with Store.open(home=home, codex_home=codex_home, clock=CLOCK) as store:
        store.rollouts.upsert_thread(
            id="t", rollout_path="/r.jsonl", updated_at="2026-01-20T00:00:00Z", cwd="", source="cli"
        )
    python = {"home": home, "codex_home": codex_home, "clock": CLOCK, "lock_timeout_ms": 60_000}
    node = {"home": home, "codexHome": codex_home, "clock": CLOCK, "lockTimeoutMs": 60_000}
    last = str(TIMES - 1)
    commands = {
        "python": [sys.executable, str(HERE / "claimer.py"), json.dumps(python), last],
        "node": ["node", str(HERE / "claimer.mjs"), json.dumps(node), last],
        "rust": [str(DEBUG / "examples" / "claimer"), home, codex_home, CLOCK, last],
    }
    workers = {name: start(command) for name, command in commands.items()}
    try:
        for worker in workers.values():
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        for worker in workers.values():
            assert worker.stdin is not None
            worker.stdin.write("\n")
            worker.stdin.close()
        with ThreadPoolExecutor(len(workers)) as pool:
            claimed = dict(zip(workers, pool.map(claims_of, workers.values()), strict=True))
        assert {name: worker.wait() for name, worker in workers.items()} == dict.fromkeys(workers, 0)
    finally:
        for worker in workers.values():
            worker.kill()
            worker.wait()
    times = Counter(number for numbers in claimed.values() for number in numbers)
    assert times == Counter(range(TIMES))
    assert all(claimed.values()), {name: len(numbers) for name, numbers in claimed.items()}
    with Store.open(home=home, codex_home=codex_home, clock=CLOCK) as store:
        output = store.rollouts.explain(thread_id="t")["output"]
    assert output is not None
    assert output["rollout_summary"] == last


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def claims_of(worker: subprocess.Popen[str]) -> list[int]:
    assert worker.stdout is not None
    return [int(line.removeprefix("claimed ")) for line in worker.stdout]
