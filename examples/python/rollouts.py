"""A worker that makes memory of past sessions.

It finds them, claims those that are due, asks a model, and consolidates the answers. Everything is in a temporary
folder; the session is a tiny one of yesterday.

    python rollouts.py
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from loopmem import LeaseLost, LoopmemError, Store

MODEL = Path(__file__).with_name("rollouts_model.py")
WORKER = f"example-{os.getpid()}"
HEARTBEAT_SECONDS = 30
# The only files that the model may write. It was shown what others wrote, so its answer is not trusted.
WRITABLE = re.compile(r"MEMORY\.md|memory_summary\.md|skills/[A-Za-z0-9_-]+/SKILL\.md")


def write_session(folder: Path) -> None:
    """A session of Codex that ended 24 hours ago; one that ended less than 12 hours ago would not be due."""
    thread = "0199c2a4-7d10-7c11-a8a2-77ee6a0c2d3b"
    timestamp = (datetime.now(timezone.utc) - timedelta(hours=24)).isoformat()
    meta = {"id": thread, "cwd": str(folder), "source": "cli", "git": {"branch": "main"}}
    lines = [{"type": "session_meta", "payload": meta}]
    for role, text in [
        ("user", "Why does make test fail?"),
        ("assistant", "make test needs LC_ALL=C; with it, it passes."),
    ]:
        message = {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}
        lines.append({"type": "response_item", "payload": message})
    sessions = folder / "codex" / "sessions"
    sessions.mkdir(parents=True)
    text = "".join(json.dumps({"timestamp": timestamp, **line}) + "\n" for line in lines)
    (sessions / f"rollout-{thread}.jsonl").write_text(text, encoding="utf-8")


class Claim:
    """A claim that is renewed until the block ends. The model is stopped if another worker takes over."""

    def __init__(self, beat: Callable[[], object], fail: Callable[[str], object]) -> None:
        self.beat, self.fail = beat, fail
        self.over = threading.Event()
        self.lost = False
        self.model: subprocess.Popen[str] | None = None
        self.thread = threading.Thread(target=self.renew)

    def renew(self) -> None:
        while not self.over.wait(HEARTBEAT_SECONDS):
            try:
                self.beat()
            except LeaseLost:
                self.lost = True
                if self.model is not None:
                    self.model.kill()
                return
            except LoopmemError:
                pass  # any other error may pass before the lease ends

    def ask(self, question: dict[str, Any]) -> str:
        """Returns what the model answers."""
        arguments = [sys.executable, str(MODEL)]
        with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as self.model:
            answer, _ = self.model.communicate(json.dumps(question))
        if self.model.returncode != 0:
            raise RuntimeError(f"the model failed with exit status {self.model.returncode}")
        return answer

    def __enter__(self) -> "Claim":
        self.thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self.over.set()
        self.thread.join()
        if error is None:
            return False
        if not self.lost and not isinstance(error, LeaseLost):
            try:
                self.fail(str(error))
                return isinstance(error, Exception)
            except LeaseLost:
                pass
        print("another worker has taken over", file=sys.stderr)
        return isinstance(error, Exception)


def extract_all(store: Store) -> None:
    """Works on every session that is due, one at a time, so that none is claimed long before it is worked on."""
    while claims := store.rollouts.claim_stage1(worker_id=WORKER, limit=1)["claims"]:
        extract(store, claims[0]["threadId"], claims[0]["ownershipToken"])


def extract(store: Store, thread: str, token: str) -> None:
    """Works on one session that was claimed."""
    rollouts = store.rollouts
    with Claim(
        beat=lambda: rollouts.heartbeat(kind="stage1", thread_id=thread, ownership_token=token),
        fail=lambda reason: rollouts.fail_stage1(thread_id=thread, ownership_token=token, reason=reason),
    ) as claim:
        answer = claim.ask({"threadId": thread, **rollouts.input(thread_id=thread)})
        rollouts.complete_stage1(thread_id=thread, ownership_token=token, output=answer)
        print(f"{thread}: extracted")


def checked(store: Store, answer: str) -> dict[str, str | None]:
    """Returns the files of an answer, redacted; None stands for a file to remove."""
    files = json.loads(answer)["files"]
    for path in files:
        if not WRITABLE.fullmatch(path):
            raise ValueError(f"the model may not write {path}")
    return {path: text if text is None else store.safety.redact(text=text)["text"] for path, text in files.items()}


def consolidate(store: Store, memories: Path) -> None:
    """Merges what sessions left into the files that later sessions read, if there is anything new."""
    rollouts = store.rollouts
    claimed = rollouts.claim_consolidation(worker_id=WORKER)
    token = claimed["ownershipToken"]
    if token is None:
        return
    with Claim(
        beat=lambda: rollouts.heartbeat(kind="consolidation", ownership_token=token),
        fail=lambda reason: rollouts.fail_consolidation(ownership_token=token, reason=reason),
    ) as claim:
        files = checked(store, claim.ask({**claimed}))
        claim.beat()  # if another worker has taken over, the files are its own
        for path, text in files.items():
            file = memories / path
            if text is None:
                file.unlink(missing_ok=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        # Any other file that has changed since the claim was edited by somebody else.
        dirty = rollouts.complete_consolidation(ownership_token=token, written=list(files))["dirty"]
        print("consolidated" + ("; there is more to do" if dirty else ""))


def show_pack(store: Store) -> None:
    """Prints what a later session gets to read. The memories that it cites count as used."""
    text = store.context.build(max_chars=4_000, prompt="make test fails", sections=["rollouts"])["text"]
    print(f"\n{text}")
    store.rollouts.record_usage(thread_ids=re.findall(r"\[thread:([^\]]+)\]", text))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="loopmem-rollouts-") as name:
        folder = Path(name)
        write_session(folder)
        with Store.open(home=folder / "home", codex_home=folder / "codex") as store:
            store.rollouts.scan(kinds=["codex"])
            extract_all(store)
            store.rollouts.materialize()
            consolidate(store, folder / "codex" / "memories")
            show_pack(store)


if __name__ == "__main__":
    main()
