"""Forks while a store is open and its threads write; every process goes on writing. Prints how many notes there are."""

import os
import sys
import threading

from loopmem import Store

home = sys.argv[1]
repo = "a" * 64
store = Store.open(home=home)


def write(writer: str) -> None:
    """Writes to the store that was open before the fork."""
    for number in range(20):
        store.memory.upsert_note({"id": f"{writer}-{number}", "content": "c"}, repo_hash=repo)


write("before")
thread = threading.Thread(target=write, args=["thread"])
thread.start()
children = []
for child in range(4):
    process = os.fork()
    if process == 0:
        write(f"child-{child}")
        store.close()
        os._exit(0)
    children.append(process)
write("parent")
thread.join()
statuses = [os.waitpid(process, 0)[1] for process in children]
print(statuses, len({note["id"] for note in store.memory.get(repo_hash=repo)["notes"]}))
