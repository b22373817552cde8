"""Claims one session again and again from Python, and reports each claim: claimer OPTIONS LAST.

The session is given back with its next change after each claim, until it has changed LAST times.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta, timezone

from loopmem import Store

FIRST = datetime(2026, 1, 20, tzinfo=timezone.utc)


def changed(number: int) -> str:
    """When the session changed for the nth time."""
    return (FIRST + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")


def number_of(time: str) -> int:
    """Which change was at this time."""
    return int((datetime.fromisoformat(time.replace("Z", "+00:00")) - FIRST).total_seconds())


def main() -> None:
    options, last = json.loads(sys.argv[1]), int(sys.argv[2])
    with Store.open(**options) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        while True:
            claims = store.rollouts.claim_stage1(worker_id="python", limit=1)["claims"]
            if not claims:
                if store.rollouts.explain(thread_id="done")["reason"] == "notInteractive":
                    return
                continue
            claim = claims[0]
            number = number_of(claim["sourceUpdatedAt"])
            print(f"claimed {number}", flush=True)
            store.rollouts.complete_stage1(
                thread_id=claim["threadId"],
                ownership_token=claim["ownershipToken"],
                output={"rollout_summary": f"{number}", "raw_memory": "m"},
            )
            id_, source = ("t", "cli") if number < last else ("done", "done")
            store.rollouts.upsert_thread(
                id=id_, rollout_path="/r.jsonl", updated_at=changed(number + 1), cwd="", source=source
            )


if __name__ == "__main__":
    main()
