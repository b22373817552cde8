// Compiled, never run: what a CommonJS host writes.
import {
  appendSummary, buildContextFromMemory, getRepoMemory, Store, upsertConvention, upsertDecision, upsertNote, ValidationError,
  type Convention, type ContextPack, type Decision, type JsonValue, type MemoryRecord, type Note, type RepoIdentity, type RepoMemory,
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
  Same<typeof getRepoMemory, (repoHash: string) => Promise<RepoMemory>>,
  Same<typeof upsertConvention, (repoHash: string, convention: Partial<Convention> & Pick<Convention, "title" | "content">) => Promise<Convention>>,
  Same<typeof upsertDecision, (repoHash: string, decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">) => Promise<Decision>>,
  Same<typeof upsertNote, (repoHash: string, note: Partial<Note> & Pick<Note, "content">) => Promise<Note>>,
  Same<typeof appendSummary, (runId: string, stepId: string, summaryText: string) => Promise<void>>,
  Same<typeof buildContextFromMemory, (repoHash: string, maxChars: number) => Promise<string>>,
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
