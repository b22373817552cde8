"""Uses the package in a sub-interpreter, again in another one, and then in the main one; prints how each went."""

import importlib
import json
import sys

# Named so since 3.13. Neither is public.
interpreters = importlib.import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")

PROGRAM = """
import sys
try:
    import loopmem
except ImportError as error:
    outcome = f"ImportError: {error}"
else:
    with loopmem.Store.open(home=home) as store:
        store.memory.upsert_note({"content": "c"}, repo_hash=repo)
        try:
            store.memory.get(repo_hash="x")
        except loopmem.ValidationError as error:
            outcome = error.code
with open(report, "a") as file:
    print(outcome, file=file)
"""
home, report, repo = sys.argv[1], sys.argv[2], "a" * 64
arguments = {"home": home, "report": report, "repo": repo}
names = "".join(f"{name} = {json.dumps(value)}\n" for name, value in arguments.items())
for _ in range(2):
    interpreter = interpreters.create()
    failed = interpreters.run_string(interpreter, names + PROGRAM)
    if failed is not None:
        print(failed)
    interpreters.destroy(interpreter)

import loopmem  # noqa: E402

with loopmem.Store.open(home=home) as store:
    store.memory.upsert_note({"content": "c"}, repo_hash=repo)
    print(len(store.memory.get(repo_hash=repo)["notes"]))
