"""Writes from Python when signalled, and reports each write once it is acknowledged: writer HOME REPO NAME COUNT."""

import sys
import time
from collections.abc import Callable
from functools import partial

from loopmem import Store


def main(home: str, repo: str, name: str, count: int) -> None:
    with Store.open(home=home, lock_timeout_ms=60_000, append_timeout_ms=60_000) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        begun = time.perf_counter()
        for n in range(count):
            text = f"{name}-{n}." * 20
            mine = {"id": f"{name}-{n}", "title": name, "content": text}
            # A field that no type knows: it must be preserved.
            shared = {"id": "shared", "title": "shared", "content": "shared", "extra": {name: n}}
            upsert, append = (
                partial(store.call, "memory.upsertConvention"),
                partial(store.summary.append, repo_hash=repo),
            )
            writes: dict[str, Callable[[], object]] = {
                "upsert": partial(upsert, {"repoHash": repo, "convention": mine}),
                "shared": partial(upsert, {"repoHash": repo, "convention": shared}),
                "append": partial(append, run_id=name, step_id=str(n), summary=text),
            }
            for kind, write in writes.items():
                before = time.perf_counter()
                write()
                print(f"{kind} {n} {since(before)}", flush=True)
        print(f"done {since(begun)}", flush=True)


def since(before: float) -> str:
    return f"{(time.perf_counter() - before) * 1e3:.3f}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
