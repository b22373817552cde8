"""All languages add items to one store at once, and recall the same from it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from callers import Caller, callers

COUNT = 25
NOW = "2026-01-31T12:00:00Z"


@pytest.mark.parametrize("backend", ["jsonl", "sqlite"])
def test_items_of_all_languages_are_kept_and_recalled_alike(backend: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    there: dict[str, object] = {"workspace": str(workspace)}

    def add(caller: Caller) -> list[str]:
        added = []
        for n in range(COUNT):
            item = {"scope": "repo", "type": "fact", "content": f"Port {n} of the proxy is for {caller.language}."}
            stored: Any = caller.call("items.add", {**there, **item})
            added.append(stored["id"])
        return added

    def recall(caller: Caller, prompt: str) -> tuple[str, object, int, int]:
        recalled: Any = caller.call("items.recall", {**there, "prompt": prompt, "maxTokens": 60})
        items = [(it["item"]["id"], it["score"], it["reasons"], it["inPreamble"]) for it in recalled["items"]]
        return recalled["preamble"], items, recalled["considered"], recalled["dropped"]

    options = {"codexHome": str(tmp_path / "codex"), "itemsBackend": backend, "clock": NOW}
    with callers(tmp_path / "home", **options) as all_, ThreadPoolExecutor(len(all_)) as pool:
        added = [id_ for ids in pool.map(add, all_) for id_ in ids]
        for caller in all_:
            stored: Any = caller.call("items.list", there)
            assert sorted(it["id"] for it in stored) == sorted(added), caller.language
        for prompt in ("which port has the proxy for node?", "command", "port 7"):
            recalled = [recall(caller, prompt) for caller in all_]
            assert recalled[0][0] and all(one == recalled[0] for one in recalled), prompt
        # Each recall returned eight items, or one of each language where only the number differs. Each was counted.
        counted: Any = all_[0].call("items.list", there)
        assert sum(it["counters"]["seen_count"] for it in counted) == len(all_) * (8 + 8 + len(all_))
