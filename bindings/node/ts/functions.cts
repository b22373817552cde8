// The functions of the specification as it writes them, on one store that the process opens when it first needs it.

import type { Convention, Decision, Note, RepoMemory, SummaryAppendParams } from "./generated/types.cjs";
import { invalid } from "./refusal.cjs";
import { Store } from "./store.cjs";

/** Whose memory a branch reads and writes. */
export type BranchScope = NonNullable<SummaryAppendParams["branchScope"]>;

/** What a function takes beside its params. */
export type FunctionOptions = {
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured. A `repoHash` names a memory already, whatever
   * the scope.
   */
  readonly branchScope?: BranchScope | null | undefined;
};

/** What `appendSummary` takes beside its params. */
export type AppendOptions = FunctionOptions & {
  /** A folder in the repository. Default: the current folder. */
  readonly workspace?: string | null | undefined;
};

let opened: Store | undefined;

/** The process's own store, with every default. One that could not be opened is tried again by the next call. */
function store(): Store {
  // Opening reads one small file, once. Awaiting it would read params that the host may have changed meanwhile.
  return (opened ??= Store.openSync());
}

/** Everything that is stored for a repository; empty when nothing is. */
export async function getRepoMemory(repoHash: string, options?: FunctionOptions): Promise<RepoMemory> {
  return store().memory.get(of("memory.get", repoHash, options));
}

/** Stores a convention and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertConvention(
  repoHash: string,
  convention: Partial<Convention> & Pick<Convention, "title" | "content">,
  options?: FunctionOptions,
): Promise<Convention> {
  return store().memory.upsertConvention({ ...of("memory.upsertConvention", repoHash, options), convention });
}

/** Stores a decision and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertDecision(
  repoHash: string,
  decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">,
  options?: FunctionOptions,
): Promise<Decision> {
  return store().memory.upsertDecision({ ...of("memory.upsertDecision", repoHash, options), decision });
}

/** Stores a note and returns it as stored. With the id of a stored one it changes that one. */
export async function upsertNote(
  repoHash: string,
  note: Partial<Note> & Pick<Note, "content">,
  options?: FunctionOptions,
): Promise<Note> {
  return store().memory.upsertNote({ ...of("memory.upsertNote", repoHash, options), note });
}

/** Appends the summary of a workflow step to the repository of the current folder, or of `options.workspace`. */
export async function appendSummary(
  runId: string,
  stepId: string,
  summaryText: string,
  options?: AppendOptions,
): Promise<void> {
  await store().summary.append({ ...checked("summary.append", options), runId, stepId, summary: summaryText });
}

/** A repository's memory as Markdown, at most `maxChars` Unicode scalar values long. */
export async function buildContextFromMemory(
  repoHash: string,
  maxChars: number,
  options?: FunctionOptions,
): Promise<string> {
  const { text } = await store().context.build({ ...of("context.build", repoHash, options), maxChars });
  return text;
}

/** The params that name a repository. A missing hash is refused: a method would take the current folder's, which was not named. */
function of(
  operation: string,
  repoHash: unknown,
  options: FunctionOptions | undefined,
): FunctionOptions & { repoHash: string } {
  if (typeof repoHash !== "string")
    throw invalid("repoHash must be 64 hex digits, as repo.identify returns them", operation);
  return { ...checked(operation, options), repoHash };
}

/** Refuses options that are not an object; unknown ones are refused by the method. */
function checked<T extends FunctionOptions>(operation: string, options: T | undefined): T | Record<never, never> {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object")
    throw invalid('the options must be an object, such as { branchScope: "sharedRepo" }', operation);
  return options;
}
