// Generated from the method table by scripts/generate. Do not edit.

/** Any JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/**
 * A context pack and what went into it.
 */
export type ContextPack = {
  /**
   * The pack, as Markdown; empty when nothing is stored.
   */
  text: string;
  /**
   * What each section holds and what had no room.
   */
  sections: ContextSection[];
};

/**
 * A section of a context pack.
 */
export type ContextSection = {
  /**
   * Its name.
   */
  name: "conventions" | "decisions" | "notes" | "summaries";
  /**
   * How long its text is, in Unicode scalar values, its heading included.
   */
  chars: number;
  /**
   * The records in it: ids, or `runId/stepId` of summaries.
   */
  included: string[];
  /**
   * The records that had no room.
   */
  dropped: string[];
};

/**
 * How this repository does things.
 */
export type Convention = {
  /**
   * Unique among the repository's records.
   */
  id: string;
  /**
   * Its name, in a few words.
   */
  title: string;
  /**
   * The whole of it.
   */
  content: string;
  /**
   * Words to find it by.
   */
  tags: string[];
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last stored, RFC 3339 in UTC.
   */
  updatedAt: string;
  /** Fields that this version does not know are kept. */
  [field: string]: JsonValue | undefined;
};

/**
 * A convention to store. With the id of a stored one it changes that one and may leave out what
 * stays.
 */
export type ConventionDraft = {
  /**
   * The record to change, or the id a new one is to have. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * Its name, in a few words. A new convention needs one.
   */
  title?: string | null | undefined;
  /**
   * The whole of it. A new convention needs it.
   */
  content?: string | null | undefined;
  /**
   * Words to find it by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
  /** Fields that this version does not know are kept. */
  [field: string]: JsonValue | undefined;
};

/**
 * What was decided, and why.
 */
export type Decision = {
  /**
   * Unique among the repository's records.
   */
  id: string;
  /**
   * The decision, on one line.
   */
  summary: string;
  /**
   * Why.
   */
  rationale: string;
  /**
   * Files and folders that it concerns.
   */
  impactedPaths: string[];
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last stored, RFC 3339 in UTC.
   */
  updatedAt: string;
};

/**
 * Anything else worth keeping.
 */
export type Note = {
  /**
   * Unique among the repository's records.
   */
  id: string;
  /**
   * The note.
   */
  content: string;
  /**
   * Who wrote it.
   */
  source: "manual" | "agent" | "tool";
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last stored, RFC 3339 in UTC.
   */
  updatedAt: string;
};

/**
 * What a workspace is.
 */
export type RepoIdentity = {
  /**
   * The key of its memory: SHA-256 in hex.
   */
  repoHash: string;
  /**
   * The work tree's top level, or the folder itself outside a repository. In `sharedRepo` scope the
   * main work tree's, or the git folder where that is bare or lies apart.
   */
  path: string;
  /**
   * The remote's URL without credentials; null when there is none.
   */
  remoteUrl: string | null;
  /**
   * The branch; null when HEAD is detached or this is no repository.
   */
  branch: string | null;
  /**
   * The commit of HEAD; null before the first commit or when this is no repository.
   */
  commit: string | null;
  /**
   * Whether HEAD names a commit and no branch.
   */
  detached: boolean;
  /**
   * Whose memory `repoHash` stands for.
   */
  branchScope: "perBranch" | "sharedRepo";
};

/**
 * Everything stored for a repository.
 */
export type RepoMemory = {
  /**
   * Oldest first.
   */
  conventions: Convention[];
  /**
   * Oldest first.
   */
  decisions: Decision[];
  /**
   * Oldest first.
   */
  notes: Note[];
  /**
   * Newest first.
   */
  summaries: Summary[];
};

/**
 * A remote's URL without credentials.
 */
export type SanitizedUrl = {
  /**
   * The URL.
   */
  url: string;
};

/**
 * What a workflow step did.
 */
export type Summary = {
  /**
   * The run of the workflow.
   */
  runId: string;
  /**
   * The step within the run.
   */
  stepId: string;
  /**
   * When it was appended, RFC 3339 in UTC.
   */
  timestamp: string;
  /**
   * One paragraph: what happened, important outputs, what is to follow.
   */
  summary: string;
  /**
   * Words to find it by.
   */
  tags: string[];
};

/**
 * What a store may be opened with. Everything has a default; unknown keys are refused.
 */
export type StoreOptions = {
  /**
   * The folder that holds everything. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
   */
  home?: string | null | undefined;
  /**
   * The root of memories from past runs and of recallable items, whose methods come with a later
   * version. Default: `CODEX_HOME`, else `~/.codex`.
   */
  codexHome?: string | null | undefined;
  /**
   * The root of files kept on a branch, whose methods come with a later version. Default:
   * `/tmp/gh-aw/repo-memory`.
   */
  branchMemoryRoot?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes. Default: `MEMORY_BRANCH_SCOPE`, else `perBranch`.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * How many of the newest summaries a context pack takes. Default: 10.
   */
  maxSummariesInContext?: number | null | undefined;
  /**
   * The longest summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
   */
  summaryMaxBytes?: number | null | undefined;
  /**
   * The longest wait for a lock, in milliseconds. Default: 5,000.
   */
  lockTimeoutMs?: number | null | undefined;
  /**
   * The longest wait for the lock of an append, in milliseconds. Default: 1,000.
   */
  appendTimeoutMs?: number | null | undefined;
  /**
   * Regular expressions; what they match is redacted before anything is stored. Those of
   * `config.toml` count too.
   */
  redactionPatterns?: readonly string[] | null | undefined;
  /**
   * For tests: an RFC 3339 time at which this store's clock stands still.
   */
  clock?: string | null | undefined;
};

/**
 * Tells which repository a folder belongs to: the hash under which its memory is kept, and what
 * went into it.
 *
 * Outside a repository a folder is identified by its path. Memory that is kept by path does not
 * travel between machines.
 */
export type RepoIdentifyParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Identifies another branch than the one HEAD is on.
   */
  branch?: string | null | undefined;
};

/**
 * Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH
 * URL one form.
 */
export type RepoSanitizeRemoteUrlParams = {
  /**
   * The URL, as git takes it, at most 16,384 bytes long.
   */
  url: string;
};

/**
 * Returns everything that is stored for a repository; empty when nothing is.
 */
export type MemoryGetParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: that of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Stores a convention and returns it as stored.
 *
 * A draft with the id of a stored convention changes that one and keeps what the draft leaves out;
 * any other makes a new one. Secrets in it are redacted.
 */
export type MemoryUpsertConventionParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: that of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The convention.
   */
  convention: ConventionDraft;
};

/**
 * Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
 */
export type SummaryAppendParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: that of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The run of the workflow.
   */
  runId: string;
  /**
   * The step within the run.
   */
  stepId: string;
  /**
   * One paragraph: what happened, important outputs, what is to follow. At most 65,536 bytes.
   */
  summary: string;
  /**
   * Words to find it by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
};

/**
 * Returns a repository's step summaries, newest first.
 */
export type SummaryListParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: that of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Only those of this run.
   */
  runId?: string | null | undefined;
  /**
   * Only those with this tag.
   */
  tag?: string | null | undefined;
  /**
   * At most so many.
   */
  limit?: number | null | undefined;
};

/**
 * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
 *
 * Records are taken whole or named as dropped. The same state gives the same bytes in every
 * language.
 */
export type ContextBuildParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: that of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whose memory a branch reads and writes, for this call. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The longest pack, in Unicode scalar values.
   */
  maxChars: number;
  /**
   * What the agent is about to do, for sections that choose by relevance; the present ones do not.
   */
  prompt?: string | null | undefined;
  /**
   * The sections wanted. Default: all.
   */
  sections?: readonly ("conventions" | "decisions" | "notes" | "summaries")[] | null | undefined;
  /**
   * Files the agent is at work on, for sections that choose by nearness; the present ones do not.
   */
  focusFiles?: readonly string[] | null | undefined;
  /**
   * The working scope, for sections that have one; the present ones do not.
   */
  scopeId?: string | null | undefined;
};

/** Every method: what it takes and what it returns. */
export type Methods = {
  "repo.identify": { params: RepoIdentifyParams; result: RepoIdentity };
  "repo.sanitizeRemoteUrl": { params: RepoSanitizeRemoteUrlParams; result: SanitizedUrl };
  "memory.get": { params: MemoryGetParams; result: RepoMemory };
  "memory.upsertConvention": { params: MemoryUpsertConventionParams; result: Convention };
  "summary.append": { params: SummaryAppendParams; result: Summary };
  "summary.list": { params: SummaryListParams; result: Summary[] };
  "context.build": { params: ContextBuildParams; result: ContextPack };
};
