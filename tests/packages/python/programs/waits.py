"""Waits for a lock until Ctrl-C, and uses the store afterwards."""

import sys

from loopmem import Store

home, repo = sys.argv[1:]
store = Store.open(home=home)
try:
    store.memory.get(repo_hash=repo, timeout=600)
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.readline()
print(len(store.memory.get(repo_hash=repo)["notes"]), flush=True)
