// The functions of the specification as it writes them, on one store that the process opens when it first needs it.

import type { Convention, Decision, Note, RepoMemory } from "./generated/types.cjs";
import { invalid } from "./json.cjs";
import { Store } from "./store.cjs";

let opened: Store | undefined;

/** The process's own store, with every default. One that could not be opened is tried again by the next call. */
function store(): Store {
  // Opening reads one small file, once. Awaiting it would read params that the host may have changed meanwhile.
  return (opened ??= Store.openSync());
}

/** Everything that is stored for a repository; empty when nothing is. */
export async function getRepoMemory(repoHash: string): Promise<RepoMemory> {
  return store().memory.get({ repoHash: named(repoHash) });
}

/** Stores a convention and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertConvention(
  repoHash: string,
  convention: Partial<Convention> & Pick<Convention, "title" | "content">,
): Promise<Convention> {
  return store().memory.upsertConvention({ repoHash: named(repoHash), convention });
}

/** Stores a decision and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertDecision(
  repoHash: string,
  decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">,
): Promise<Decision> {
  return store().memory.upsertDecision({ repoHash: named(repoHash), decision });
}

/** Stores a note and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertNote(repoHash: string, note: Partial<Note> & Pick<Note, "content">): Promise<Note> {
  return store().memory.upsertNote({ repoHash: named(repoHash), note });
}

/** Appends the summary of a workflow step to the repository that the current folder lies in. */
export async function appendSummary(runId: string, stepId: string, summaryText: string): Promise<void> {
  await store().summary.append({ runId, stepId, summary: summaryText });
}

/** A repository's memory as Markdown, at most `maxChars` Unicode scalar values long. */
export async function buildContextFromMemory(repoHash: string, maxChars: number): Promise<string> {
  const { text } = await store().context.build({ repoHash: named(repoHash), maxChars });
  return text;
}

/** Refuses a hash that is missing: a method would take the current folder's, which nobody named here. */
function named(repoHash: unknown): string {
  if (typeof repoHash !== "string") throw invalid("repoHash must be 64 hex digits, as repo.identify returns them");
  return repoHash;
}
