"""A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
context pack. Its output goes into the working context of the run.

    python workflow.py             runs all steps
    python workflow.py RUN STEP    runs one step: plan, build, test or review
"""

import subprocess
import sys
import time

from loopmem import Store

STEPS = {
    "plan": ("Read the issue", "Two changes are needed"),
    "build": ("Made both changes", "src/parser.rs and its tests"),
    "test": ("Ran the tests", "214 passed"),
    "review": ("Read the diff", "Nothing to add"),
}


def play_run(run: str) -> None:
    for step in STEPS:
        subprocess.run([sys.executable, __file__, run, step], check=True)


def play_step(run: str, step: str) -> None:
    did, output = STEPS[step]
    earlier = list(STEPS)[: list(STEPS).index(step)]
    with Store.open() as store:
        pack = store.context.build(max_chars=8_000)["text"]
        for name in earlier:
            if f"{run} / {name}" not in pack:
                raise SystemExit(f"the pack does not contain {name}")

        # An agent would work here, with the pack in its prompt.
        store.summary.end_step(
            run_id=run,
            step_id=step,
            events=[{"kind": "action", "text": did}, {"kind": "output", "text": output}],
        )
        store.working.update_context(scope_id=run, patch={step: output})
    print(f"{step}: {len(earlier)} earlier steps in the pack")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        play_run(f"run-{int(time.time())}")
    else:
        play_step(*sys.argv[1:])
