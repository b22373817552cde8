"""Type-checked and never run: code of a typed host."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import cast

from loopmem import (
    AsyncPersistenceAdapter,
    CallOptions,
    Cancel,
    ContextPack,
    Convention,
    ConventionDraft,
    Decision,
    JsonValue,
    Logger,
    MemoryEntry,
    MemoryEntryDraft,
    MemoryRecord,
    MemoryStore,
    NewConvention,
    NewDecision,
    NewNote,
    Note,
    PersistenceAdapter,
    RepoIdentity,
    RepoMemory,
    ScoredEntry,
    SecretFinding,
    Store,
    StoreAdapter,
    StoreOptions,
    Summary,
    TrailEntry,
    aio,
    append_summary,
    build_context_from_memory,
    create_memory_store,
    get_repo_memory,
    open_adapter,
    upsert_convention,
    upsert_decision,
    upsert_note,
)


class Ranked(Convention, total=False):
    """A convention with a field of the host's own."""

    priority: int


def use(name: str) -> None:
    options: StoreOptions = {"home": Path("home"), "redaction_patterns": ("secret",), "lock_timeout_ms": 5}
    with Store.open(**options) as store:
        # A record can be read, changed and written back.
        read: Convention = store.memory.get()["conventions"][0]
        read["title"] = "changed"
        stored: Convention = store.memory.upsert_convention(convention=read)
        store.memory.upsert_convention(convention={**stored, "content": "c"})
        store.memory.upsert_convention(convention={"id": stored["id"], "tags": ("a", "b")})
        store.memory.upsert_convention({"title": "t", "content": "c", "extra": {"priority": 1}})
        ranked = cast(Ranked, stored)
        ranked["priority"] = 2
        store.memory.upsert_convention(convention=ranked)
        draft: ConventionDraft = {"title": "t"}
        draft["content"] = "c"
        store.memory.upsert_convention(convention=draft)

        secret: SecretFinding = store.safety.redact(text="t", patterns=("p",))["findings"][0]
        print("t"[secret["start"] : secret["end"]])

        # By name.
        identity: RepoIdentity = store.call("repo.identify")
        pack: ContextPack = store.call("context.build", {"maxChars": 8_000}, timeout=0.005, cancel=Cancel())
        anything: object = store.call(name)
        print(identity["repoHash"], pack["text"], anything)

        store.memory.upsert_convention(convention={"title": 5})  # type: ignore[typeddict-item]
        print(store.context.build()["text"], store.context.build(8_000)["text"], store.items.recall("lint")["preamble"])
        store.items.recall()  # type: ignore[call-arg]
        store.call(5)  # type: ignore[call-overload]
        wrong: Summary = store.call("repo.identify")  # type: ignore[assignment]
        print(wrong)


def use_call_options(store: Store) -> Note:
    call: CallOptions = {"timeout": 0.5, "cancel": Cancel(), "on_redaction": lambda it: print(it["field"])}
    store.memory.get(time_out=1)  # type: ignore[call-arg]
    store.memory.get(timeout="1")  # type: ignore[arg-type]
    store.memory.get("repo")  # type: ignore[call-arg]
    return store.memory.upsert_note(note={"content": "c"}, **call)


async def use_asyncio() -> list[Summary]:
    async with await aio.Store.open(home="home") as store:
        call: CallOptions = {"timeout": 0.5, "on_progress": None}
        note: Note = await store.memory.upsert_note(note={"content": "c"}, **call)
        pack: Coroutine[object, object, ContextPack] = store.context.build(max_chars=8_000, timeout=1)
        identity: RepoIdentity = await store.call("repo.identify")
        print(note, await pack, identity)
        await store.memory.upsert_note(note={"content": 5})  # type: ignore[typeddict-item]
        await store.memory.get("repo")  # type: ignore[call-arg]
        await store.items.recall()  # type: ignore[call-arg]
        async with aio.Store.open() as other:
            print((await other.context.build())["text"])
        await store.memory.get(time_out=1)  # type: ignore[call-arg]
        await aio.Store.open(lock_timeout="5")  # type: ignore[call-arg]
        wrong: Summary = await store.call("repo.identify")  # type: ignore[assignment]
        print(wrong)
        return await store.call("summary.list", {"limit": 1})


class Owned(NewDecision, total=False):
    """A decision with a field of the host's own."""

    owner: str


def use_functions(repo_hash: str, run_id: str, step_id: str) -> None:
    memory: RepoMemory = get_repo_memory(repo_hash)
    updated: Convention = upsert_convention(
        repo_hash,
        {
            "title": "Use pnpm workspaces",
            "content": "All packages live under packages/ with NodeNext ESM.",
        },
    )
    append_summary(run_id, step_id, "Added MCP tool caching.")
    context: str = build_context_from_memory(repo_hash, 8_000)
    print(memory, updated, context)

    # A returned record can be stored again.
    convention: Convention = upsert_convention(repo_hash, memory["conventions"][0])
    decision: Decision = upsert_decision(repo_hash, {**memory["decisions"][0], "summary": "s"})
    note: Note = upsert_note(repo_hash, memory["notes"][0])
    new: NewConvention = {"id": convention["id"], "title": "t", "content": "c", "tags": ("a", "b")}
    owned: Owned = {"summary": "s", "rationale": "r", "owner": "me"}
    remark: NewNote = {"content": note["content"], "source": "manual"}
    print(
        upsert_convention(repo_hash, new), upsert_decision(repo_hash, owned), upsert_note(repo_hash, remark), decision
    )

    upsert_convention(repo_hash, {"content": "the title is missing"})  # type: ignore[arg-type]
    upsert_decision(repo_hash, {"summary": "the rationale is missing"})  # type: ignore[arg-type]
    upsert_note(repo_hash, {"source": "tool"})  # type: ignore[arg-type]
    upsert_note(repo_hash, {"content": "n", "source": "other"})  # type: ignore[typeddict-item]
    build_context_from_memory(repo_hash)  # type: ignore[call-arg]


async def use_functions_asyncio(repo_hash: str, run_id: str, step_id: str) -> str:
    memory: RepoMemory = await aio.get_repo_memory(repo_hash)
    updated: Convention = await aio.upsert_convention(repo_hash, {"title": "t", "content": "c"})
    decision: Decision = await aio.upsert_decision(repo_hash, {"summary": "s", "rationale": "r"})
    note: Note = await aio.upsert_note(repo_hash, {"content": "c"})
    await aio.append_summary(run_id, step_id, "Added MCP tool caching.")
    print(memory, updated, decision, note)
    await aio.upsert_convention(repo_hash, {"title": "the content is missing"})  # type: ignore[arg-type]
    return await aio.build_context_from_memory(repo_hash, 8_000)


def one_line(entry: MemoryRecord) -> str:
    """`kind` narrows the type of `record`."""
    if entry["kind"] == "convention":
        return entry["record"]["title"]
    if entry["kind"] == "decision":
        return entry["record"]["summary"] + " ".join(entry["record"]["impactedPaths"])
    return entry["record"]["source"]


def use_rooms(store: Store) -> None:
    decision: Decision = store.memory.upsert_decision(
        decision={"summary": "s", "rationale": "r", "impactedPaths": ("src/",)}
    )
    note: Note = store.memory.upsert_note(note={"content": "c", "source": "agent"})
    store.memory.upsert_decision(decision={**decision, "rationale": "other"})
    store.memory.upsert_note(note=note)
    entries: list[MemoryRecord] = store.memory.list(kind="decision", path="src/main.rs")
    removed: bool = store.memory.remove(id=decision["id"])["removed"]
    step: Summary = store.summary.end_step(
        run_id="r", step_id="s", events=({"kind": "action", "text": "a"}, {"kind": "followUp", "text": "f"})
    )
    paths: list[str | None] = [repo["path"] for repo in store.repo.list()]
    copied: int = store.repo.migrate(from_repo_hash="a", to_repo_hash="b", dry_run=True)["copied"]["summaries"]
    print([one_line(entry) for entry in entries], removed, step, paths, copied)
    store.summary.end_step(run_id="r", step_id="s", events=[{"kind": "thought", "text": "t"}])  # type: ignore[typeddict-item]
    store.repo.migrate(from_repo_hash="a")  # type: ignore[call-arg]


class Dicts:
    """An adapter whose functions are all synchronous."""

    values: dict[str, JsonValue] = {}
    lists: dict[str, list[JsonValue]] = {}

    def get(self, key: str) -> JsonValue:
        return self.values.get(key)

    def set(self, key: str, value: JsonValue) -> None:
        self.values[key] = value

    def delete(self, name: str) -> bool:
        return self.values.pop(name, None) is not None

    def push(self, key: str, item: dict[str, JsonValue]) -> int:
        self.lists.setdefault(key, []).append(item)
        return len(self.lists)

    def get_list(self, key: str) -> list[JsonValue]:
        return self.lists.get(key, [])


class Awaited:
    """An adapter whose functions are all asynchronous."""

    async def get(self, key: str) -> JsonValue:
        return None

    async def set(self, key: str, value: object) -> None: ...
    async def delete(self, key: str) -> None: ...
    async def push(self, key: str, item: object) -> None: ...
    async def get_list(self, key: str) -> Sequence[JsonValue]:
        return []


class Mixed(Dicts):
    """An adapter of which some functions are asynchronous."""

    async def push(self, key: str, item: object) -> None:  # type: ignore[override]
        ...


class Lacking:
    """Not an adapter."""

    def get(self, key: str) -> object: ...
    def set(self, key: str, value: object) -> None: ...


class DelAlone(Dicts):
    """An adapter with a name that the types do not include."""

    delete = None  # type: ignore[assignment]

    def del_(self, key: str) -> None: ...


class Leveled(MemoryEntryDraft, total=False):
    """An entry with a field of the host's own, which is preserved."""

    level: str


class LeveledEntry(MemoryEntry, total=False):
    """The same as stored."""

    level: str


class Complaints:
    """A logger of what went wrong alone."""

    def warning(self, message: str, *, extra: Mapping[str, object]) -> None: ...
    def error(self, message: str, *, extra: Mapping[str, object]) -> None: ...


class Told:
    """A logger with one function."""

    def info(self, message: str, /, **more: object) -> None: ...


class Printer:
    """Not a logger: it has none of the functions."""

    def print(self, message: str) -> None: ...


class Mistaken:
    """Not a logger: its function takes no `extra`."""

    def debug(self, message: str) -> None: ...


def use_loggers() -> None:
    loggers: list[Logger] = [Complaints(), Told(), logging.getLogger("jobs")]
    options: StoreOptions = {"logger": Complaints()}
    Store.open(**options).close()
    create_memory_store(logger=loggers[0]).close()
    create_memory_store(logger=Told()).close()
    aio.create_memory_store(logger=Complaints()).close()
    create_memory_store(logger=Printer())  # type: ignore[arg-type]
    create_memory_store(logger=Mistaken())  # type: ignore[arg-type]


def use_adapters() -> None:
    adapter: StoreAdapter
    with open_adapter(adapter="sqlite", home=Path("home"), logger=Complaints()) as adapter:
        adapter.set("context:job", {"a": (1, None)})
        value: JsonValue = adapter.get("context:job")
        adapter.push("queue", "first")
        items: list[JsonValue] = adapter.get_list("queue")
        adapter.delete("queue")
        own: PersistenceAdapter = adapter
        create_memory_store(adapter=adapter, logger=Complaints()).close()
        print(value, items, own)
        adapter.get(5)  # type: ignore[arg-type]
        open_adapter(adapter=5)  # type: ignore[arg-type]


async def use_adapters_asyncio() -> None:
    async with aio.open_adapter(adapter="memory") as adapter:
        await adapter.set("context:job", {"a": 1})
        value: JsonValue = await adapter.get("context:job")
        items: list[JsonValue] = await adapter.get_list("queue")
        awaited: AsyncPersistenceAdapter = adapter
        print(value, items, awaited)
        aio.create_memory_store(adapter=adapter).close()


def use_working() -> None:
    logger: Logger = logging.getLogger("jobs")
    logger = logging.LoggerAdapter(logging.getLogger("jobs"), {})
    adapters: list[PersistenceAdapter] = [Dicts(), Awaited(), Mixed()]
    awaited: AsyncPersistenceAdapter = Awaited()
    options: StoreOptions = {"adapter": awaited, "logger": logger, "adapter_timeout_ms": 5}
    create_memory_store(**options).close()
    store: MemoryStore
    with create_memory_store(adapter=adapters[0], logger=logging.getLogger("jobs"), home=Path("home")) as store:
        context: dict[str, JsonValue] = store.update_context(
            "job", {"a": (1, 2), "b": None}, remove=("c",), source="me"
        )
        entry: MemoryEntryDraft = {"content": "c", "metadata": {"source": "me", "embedding": (0.5,)}}
        store.add_log("job", entry)
        logs: list[MemoryEntry] = store.get_logs("job", limit=5, after=None)
        store.add_log("other", logs[0])
        leveled: Leveled = {"content": "c", "level": "warn"}
        store.add_log("job", leveled)
        level: str = cast(LeveledEntry, logs[0])["level"]
        vector: list[float] = logs[0]["metadata"]["embedding"]
        timestamp: int = store.save_checkpoint("job")
        context = store.restore_checkpoint("job", timestamp)
        removed: bool = store.delete_checkpoint("job", timestamp)
        trail: list[TrailEntry] = store.history("job", limit=1)
        patch: dict[str, JsonValue] = trail[0]["patch"]
        replaced: dict[str, JsonValue] = trail[0]["replaced"]
        restored: int = trail[0]["timestamp"]
        store.update_context("job", replaced, remove=list(context))
        print(level, vector, restored)
        found: list[ScoredEntry] = store.search_logs("job", text="word")
        print(context, logs, removed, patch, found, store.list_scopes(), store.list_checkpoints("job"))
        store.update_context("job", increment={"tries": 1}, append={"files": ["a.rs"]}, expect={"step": None})
        store.update_context("job", ["a"])  # type: ignore[arg-type]
        store.add_log("job", {"metadata": {}})  # type: ignore[arg-type]
        store.add_log("job", {"content": "c", "metdata": {}})  # type: ignore[arg-type]
        store.save_checkpoint(5)  # type: ignore[arg-type]
    create_memory_store(adapter=DelAlone())  # type: ignore[arg-type]
    create_memory_store(adapter=Lacking())  # type: ignore[arg-type]
    create_memory_store(logger=print)  # type: ignore[arg-type]
    Store.open(adapter="sqlite", logger=logger).working.update_context(scope_id="job", patch={"a": 1})
    wrong: AsyncPersistenceAdapter = Dicts()  # type: ignore[assignment]
    print(wrong)


async def use_working_asyncio() -> dict[str, JsonValue]:
    async with aio.create_memory_store(adapter=Awaited(), logger=logging.getLogger("jobs")) as store:
        await store.add_log("job", {"content": "c"})
        timestamp: int = await store.save_checkpoint("job")
        removed: bool = await store.delete_checkpoint("job", timestamp)
        print(removed)
        wrong: int = store.save_checkpoint("job")  # type: ignore[assignment]
        print(await aio.Store.open(adapter=Mixed()), wrong)
        return await store.get_context("job")
