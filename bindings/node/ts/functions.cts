// The plain functions of the specification, on one store per process that is opened on first use.

import type { Convention, Decision, Note, RepoMemory, SummaryAppendParams } from "./generated/types.cjs";
import { invalid } from "./refusal.cjs";
import { Store } from "./store.cjs";

/** Whether each branch has a separate memory or all branches share one. */
export type BranchScope = NonNullable<SummaryAppendParams["branchScope"]>;

/** Options of the plain functions. */
export type FunctionOptions = {
  /**
   * Whether each branch has a separate memory or all branches share one, for this call. Default: as configured. A
   * function that takes a `repoHash`, which names one memory, refuses it.
   */
  readonly branchScope?: BranchScope | null | undefined;
};

/** Options of `appendSummary`. */
export type AppendOptions = FunctionOptions & {
  /** A folder in the repository. Default: the current folder. */
  readonly workspace?: string | null | undefined;
};

let opened: Store | undefined;

/** The store of the process, with default options. If opening it fails, the next call tries again. */
function store(): Store {
  // Opened synchronously, which reads two small files once: while it was awaited, the host could change the params.
  return (opened ??= Store.openSync());
}

/** Returns everything stored for a repository. The lists are empty if nothing is stored. */
export async function getRepoMemory(repoHash: string, options?: FunctionOptions): Promise<RepoMemory> {
  return store().memory.get(of("memory.get", repoHash, options));
}

/** Stores a convention and returns it as stored. If a convention with its id is stored, that one is updated. */
export async function upsertConvention(
  repoHash: string,
  convention: Partial<Convention> & Pick<Convention, "title" | "content">,
  options?: FunctionOptions,
): Promise<Convention> {
  return store().memory.upsertConvention({ ...of("memory.upsertConvention", repoHash, options), convention });
}

/** Stores a decision and returns it as stored. If a decision with its id is stored, that one is updated. */
export async function upsertDecision(
  repoHash: string,
  decision: Partial<Decision> & Pick<Decision, "summary" | "rationale">,
  options?: FunctionOptions,
): Promise<Decision> {
  return store().memory.upsertDecision({ ...of("memory.upsertDecision", repoHash, options), decision });
}

/** Stores a note and returns it as stored. If a note with its id is stored, that one is updated. */
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

/** Returns a repository's memory as Markdown, in at most `maxChars` Unicode scalar values. */
export async function buildContextFromMemory(
  repoHash: string,
  maxChars: number,
  options?: FunctionOptions,
): Promise<string> {
  const { text } = await store().context.build({ ...of("context.build", repoHash, options), maxChars });
  return text;
}

/** The params that name a repository. A missing hash is an error: a method would use the current folder's. */
function of(
  operation: string,
  repoHash: unknown,
  options: FunctionOptions | undefined,
): FunctionOptions & { repoHash: string } {
  if (typeof repoHash !== "string")
    throw invalid("repoHash must be 64 hex digits, as repo.identify returns them", operation);
  return { ...checked(operation, options), repoHash };
}

/** Refuses options that are not an object; the method itself refuses unknown ones. */
function checked<T extends FunctionOptions>(operation: string, options: T | undefined): T | Record<never, never> {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object")
    throw invalid('the options must be an object, such as { branchScope: "sharedRepo" }', operation);
  return options;
}
