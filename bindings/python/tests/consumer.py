"""Type-checked, never run: what a typed host writes."""

from __future__ import annotations

from pathlib import Path

from loopmem import Cancel, ContextPack, Convention, ConventionDraft, RepoIdentity, Store, StoreOptions, Summary, aio


class Ranked(ConventionDraft, total=False):
    """A convention with a field of the host's own."""

    priority: int


def use(name: str) -> None:
    options: StoreOptions = {"home": Path("home"), "redaction_patterns": ("secret",), "lock_timeout_ms": 5}
    with Store.open(**options) as store:
        # Read, changed and written back.
        read: Convention = store.memory.get()["conventions"][0]
        read["title"] = "changed"
        stored: Convention = store.memory.upsert_convention(convention=read)
        store.memory.upsert_convention(convention={**stored, "content": "c"})
        store.memory.upsert_convention(convention={"id": stored["id"], "tags": ("a", "b")})
        ranked: Ranked = {"title": "t", "content": "c", "priority": 1}
        store.memory.upsert_convention(convention=ranked)
        draft: ConventionDraft = {"title": "t"}
        draft["content"] = "c"
        store.memory.upsert_convention(convention=draft)

        # By name.
        identity: RepoIdentity = store.call("repo.identify")
        pack: ContextPack = store.call("context.build", {"maxChars": 8_000}, timeout_ms=5, cancel=Cancel())
        anything: object = store.call(name)
        print(identity["repoHash"], pack["text"], anything)

        store.memory.upsert_convention(convention={"title": 5})  # type: ignore[typeddict-item]
        store.context.build()  # type: ignore[call-arg]
        store.call(5)  # type: ignore[call-overload]
        wrong: Summary = store.call("repo.identify")  # type: ignore[assignment]
        print(wrong)


async def use_asyncio() -> list[Summary]:
    async with await aio.Store.open(home="home") as store:
        return await store.call("summary.list", {"limit": 1})
