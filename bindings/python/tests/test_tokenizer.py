"""The host's own tokenizer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from loopmem import AdapterError, Store, ValidationError, aio

CONTENTS = ["Run the proxy tests first.", "The proxy listens on port 8443.", "Ask before a proxy is restarted."]


def words(text: str) -> int:
    return len(text.split())


async def counted_later(text: str) -> int:
    await asyncio.sleep(0)
    return words(text)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with three items; its home and Codex home are beside it."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    with opened(folder) as store:
        for content in CONTENTS:
            store.items.add(workspace=folder, scope="repo", type="note", content=content)
    return folder


def opened(workspace: Path, count_tokens: Callable[[str], int] | None = None) -> Store:
    return Store.open(home=workspace.parent / "home", codex_home=workspace.parent / "codex", count_tokens=count_tokens)


def test_max_tokens_is_what_the_tokenizer_counts(workspace: Path) -> None:
    with opened(workspace, words) as store:
        recalled = store.items.recall(workspace=workspace, prompt="proxy", max_tokens=1_000)
        most = words(recalled["preamble"])
        assert [it["inPreamble"] for it in recalled["items"]] == [True, True, True]
        exact = store.items.recall(workspace=workspace, prompt="proxy", max_tokens=most)
        assert exact["preamble"] == recalled["preamble"]
        less = store.items.recall(workspace=workspace, prompt="proxy", max_tokens=most - 1)
        assert [it["inPreamble"] for it in less["items"]] == [True, True, False]


def test_a_tokenizer_may_be_asynchronous_and_call_the_store(workspace: Path) -> None:
    async def recall() -> tuple[list[bool], int]:
        async def count(text: str) -> int:
            await store.items.add(workspace=workspace, scope="repo", type="fact", content=f"{words(text)} words.")
            return await counted_later(text)

        home, codex = workspace.parent / "home", workspace.parent / "codex"
        async with await aio.Store.open(home=home, codex_home=codex, count_tokens=count) as store:
            recalled = await store.items.recall(workspace=workspace, prompt="proxy", max_tokens=1_000)
            return [it["inPreamble"] for it in recalled["items"]], len(await store.items.list(workspace=workspace))

    assert asyncio.run(recall()) == ([True, True, True], 2 * len(CONTENTS))


def test_a_tokenizer_that_raises_makes_the_call_fail(workspace: Path) -> None:
    raised = LookupError("no vocabulary")

    def fail(_: str) -> int:
        raise raised

    with opened(workspace, fail) as store:
        with pytest.raises(AdapterError) as failed:
            store.items.recall(workspace=workspace, prompt="proxy", max_tokens=100)
        assert failed.value.__cause__ is raised
        assert "the tokenizer's count_tokens" in str(failed.value)
        # Without a limit in tokens it is not needed.
        assert len(store.items.recall(workspace=workspace, prompt="proxy")["items"]) == 3


@pytest.mark.parametrize("answer", [-1, 1.5, "7", None, True])
def test_an_answer_that_is_no_number_is_refused(workspace: Path, answer: int) -> None:
    with opened(workspace, lambda _: answer) as store, pytest.raises(AdapterError):
        store.items.recall(workspace=workspace, prompt="proxy", max_tokens=100)


def test_anything_but_a_function_is_refused(workspace: Path) -> None:
    with pytest.raises(ValidationError, match="count_tokens"):
        Store.open(home=workspace, count_tokens=7)  # type: ignore[arg-type]
