// Compiled, never run: what a CommonJS host writes.
import {
  appendSummary,
  buildContextFromMemory,
  createMemoryStore,
  getRepoMemory,
  openAdapter,
  Store,
  upsertConvention,
  upsertDecision,
  upsertNote,
  ValidationError,
  type AppendOptions,
  type BranchScope,
  type Context,
  type ContextPack,
  type Convention,
  type ConventionDraft,
  type Decision,
  type DecisionDraft,
  type FunctionOptions,
  type JsonValue,
  type MemoryEntry,
  type MemoryEntryDraft,
  type MemoryEntryMetadata,
  type MemoryEntryMetadataDraft,
  type MemoryLogger,
  type MemoryRecord,
  type MemoryStore,
  type Note,
  type NoteDraft,
  type OpenOptions,
  type PersistenceAdapter,
  type RepoIdentity,
  type RepoMemory,
  type StoreAdapter,
  type TrailEntry,
  type WithUnknown,
} from "loopmem";

export async function use(): Promise<string> {
  const store: Store = await Store.open({ home: "/tmp/x", branchScope: "sharedRepo" });
  const { repoHash } = await store.repo.identify();
  const stored: Convention = await store.memory.upsertConvention({
    repoHash,
    convention: { title: "t", content: "c" },
  });
  const again: Convention = store.memory.upsertConventionSync({ repoHash, convention: stored });
  const pack: ContextPack = await store.call("context.build", { repoHash, maxChars: 8_000, sections: ["summaries"] });
  // @ts-expect-error: a section that does not exist
  await store.context.build({ repoHash, maxChars: 8_000, sections: ["nothing"] });
  await store.context.build({ repoHash });
  // @ts-expect-error: the prompt is missing
  await store.items.recall({});

  // By name: known methods are exact, and a name that is computed may be any.
  const identity: RepoIdentity = await store.call("repo.identify");
  const sync: RepoIdentity = store.callSync("repo.identify", { workspace: "." }, { timeoutMs: 5 });
  const any: JsonValue = await store.call(identity.repoHash, { any: ["thing"] });
  // @ts-expect-error: there is no such method
  await store.call("context.biuld", { maxChars: 8_000 });
  // @ts-expect-error: there is no such method
  store.callSync("repo.identfy");
  // @ts-expect-error: maxChars is a number
  await store.call("context.build", { repoHash, maxChars: "8" });
  // @ts-expect-error: the params are missing
  await store.call("items.recall");
  // @ts-expect-error: the prompt is missing
  store.callSync("items.recall", { workspace: "." });
  // @ts-expect-error: an unknown key
  await store.call("memory.get", { repoHash, nope: 1 });
  // @ts-expect-error: an unknown option
  await store.call("memory.get", { repoHash }, { timeout: 5 });
  // @ts-expect-error: a result of another type
  const other: ContextPack = await store.call("repo.identify");

  const title: string = stored.title;
  // @ts-expect-error: tags are texts
  const tags: number[] = stored.tags;
  // @ts-expect-error: a title is a text
  await store.memory.upsertConvention({ convention: { ...stored, title: 5 } });
  // @ts-expect-error: what a repository is has no other fields
  identity["extra"];
  console.log(sync, any, other, title, tags);

  const error = new ValidationError(
    { code: "ValidationError", message: "m", retryable: false },
    { cause: new Error("c") },
  );
  const shape: JsonValue = error.toJSON();
  console.log(shape);
  const code: string = new ValidationError({ code: "ValidationError", message: "m", retryable: false }).code;
  const mayBeStored: boolean = error.mayBeStored;
  console.log(mayBeStored);
  return again.id + pack.text + code;
}

/** The functions of the specification, used as it writes them. */
export async function useFunctions(repoHash: string, runId: string, stepId: string): Promise<void> {
  const memory = await getRepoMemory(repoHash);
  const updated = await upsertConvention(repoHash, {
    title: "Use pnpm workspaces",
    content: "All packages live under packages/ with NodeNext ESM.",
  });
  await appendSummary(runId, stepId, "Added MCP tool caching.");
  const context = await buildContextFromMemory(repoHash, 8_000);
  console.log(memory, updated, context);

  const branchScope: BranchScope = "sharedRepo";
  await appendSummary(runId, stepId, "Done.", { branchScope, workspace: "." });
  await getRepoMemory(repoHash, { branchScope });
  // @ts-expect-error: no such scope
  await appendSummary(runId, stepId, "Done.", { branchScope: "all" });
  // @ts-expect-error: the hash says which repository
  await getRepoMemory(repoHash, { workspace: "." });

  // What was read may be stored again, with fields of the host's own too.
  const {
    conventions: [convention],
    decisions: [decision],
    notes: [note],
  } = memory;
  if (convention) {
    const changed: WithUnknown<Convention> = { ...convention, priority: 1 };
    await upsertConvention(repoHash, changed);
    // @ts-expect-error: a convention has a title
    await upsertConvention(repoHash, { ...convention, titel: "t" });
  }
  if (decision) {
    const changed: WithUnknown<Decision> = { ...decision, impactedPaths: ["src/"], owner: "me" };
    await upsertDecision(repoHash, changed);
    // @ts-expect-error: a decision has a rationale
    await upsertDecision(repoHash, { ...decision, rational: "r" });
  }
  if (note) {
    const changed: WithUnknown<Note> = { ...note, mood: null };
    await upsertNote(repoHash, changed);
    // @ts-expect-error: a note has a source
    await upsertNote(repoHash, { ...note, sorce: "tool" });
  }
  // @ts-expect-error: the title is missing
  await upsertConvention(repoHash, { content: "c" });
  // @ts-expect-error: the content is missing
  await upsertConvention(repoHash, { id: "1", title: "t" });
  // @ts-expect-error: the rationale is missing
  await upsertDecision(repoHash, { summary: "s" });
  // @ts-expect-error: the content is missing
  await upsertNote(repoHash, { source: "tool" });
  // @ts-expect-error: not a source
  await upsertNote(repoHash, { content: "n", source: "other" });
  // @ts-expect-error: maxChars is missing
  await buildContextFromMemory(repoHash);
}

/** Whether two types are the same one, and not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;

export const signatures: [
  Same<typeof getRepoMemory, (repoHash: string, options?: FunctionOptions) => Promise<RepoMemory>>,
  Same<
    typeof upsertConvention,
    (
      repoHash: string,
      convention: Partial<Convention> & Pick<Convention, "title" | "content">,
      options?: FunctionOptions,
    ) => Promise<Convention>
  >,
  Same<
    typeof upsertDecision,
    (
      repoHash: string,
      decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">,
      options?: FunctionOptions,
    ) => Promise<Decision>
  >,
  Same<
    typeof upsertNote,
    (repoHash: string, note: Partial<Note> & Pick<Note, "content">, options?: FunctionOptions) => Promise<Note>
  >,
  Same<
    typeof appendSummary,
    (runId: string, stepId: string, summaryText: string, options?: AppendOptions) => Promise<void>
  >,
  Same<
    typeof buildContextFromMemory,
    (repoHash: string, maxChars: number, options?: FunctionOptions) => Promise<string>
  >,
] = [true, true, true, true, true, true];

/** `kind` narrows the type of `record`. */
export function oneLine(entry: MemoryRecord): string {
  switch (entry.kind) {
    case "convention":
      return entry.record.title;
    case "decision":
      return entry.record.impactedPaths.join(" ") + entry.record.summary;
    case "note":
      return entry.record.source;
  }
}

/** Decisions, notes, steps and repositories. */
export async function useRooms(store: Store): Promise<void> {
  const decision: Decision = await store.memory.upsertDecision({
    decision: { summary: "s", rationale: "r", impactedPaths: ["src/"] as const },
  });
  const note: Note = store.memory.upsertNoteSync({ note: { content: "c", source: "agent" } });
  await store.memory.upsertDecision({ decision: { ...decision, rationale: "other" } });
  await store.memory.upsertNote({ note });
  const entries: MemoryRecord[] = await store.memory.list({ kind: "decision", path: "src/main.rs" });
  const { removed }: { removed: boolean } = await store.call("memory.remove", { id: decision.id });
  const events = [
    { kind: "action", text: "a" },
    { kind: "followUp", text: "f" },
  ] as const;
  const { summary }: { summary: string } = await store.summary.endStep({ runId: "r", stepId: "s", events });
  const paths: (string | null)[] = (await store.repo.list()).map(({ path }) => path);
  const { copied } = await store.repo.migrate({ fromRepoHash: "a", toRepoHash: "b", dryRun: true });
  console.log(entries.map(oneLine), removed, summary, paths, copied.conventions + copied.summaries);
  // @ts-expect-error: nothing else happens in a step
  await store.summary.endStep({ runId: "r", stepId: "s", events: [{ kind: "thought", text: "t" }] });
  // @ts-expect-error: a migration needs both ends
  await store.repo.migrate({ fromRepoHash: "a" });
}

/** A draft accepts only the fields it lists, wherever it is passed. */
export async function misspell(store: Store, memory: MemoryStore, scopeId: string): Promise<void> {
  // @ts-expect-error: a convention has a title
  await store.memory.upsertConvention({ convention: { titel: "t", content: "c" } });
  // @ts-expect-error: a convention has tags
  store.memory.upsertConventionSync({ convention: { title: "t", content: "c", tag: ["t"] } });
  // @ts-expect-error: a convention has a content
  await store.call("memory.upsertConvention", { convention: { title: "t", contents: "c" } });
  // @ts-expect-error: a decision has a summary
  await store.memory.upsertDecision({ decision: { sumary: "s", rationale: "r" } });
  // @ts-expect-error: a decision has impacted paths
  store.callSync("memory.upsertDecision", { decision: { summary: "s", rationale: "r", paths: ["src/"] } });
  // @ts-expect-error: a note has a content
  await store.memory.upsertNote({ note: { contnet: "c" } });
  // @ts-expect-error: a note has a source
  store.memory.upsertNoteSync({ note: { content: "c", sorce: "tool" } });
  // @ts-expect-error: an event has a text
  await store.summary.endStep({ runId: "r", stepId: "s", events: [{ kind: "action", text: "t", txet: "a" }] });
  // @ts-expect-error: an entry has metadata
  await store.working.addLog({ scopeId, entry: { content: "c", metdata: { source: "user" } } });
  // @ts-expect-error: metadata have a source
  await store.working.addLog({ scopeId, entry: { content: "c", metadata: { sorce: "user" } } });
  // @ts-expect-error: an entry has an id
  await memory.addLog(scopeId, { content: "c", ID: "1" });
  // @ts-expect-error: metadata have a timestamp
  await memory.addLog(scopeId, { content: "c", metadata: { time: 1 } });
  // @ts-expect-error: an update has a source
  await store.working.updateContext({ scopeId, patch: {}, sorce: "agent-x" });
  // @ts-expect-error: an update has names to remove
  await memory.updateContext(scopeId, {}, { removed: ["old"] });
  // @ts-expect-error: the rules are all of them
  await store.safety.rules({ kind: "provider" });
  // @ts-expect-error: an option has its unit
  await Store.open({ lockTimeout: 5_000 });
}

/** A host's own fields are passed and read as `WithUnknown`. */
export async function useOwnFields(store: Store, memory: MemoryStore, scopeId: string): Promise<void> {
  const convention: ConventionDraft = { title: "t", content: "c", extra: { priority: 1, review: { by: ["me"] } } };
  const decision: DecisionDraft = { summary: "s", rationale: "r", extra: { owner: "me" } };
  const note: NoteDraft = { content: "c", extra: { mood: null } };
  const metadata: WithUnknown<MemoryEntryMetadataDraft> = { source: "user", span: [1, 2] };
  const entry: WithUnknown<MemoryEntryDraft> = { content: "c", level: "warn", metadata };
  const stored: WithUnknown<Convention> = await store.memory.upsertConvention({ convention });
  const decided: WithUnknown<Decision> = store.callSync("memory.upsertDecision", { decision });
  const noted: WithUnknown<Note> = store.memory.upsertNoteSync({ note });
  const logged: WithUnknown<MemoryEntry> = await store.working.addLog({ scopeId, entry });
  const where: WithUnknown<MemoryEntryMetadata> = logged.metadata;
  await memory.addLog(scopeId, entry);

  // An own field is JSON to be narrowed; a listed field has its own type.
  const own: (JsonValue | undefined)[] = [
    stored["priority"],
    decided["owner"],
    noted["mood"],
    logged["level"],
    where["span"],
  ];
  const known: string = stored.title + decided.summary + noted.content + logged.content + where.source;
  // @ts-expect-error: its type is JsonValue, not number
  const priority: number = stored["priority"];
  // @ts-expect-error: a record on its own has only the fields it lists
  (await store.memory.get()).conventions[0]?.["priority"];
  const all: WithUnknown<Convention>[] = (await store.memory.get()).conventions;
  console.log(own, known, priority, all[0]?.["priority"]);

  // What was read may be stored again, and be changed.
  await store.memory.upsertConvention({ convention: stored });
  await store.memory.upsertConvention({ convention: { ...stored, title: "u" } });
  const changed: WithUnknown<ConventionDraft> = { ...stored, priority: 2 };
  await store.memory.upsertConvention({ convention: changed });
  await upsertConvention("hash", { ...stored, title: "t" });

  // A host may declare its own type.
  interface Prioritized extends ConventionDraft {
    priority: number;
  }
  const prioritized: Prioritized = { title: "t", content: "c", priority: 1 };
  await store.memory.upsertConvention({ convention: prioritized });

  // @ts-expect-error: a listed field keeps its type
  const untitled: WithUnknown<ConventionDraft> = { title: 5, content: "c" };
  // @ts-expect-error: a function is no JSON
  const called: WithUnknown<MemoryEntryDraft> = { content: "c", level: () => 1 };
  // @ts-expect-error: nested metadata accept own fields only as `WithUnknown`
  const within: WithUnknown<MemoryEntryDraft> = { content: "c", level: "warn", metadata: { sorce: "user" } };
  console.log(untitled, called, within);
}

/** The memory store, as the specification writes its types. */
type SpecContext = { [key: string]: any };
type SpecEntry = { id: string; content: string; metadata: { source: string; timestamp: number; embedding?: number[] } };

export const memoryTypes: [
  Same<Context, SpecContext>,
  Same<MemoryStore["getContext"], (scopeId: string) => Promise<Context>>,
  Same<ReturnType<MemoryStore["updateContext"]>, Promise<Context>>,
  Same<ReturnType<MemoryStore["addLog"]>, Promise<void>>,
  Same<ReturnType<MemoryStore["getLogs"]>, Promise<MemoryEntry[]>>,
  Same<MemoryStore["saveCheckpoint"], (jobId: string) => Promise<number>>,
  Same<MemoryStore["restoreCheckpoint"], (jobId: string, timestamp: number) => Promise<Context>>,
] = [true, true, true, true, true, true, true];

/** The memory store over the five functions, as a reader of the specification writes them. */
export async function useMemoryStore(): Promise<SpecEntry[]> {
  const data = new Map<string, any>();
  const adapter = {
    get: async (key: string) => data.get(key) ?? null,
    set: async (key: string, value: any) => {
      data.set(key, value);
    },
    del: async (key: string) => {
      data.delete(key);
    },
    push: async (key: string, item: any) => {
      data.set(key, [...(data.get(key) ?? []), item]);
    },
    getList: async (key: string) => data.get(key) ?? [],
  };
  const logger: MemoryLogger = {
    debug: () => 1,
    info: async () => {},
    warn: (message) => message.length,
    error: (message: string, payload: unknown) => [message, payload],
  };
  const strict: MemoryLogger = {
    ...logger,
    error: (_message, payload) => {
      const code: JsonValue | undefined = payload["code"];
      // @ts-expect-error: the payload is JSON, which must be narrowed first
      payload["code"].anything();
      return code;
    },
  };
  console.log(strict);
  const memory: MemoryStore = createMemoryStore({ adapter, logger, home: "/tmp/x", adapterTimeoutMs: 5_000 });
  interface Plan {
    step: string;
    done?: boolean;
  }
  const plan: Plan = { step: "a" };
  const context: Context = await memory.updateContext("job-1", plan, { remove: ["old"] as const, source: "agent-x" });
  const step: string = context["step"];
  const entry: SpecEntry = { id: step, content: "c", metadata: { source: "user", timestamp: 1, embedding: [1] } };
  await memory.addLog("job-1", entry);
  await memory.addLog("job-1", { content: "c" });
  const timestamp: number = await memory.saveCheckpoint("job-1");
  const restored: Context = await memory.restoreCheckpoint("job-1", timestamp);
  const [first] = await memory.searchLogs("job-1", { text: "t", limit: 1 });
  const score: number | undefined = first?.score;
  const removed: boolean = (await memory.deleteCheckpoint("job-1", timestamp)) && (await memory.deleteScope("job-1"));
  const trail: TrailEntry[] = await memory.history("job-1", { limit: 2 });
  console.log(
    restored,
    score,
    removed,
    trail[0]?.patch,
    await memory.listScopes(),
    await memory.listCheckpoints("job-1"),
  );
  const { getLogs } = memory;
  const [stored] = await getLogs("job-1");
  if (stored) await memory.addLog("job-2", { ...stored, content: `${stored.content} again` });
  const undo: Context = trail.at(-1)?.replaced ?? {};
  await memory.updateContext("job-1", undo, { remove: Object.keys(restored) });
  // @ts-expect-error: a scope is a text
  await memory.getContext(5);
  // @ts-expect-error: an entry has a content
  await memory.addLog("job-1", { id: "1" });
  // @ts-expect-error: a content is a text
  await memory.addLog("job-1", { content: 5 });
  // @ts-expect-error: what was found has no other fields
  first?.["extra"];
  // @ts-expect-error: a change has no other fields
  trail[0]?.["extra"];
  // @ts-expect-error: no such option
  await memory.getLogs("job-1", { before: "1" });
  // @ts-expect-error: getList is missing
  createMemoryStore({ adapter: { get: adapter.get, set: adapter.set, del: adapter.del, push: adapter.push } });
  // @ts-expect-error: a logger is no text
  createMemoryStore({ logger: "console" });
  // @ts-expect-error: no such option
  createMemoryStore({ adaptor: adapter });
  memory.close();
  return getLogs("job-1", { limit: 10 });
}

/** An adapter may be a class, synchronous, and more than five functions; `console` is a logger; a text names an adapter. */
export class OwnAdapter implements PersistenceAdapter {
  readonly #values = new Map<string, JsonValue>();
  readonly #lists = new Map<string, JsonValue[]>();
  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }
  set(key: string, value: JsonValue): void {
    this.#values.set(key, value);
  }
  del(key: string): boolean {
    return this.#values.delete(key) || this.#lists.delete(key);
  }
  push(key: string, item: JsonValue): number {
    return (this.#lists.get(key) ?? []).push(item);
  }
  async getList(key: string): Promise<readonly JsonValue[] | undefined> {
    return this.#lists.get(key);
  }
  compareAndSet(key: string, expected: JsonValue, value: JsonValue): boolean {
    return expected === null && this.#values.set(key, value).size > 0;
  }
  listKeys(prefix: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix));
  }
}

export async function openWith(adapter: PersistenceAdapter, logger: MemoryLogger): Promise<Store[]> {
  const options: OpenOptions = { adapter, logger };
  return [
    await Store.open(options),
    Store.openSync({ adapter: new OwnAdapter(), logger: console }),
    await Store.open({ adapter: "memory", logger: null }),
  ];
}

export async function useAdapter(): Promise<void> {
  const adapter: StoreAdapter = openAdapter({ adapter: "sqlite", home: "/tmp/x", logger: { warn: console.warn } });
  await adapter.set("context:job", { a: [1, null] });
  const context: unknown = await adapter.get("context:job");
  await adapter.push("queue", "first");
  const items: unknown[] = await adapter.getList("queue");
  await adapter.del("queue");
  const own: PersistenceAdapter = adapter;
  const memory: MemoryStore = createMemoryStore({ adapter, logger: console });
  // @ts-expect-error: a key is a text
  await adapter.get(5);
  // @ts-expect-error: an adapter of one's own is an object already
  openAdapter({ adapter: own });
  memory.close();
  adapter.close();
  void [context, items];
}
