"""Pickles and copies an error of every class, made as calls make them; prints which of them changed."""

import copy
import json
import pickle
import sys
from collections.abc import Callable

from loopmem import LoopmemError, Store
from loopmem._refusal import error_of
from loopmem.errors import ERROR_CLASSES

DETAILS = {
    "message": "what happened",
    "operation": "memory.get",
    "path": "/tmp/x",
    "id": "i",
    "cause": "why",
    "errno": 13,
    "retryable": True,
    "mayBeStored": True,
}
NAMES = (
    *("args", "message", "code", "operation", "path", "filename"),
    *("id", "cause", "errno", "retryable", "may_be_stored"),
)


def described(error: BaseException) -> list[object]:
    """Everything that a caller may read."""
    return [type(error), str(error), repr(error), *(getattr(error, name) for name in NAMES)]


class Pickled:
    """A round trip with a protocol."""

    def __init__(self, protocol: int) -> None:
        self.protocol = protocol

    def __call__(self, error: LoopmemError) -> LoopmemError:
        again: LoopmemError = pickle.loads(pickle.dumps(error, self.protocol))
        return again


errors: list[LoopmemError] = [error_of(json.dumps({**DETAILS, "code": code})) for code in ERROR_CLASSES]
errors += [LoopmemError("only a message"), *(kind("only a message") for kind in ERROR_CLASSES.values())]
try:
    Store.open(home=f"{sys.argv[0]}/home")
except LoopmemError as raised:
    errors.append(raised)
protocols = range(pickle.HIGHEST_PROTOCOL + 1)
ways: list[Callable[[LoopmemError], LoopmemError]] = [*map(Pickled, protocols), copy.copy, copy.deepcopy]
again = [(error, way(error)) for error in errors for way in ways]
print(len(again), sorted({type(error).__name__ for error, other in again if described(error) != described(other)}))
