// Compiled, never run: what a CommonJS host writes.
import {
  appendSummary, buildContextFromMemory, createMemoryStore, getRepoMemory, Store, upsertConvention, upsertDecision, upsertNote, ValidationError,
  type AppendOptions, type BranchScope, type Context, type Convention, type ContextPack, type Decision, type FunctionOptions, type JsonValue, type MemoryEntry, type MemoryLogger, type MemoryRecord, type MemoryStore, type Note, type OpenOptions,
  type PersistenceAdapter, type RepoIdentity, type RepoMemory, type TrailEntry,
} from "loopmem";

export async function use(): Promise<string> {
  const store: Store = await Store.open({ home: "/tmp/x", branchScope: "sharedRepo" });
  const { repoHash } = await store.repo.identify();
  const stored: Convention = await store.memory.upsertConvention({ repoHash, convention: { title: "t", content: "c", extra: 1 } });
  const again: Convention = store.memory.upsertConventionSync({ repoHash, convention: stored });
  const pack: ContextPack = await store.call("context.build", { repoHash, maxChars: 8_000, sections: ["summaries"] });
  // @ts-expect-error: a section that does not exist
  await store.context.build({ repoHash, maxChars: 8_000, sections: ["nothing"] });
  // @ts-expect-error: maxChars is missing
  await store.context.build({ repoHash });

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
  await store.call("context.build");
  // @ts-expect-error: maxChars is missing
  store.callSync("context.build", { repoHash });
  // @ts-expect-error: an unknown key
  await store.call("memory.get", { repoHash, nope: 1 });
  // @ts-expect-error: an unknown option
  await store.call("memory.get", { repoHash }, { timeout: 5 });
  // @ts-expect-error: a result of another type
  const other: ContextPack = await store.call("repo.identify");

  // A record has its known fields, and others that are JSON.
  const title: string = stored.title;
  const extra: JsonValue | undefined = stored["extra"];
  // @ts-expect-error: tags are texts
  const tags: number[] = stored.tags;
  // @ts-expect-error: a title is a text
  await store.memory.upsertConvention({ convention: { ...stored, title: 5 } });
  // @ts-expect-error: what a repository is has no other fields
  identity["extra"];
  console.log(sync, any, other, title, extra, tags);

  const error = new ValidationError({ code: "ValidationError", message: "m", retryable: false }, { cause: new Error("c") });
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
  const { conventions: [convention], decisions: [decision], notes: [note] } = memory;
  if (convention) await upsertConvention(repoHash, { ...convention, priority: 1 });
  if (decision) await upsertDecision(repoHash, { ...decision, impactedPaths: ["src/"], owner: "me" });
  if (note) await upsertNote(repoHash, { ...note, mood: null });
  // @ts-expect-error: the title is missing
  await upsertConvention(repoHash, { content: "c" });
  // @ts-expect-error: the content is missing
  await upsertConvention(repoHash, { id: "1", title: "t" });
  // @ts-expect-error: the rationale is missing
  await upsertDecision(repoHash, { summary: "s" });
  // @ts-expect-error: the content is missing
  await upsertNote(repoHash, { source: "tool" });
  // @ts-expect-error: nobody else writes notes
  await upsertNote(repoHash, { content: "n", source: "nobody" });
  // @ts-expect-error: maxChars is missing
  await buildContextFromMemory(repoHash);
}

/** Whether two types are the same one, and not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;

export const signatures: [
  Same<typeof getRepoMemory, (repoHash: string, options?: FunctionOptions) => Promise<RepoMemory>>,
  Same<typeof upsertConvention, (repoHash: string, convention: Partial<Convention> & Pick<Convention, "title" | "content">, options?: FunctionOptions) => Promise<Convention>>,
  Same<typeof upsertDecision, (repoHash: string, decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">, options?: FunctionOptions) => Promise<Decision>>,
  Same<typeof upsertNote, (repoHash: string, note: Partial<Note> & Pick<Note, "content">, options?: FunctionOptions) => Promise<Note>>,
  Same<typeof appendSummary, (runId: string, stepId: string, summaryText: string, options?: AppendOptions) => Promise<void>>,
  Same<typeof buildContextFromMemory, (repoHash: string, maxChars: number, options?: FunctionOptions) => Promise<string>>,
] = [true, true, true, true, true, true];

/** An entry tells its record by its kind. */
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
  const decision: Decision = await store.memory.upsertDecision({ decision: { summary: "s", rationale: "r", impactedPaths: ["src/"] as const, owner: "me" } });
  const note: Note = store.memory.upsertNoteSync({ note: { content: "c", source: "agent" } });
  await store.memory.upsertDecision({ decision: { ...decision, rationale: "other" } });
  await store.memory.upsertNote({ note });
  const owner: JsonValue | undefined = decision["owner"];
  const entries: MemoryRecord[] = await store.memory.list({ kind: "decision", path: "src/main.rs" });
  const { removed }: { removed: boolean } = await store.call("memory.remove", { id: decision.id });
  const events = [{ kind: "action", text: "a" }, { kind: "followUp", text: "f" }] as const;
  const { summary }: { summary: string } = await store.summary.endStep({ runId: "r", stepId: "s", events });
  const paths: (string | null)[] = (await store.repo.list()).map(({ path }) => path);
  const { copied } = await store.repo.migrate({ fromRepoHash: "a", toRepoHash: "b", dryRun: true });
  console.log(owner, entries.map(oneLine), removed, summary, paths, copied.conventions + copied.summaries);
  // @ts-expect-error: nothing else happens in a step
  await store.summary.endStep({ runId: "r", stepId: "s", events: [{ kind: "thought", text: "t" }] });
  // @ts-expect-error: a migration needs both ends
  await store.repo.migrate({ fromRepoHash: "a" });
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
  const logger: MemoryLogger = { debug: () => 1, info: async () => {}, warn: (message) => message.length, error: (message: string, payload: unknown) => [message, payload] };
  const strict: MemoryLogger = { ...logger, error: (_message, payload) => {
    const code: JsonValue | undefined = payload["code"];
    // @ts-expect-error: what is told is JSON, to be looked at first
    payload["code"].anything();
    return code;
  } };
  console.log(strict);
  const memory: MemoryStore = createMemoryStore({ adapter, logger, home: "/tmp/x", adapterTimeoutMs: 5_000 });
  interface Plan { step: string; done?: boolean }
  const plan: Plan = { step: "a" };
  const context: Context = await memory.updateContext("job-1", plan, { remove: ["old"] as const, source: "agent-x" });
  const step: string = context["step"];
  const entry: SpecEntry = { id: step, content: "c", metadata: { source: "user", timestamp: 1, embedding: [1] } };
  await memory.addLog("job-1", entry);
  await memory.addLog("job-1", { content: "c" });
  await memory.addLog("job-1", { content: "c", level: "warn", metadata: { span: [1, 2] } });
  const timestamp: number = await memory.saveCheckpoint("job-1");
  const restored: Context = await memory.restoreCheckpoint("job-1", timestamp);
  const [first] = await memory.searchLogs("job-1", { text: "t", limit: 1 });
  const score: number | undefined = first?.score;
  const removed: boolean = (await memory.deleteCheckpoint("job-1", timestamp)) && (await memory.deleteScope("job-1"));
  const trail: TrailEntry[] = await memory.history("job-1", { limit: 2 });
  console.log(restored, score, removed, trail[0]?.patch, await memory.listScopes(), await memory.listCheckpoints("job-1"));
  const { getLogs } = memory;
  const [stored] = await getLogs("job-1");
  const level: JsonValue | undefined = stored?.["level"];
  if (stored) await memory.addLog("job-2", { ...stored, content: `${stored.content} ${String(level)}` });
  const undo: Context = trail.at(-1)?.replaced ?? {};
  await memory.updateContext("job-1", undo, { remove: Object.keys(restored) });
  // @ts-expect-error: a scope is a text
  await memory.getContext(5);
  // @ts-expect-error: an entry has a content
  await memory.addLog("job-1", { id: "1" });
  // @ts-expect-error: a content is a text
  await memory.addLog("job-1", { content: 5, level: "warn" });
  // @ts-expect-error: a function is no JSON
  await memory.addLog("job-1", { content: "c", level: () => 1 });
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
  return [await Store.open(options), Store.openSync({ adapter: new OwnAdapter(), logger: console }), await Store.open({ adapter: "memory", logger: null })];
}
