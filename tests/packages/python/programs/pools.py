"""Processes started in one way write to one home, and pass errors on; prints how many notes there are."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from loopmem import LoopmemError, Store
from loopmem.errors import ERROR_CLASSES

REPO = "a" * 64
ATTRIBUTES: dict[str, Any] = {
    "operation": "memory.get",
    "path": "/x",
    "id": "i",
    "cause": "why",
    "errno": 13,
    "retryable": True,
    "may_be_stored": True,
}


def write(home: str, writer: int) -> int:
    """Writes with a store of this process."""
    with Store.open(home=home) as store:
        for number in range(15):
            store.memory.upsert_note({"id": f"{writer}-{number}", "content": "c"}, repo_hash=REPO)
    return writer


def fail(code: str) -> None:
    """Raises an error in a worker."""
    raise ERROR_CLASSES[code]("what happened", **ATTRIBUTES)


def arrived(error: LoopmemError, code: str) -> bool:
    """Whether the error is the one that `fail` raised."""
    expected = ERROR_CLASSES[code]("what happened", **ATTRIBUTES)
    found = [getattr(error, name) for name in ("message", "code", "filename", *ATTRIBUTES)]
    wanted = [getattr(expected, name) for name in ("message", "code", "filename", *ATTRIBUTES)]
    return type(error) is ERROR_CLASSES[code] and found == wanted and str(error) == str(expected)


def main(method: str, home: str) -> None:
    """Writes in processes, in a pool and in an executor, then lets workers fail."""
    context: Any = multiprocessing.get_context(method)
    processes = [context.Process(target=write, args=(home, writer)) for writer in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print([process.exitcode for process in processes])
    errors = []
    with context.Pool(2) as pool, ProcessPoolExecutor(2, mp_context=context) as executor:
        pool.starmap(write, [(home, writer) for writer in range(4, 6)])
        list(executor.map(write, [home, home], range(6, 8)))
        for code in ERROR_CLASSES:
            for answer in (pool.apply_async(fail, [code]).get, executor.submit(fail, code).result):
                try:
                    answer()
                except LoopmemError as error:
                    errors.append(arrived(error, code))
    print(len(errors), all(errors))
    with Store.open(home=home) as store:
        print(len({note["id"] for note in store.memory.get(repo_hash=REPO)["notes"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
