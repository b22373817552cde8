"""loopmem from Python: remember something about the repository of the current folder, then pack it for a prompt.

Usage: python quickstart.py [HOME]     HOME: default ~/.codex-toolloop
"""

import sys

from loopmem import Store

with Store.open(home=sys.argv[1] if len(sys.argv) > 1 else None) as store:
    repo = store.repo.identify()["repoHash"]
    store.memory.upsert_convention(
        repo_hash=repo,
        convention={"id": "python", "title": "Types", "content": "mypy --strict is clean.", "tags": ["style"]},
    )
    store.summary.append(
        repo_hash=repo, run_id="quickstart", step_id="python", summary="Stored a convention from Python."
    )
    print(store.context.build(repo_hash=repo, max_chars=8_000)["text"])
