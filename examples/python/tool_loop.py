"""An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
earlier steps did; what the model remembers is also in the prompts of later runs.

    python tool_loop.py [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from loopmem import ConventionDraft, LoopmemError, SecretRefused, StepEvent, Store, ValidationError

TASK = "Check my changes before I commit them."
MAX_STEPS = 8
MAX_OUTPUT_CHARS = 4_000


@dataclass
class ReadFile:
    path: str


@dataclass
class Run:
    command: str


@dataclass
class Remember:
    convention: ConventionDraft


@dataclass
class Reply:
    calls: list[ReadFile | Run | Remember] = field(default_factory=list)
    answer: str | None = None
    follow_ups: list[str] = field(default_factory=list)


@dataclass
class Result:
    event: StepEvent
    output: str = ""


def ask_model(prompt: str) -> Reply:
    """Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone."""
    check = Run("git diff --check")
    ran = "# Ran `git diff --check`: exit status "
    if f"{ran}0" in prompt:
        return Reply(answer="The changes can be committed.")
    if ran in prompt:
        follow_ups = ["Fix what `git diff --check` reports"]
        return Reply(answer="The changes cannot be committed yet.", follow_ups=follow_ups)
    if "[check-changes]" in prompt:
        return Reply([check])
    if "CONTRIBUTING.md`" not in prompt:
        return Reply([ReadFile("CONTRIBUTING.md")])
    content = "Run `git diff --check`: it finds conflict markers and trailing spaces."
    convention: ConventionDraft = {"id": "check-changes", "title": "Check changes before a commit", "content": content}
    return Reply([Remember(convention), check])


def done(text: str, output: str = "") -> Result:
    return Result({"kind": "action", "text": text}, output)


def failed(text: str, output: str) -> Result:
    return Result({"kind": "error", "text": text}, output)


def run_tool(store: Store, call: ReadFile | Run | Remember) -> Result:
    match call:
        case ReadFile(path):
            try:
                if not Path(path).resolve().is_relative_to(Path.cwd()):
                    raise ValueError("the path leads out of the folder")
                return done(f"Read `{path}`", Path(path).read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                return failed(f"Could not read `{path}`", str(error))
        case Run(command):
            # A real agent asks its user first, or runs commands in a sandbox.
            ended = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            result = done if ended.returncode == 0 else failed
            return result(f"Ran `{command}`: exit status {ended.returncode}", ended.stdout)
        case Remember(convention):
            try:
                return done(f"Remembered `{store.memory.upsert_convention(convention)['id']}`")
            except (ValidationError, SecretRefused) as error:
                # What the model got wrong is a result for it; any other error ends the run.
                return failed("Could not remember", f"{error.code}: {error}")


def run_task(store: Store, run: str) -> None:
    results: list[Result] = []
    for step in range(1, MAX_STEPS + 1):
        # The state of the run, for its prompts and for others to follow: `loopmem working show RUN`.
        store.working.update_context(run, patch={"step": step, "status": "running"})
        pack = store.context.build(max_chars=8_000, prompt=TASK, scope_id=run)["text"]
        prompt = f"# Task\n\n{TASK}\n\n{pack}"
        for result in results:
            prompt += f"\n\n# {result.event['text']}\n\n{result.output[:MAX_OUTPUT_CHARS]}".rstrip("\n")
        print(f"=== {run}, step {step}\n{prompt}")

        reply = ask_model(prompt)
        results = [run_tool(store, call) for call in reply.calls]
        events = [result.event for result in results]
        if reply.answer is not None:
            events.append({"kind": "output", "text": reply.answer})
        for text in reply.follow_ups:
            events.append({"kind": "followUp", "text": text})
        store.summary.end_step(run_id=run, step_id=f"step-{step}", events=events)
        for event in events:
            print(f"--- {event['text']}")
        if reply.answer is not None:
            store.working.update_context(run, patch={"status": "done"})
            return
    raise SystemExit(f"no answer after {MAX_STEPS} steps")


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    try:
        with Store.open(clock=arguments.get(2)) as store:
            run_task(store, arguments.get(1, f"run-{time.time_ns() // 1_000_000}"))
    except LoopmemError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        sys.exit(75 if error.retryable else 1)  # 75: the same command may succeed later
    except KeyboardInterrupt:
        sys.exit(130)
