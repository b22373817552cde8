"""Threads write to one store and to stores of their own at once; prints how many notes there are."""

import sys
import threading

from loopmem import Store

home = sys.argv[1]
repo = "a" * 64
store = Store.open(home=home)


def write(writer: int) -> None:
    """Half of the threads share a store."""
    with Store.open(home=home) as separate:
        mine = store if writer % 2 else separate
        for number in range(25):
            mine.memory.upsert_note({"id": f"{writer}-{number}", "content": "c"}, repo_hash=repo)


threads = [threading.Thread(target=write, args=[writer]) for writer in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len({note["id"] for note in store.memory.get(repo_hash=repo)["notes"]}))
