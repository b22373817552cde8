"""A stand-in for a model.

It reads one JSON object from standard input, as `rollouts.run` passes it, and prints the answer. A real one would send
`prompt` and the rest to a model.
"""

import json
import re
import sys
from typing import Any


def extract(question: dict[str, Any]) -> dict[str, Any]:
    """What is worth knowing of one session: here, the first request and the last answer."""
    texts: dict[str, list[str]] = {"user": [], "assistant, answer": []}
    for entry in re.split(r"^--- ", question["transcript"], flags=re.MULTILINE):
        heading, _, text = entry.partition("\n")
        texts.setdefault(heading, []).append(" ".join(text.split()))
    if not texts["assistant, answer"]:
        # Both texts empty: there is nothing to remember.
        return {"rollout_slug": None, "rollout_summary": "", "raw_memory": ""}
    task, result = "".join(texts["user"][:1]), texts["assistant, answer"][-1]
    return {"rollout_slug": None, "rollout_summary": f"{task} {result}", "raw_memory": f"- {result}"}


def consolidate(question: dict[str, Any]) -> dict[str, Any]:
    """The files that later sessions read.

    A real model would merge them with what is there, and keep what people changed.
    """
    memory = [f"{it['rawMemory']} [thread:{it['threadId']}]\n" for it in question["inputs"]]
    summary = [f"- {it['rolloutSummary']} [thread:{it['threadId']}]\n" for it in question["inputs"]]
    return {"files": {"MEMORY.md": "# Memory\n\n" + "".join(memory), "memory_summary.md": "".join(summary)}}


question = json.load(sys.stdin)
print(json.dumps(extract(question) if "transcript" in question else consolidate(question)))
