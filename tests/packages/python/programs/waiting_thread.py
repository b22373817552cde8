"""A thread waits for a lock; the main thread answers while it does, and cancels the wait."""

import sys
import threading

from loopmem import Cancel, LoopmemError, Store

home, repo = sys.argv[1:]
cancel = Cancel()


def wait() -> None:
    """Prints how the wait ended."""
    try:
        store.memory.get(repo_hash=repo, timeout=600, cancel=cancel)
    except LoopmemError as error:
        print(error.code, flush=True)


with Store.open(home=home) as store:
    thread = threading.Thread(target=wait)
    thread.start()
    print(sys.stdin.readline().strip(), flush=True)
    cancel.request()
    thread.join()
