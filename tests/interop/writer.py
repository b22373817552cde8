"""Writes from Python: COUNT conventions, summaries and changes of the shared record, when told to go."""

import sys

from loopmem import Store

home, repo, name, count = sys.argv[1:]
with Store.open(home=home, lock_timeout_ms=60_000, append_timeout_ms=60_000) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(int(count)):
        store.memory.upsert_convention(
            repo_hash=repo, convention={"id": f"{name}-{n}", "title": name, "content": str(n)}
        )
        # A field that no type knows: it is kept all the same.
        store.call("memory.upsertConvention", {"repoHash": repo, "convention": {"id": "shared", name: n}})
        store.summary.append(repo_hash=repo, run_id=name, step_id=str(n), summary="done")
    print("done", flush=True)
