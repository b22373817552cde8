// Generated from the method table by scripts/generate. Do not edit.

/** Any JSON value. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/**
 * A draft or record with fields of your own besides those of `T`. They may hold any JSON, and are redacted, stored and
 * returned like the others.
 *
 * A draft on its own accepts only the fields it lists, so a misspelt key does not compile. A `WithUnknown` can be passed
 * wherever `T` is expected, and a record that comes back can be read as one:
 *
 * ```ts
 * const convention: WithUnknown<ConventionDraft> = { title: "Use pnpm", content: "…", priority: 1 };
 * const stored: WithUnknown<Convention> = await store.memory.upsertConvention({ convention });
 * const priority: JsonValue | undefined = stored["priority"];
 * ```
 *
 * An object inside it, such as the metadata of a log entry, is no less strict unless it is `WithUnknown` itself.
 */
export type WithUnknown<T extends object> = T & { readonly [field: string]: JsonValue | undefined };

/**
 * A checkpoint of a job.
 */
export type Checkpoint = {
  /**
   * When it was saved, in milliseconds since 1970; one more than the last one's when that is taken.
   */
  timestamp: number;
};

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
   * The records in it: ids, or `runId/stepId@timestamp` of summaries.
   */
  included: string[];
  /**
   * The records that had no room.
   */
  dropped: string[];
  /**
   * How many records are damaged and were skipped, if any; `doctor.check` names them.
   */
  skipped?: number;
};

/**
 * How this repository does things.
 *
 * May have fields of your own: see `WithUnknown`.
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
};

/**
 * A convention to store. With the id of a stored one it changes that one and may leave out what
 * stays.
 *
 * May have fields of your own: see `WithUnknown`.
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
};

/**
 * What was decided, and why.
 *
 * May have fields of your own: see `WithUnknown`.
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
 * A decision to store. With the id of a stored one it changes that one and may leave out what
 * stays.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type DecisionDraft = {
  /**
   * The record to change, or the id a new one is to have. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * The decision, on one line: a line break in it becomes a blank. A new decision needs it.
   */
  summary?: string | null | undefined;
  /**
   * Why. A new decision needs it.
   */
  rationale?: string | null | undefined;
  /**
   * Files and folders that it concerns, relative to the repository. Default: none.
   */
  impactedPaths?: readonly string[] | null | undefined;
};

/**
 * How much was looked at, and how many findings there are of what kind. Each finding counts once.
 */
export type DoctorCounts = {
  /**
   * Files that were looked at.
   */
  files: number;
  /**
   * Repositories that have a folder.
   */
  repositories: number;
  /**
   * Errors that were not mended.
   */
  errors: number;
  /**
   * Warnings that were not mended.
   */
  warnings: number;
  /**
   * What is only worth knowing.
   */
  infos: number;
  /**
   * Errors and warnings that were mended.
   */
  mended: number;
};

/**
 * What was found.
 */
export type DoctorReport = {
  /**
   * What is wrong, or worth knowing, in the order of the files.
   */
  findings: Finding[];
  /**
   * How much of what.
   */
  counts: DoctorCounts;
};

/**
 * Something that was found about a file.
 */
export type Finding = {
  /**
   * The file or folder.
   */
  file: string;
  /**
   * What is wrong.
   */
  fault:
    | "damaged"
    | "duplicateId"
    | "tornTail"
    | "tooNew"
    | "notAFile"
    | "unreadable"
    | "unwritable"
    | "busy"
    | "mode"
    | "litter"
    | "unfinishedCopy"
    | "staleOwner"
    | "unknownOwner"
    | "setAside"
    | "unsupported";
  /**
   * How bad that is: of an error loopmem cannot use the file, a warning should be mended.
   */
  severity: "error" | "warning" | "info";
  /**
   * What that means, and what a fix does or did about it. It holds no text of a record.
   */
  detail: string;
  /**
   * Whether it was mended.
   */
  mended: boolean;
};

/**
 * A repository that something is stored for.
 */
export type KnownRepo = {
  /**
   * The key of its memory.
   */
  repoHash: string;
  /**
   * Its folder; null when it was only ever written to by its hash.
   */
  path: string | null;
  /**
   * Its remote's URL without credentials; null when there is none or it is not known.
   */
  remoteUrl: string | null;
  /**
   * Its branch; null when it has none, when all branches share the memory, or when it is not known.
   */
  branch: string | null;
  /**
   * When something was last stored, RFC 3339 in UTC.
   */
  modifiedAt: string;
  /**
   * How much is stored, in bytes.
   */
  bytes: number;
};

/**
 * What happened, as it is stored.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntry = {
  /**
   * The entry's own.
   */
  id: string;
  /**
   * What happened.
   */
  content: string;
  /**
   * Where it comes from.
   */
  metadata: MemoryEntryMetadata;
};

/**
 * What is to be added to a log.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryDraft = {
  /**
   * The entry's own. Default: a new one.
   */
  id?: string | null | undefined;
  /**
   * What happened.
   */
  content: string;
  /**
   * Where it comes from.
   */
  metadata?: MemoryEntryMetadataDraft | null | undefined;
};

/**
 * Where an entry comes from.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryMetadata = {
  /**
   * Who says so, such as `user` or `agent-x`.
   */
  source: string;
  /**
   * When, in milliseconds since 1970.
   */
  timestamp: number;
  /**
   * Its vector, for `working.searchLogs`.
   */
  embedding?: number[];
};

/**
 * Where an entry comes from.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryMetadataDraft = {
  /**
   * Who says so, such as `user` or `agent-x`. Default: `unknown`.
   */
  source?: string | null | undefined;
  /**
   * When, in milliseconds since 1970. Default: now.
   */
  timestamp?: number | null | undefined;
  /**
   * Its vector, for `working.searchLogs`.
   */
  embedding?: readonly number[] | null | undefined;
};

/**
 * A convention.
 */
export type MemoryRecordConvention = {
  /**
   * A convention.
   */
  kind: "convention";
  /**
   * A convention.
   */
  record: Convention;
};

/**
 * A decision.
 */
export type MemoryRecordDecision = {
  /**
   * A decision.
   */
  kind: "decision";
  /**
   * A decision.
   */
  record: Decision;
};

/**
 * A note.
 */
export type MemoryRecordNote = {
  /**
   * A note.
   */
  kind: "note";
  /**
   * A note.
   */
  record: Note;
};

/**
 * What a migration did, or would do.
 */
export type Migration = {
  /**
   * What was copied.
   */
  copied: MigrationCounts;
  /**
   * What the target had already.
   */
  deduplicated: MigrationCounts;
  /**
   * Summaries of the source that were not copied, because they are older than all that the target
   * may keep.
   */
  left: number;
  /**
   * Summaries of the target that were removed for newer ones.
   */
  pruned: number;
  /**
   * Damaged lines in the source's file of summaries, if any, which cannot be copied; they stay
   * there.
   */
  skipped?: number;
};

/**
 * The number of records of each kind.
 */
export type MigrationCounts = {
  /**
   * Conventions.
   */
  conventions: number;
  /**
   * Decisions.
   */
  decisions: number;
  /**
   * Notes.
   */
  notes: number;
  /**
   * Step summaries.
   */
  summaries: number;
};

/**
 * Anything else worth keeping.
 *
 * May have fields of your own: see `WithUnknown`.
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
 * A note to store. With the id of a stored one it changes that one and may leave out what stays.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type NoteDraft = {
  /**
   * The record to change, or the id a new one is to have. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * The note. A new note needs it.
   */
  content?: string | null | undefined;
  /**
   * Who wrote it. Default: `agent`.
   */
  source?: "manual" | "agent" | "tool" | null | undefined;
};

/**
 * A text without its secrets.
 */
export type Redacted = {
  /**
   * The text with placeholders.
   */
  text: string;
  /**
   * Where the secrets stood in the text that was passed, in order and without overlaps.
   */
  findings: SecretFinding[];
};

/**
 * Whether something was removed.
 */
export type Removed = {
  /**
   * False when there was nothing of this id.
   */
  removed: boolean;
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
  /**
   * How many lines of the summaries' file are damaged and were skipped, if any; `doctor.check`
   * names them.
   */
  skippedSummaries?: number;
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
 * An entry that was found.
 */
export type ScoredEntry = {
  /**
   * The entry.
   */
  entry: MemoryEntry;
  /**
   * How well it fits; more is better. Of vectors: the cosine, from -1 to 1.
   */
  score: number;
};

/**
 * Where a secret stands in a text.
 */
export type SecretFinding = {
  /**
   * The id of the rule that found it.
   */
  rule: string;
  /**
   * Where it begins in the text that was passed, as an index of the language's strings: UTF-16
   * units in the typed methods of TypeScript, code points in those of Python, UTF-8 bytes
   * everywhere else.
   */
  start: number;
  /**
   * Where it ends, told as `start` is.
   */
  end: number;
  /**
   * Ten hex digits: equal secrets have equal ones.
   */
  tag: string;
};

/**
 * A rule.
 */
export type SecretRule = {
  /**
   * Its id, which appears in placeholders: lower-case letters, digits and hyphens.
   */
  id: string;
  /**
   * What it finds.
   */
  description: string;
  /**
   * How it recognizes a secret.
   */
  kind: "provider" | "structure" | "keyed" | "prose" | "environment" | "custom";
};

/**
 * Something that happened in a step.
 */
export type StepEvent = {
  /**
   * What kind of thing it was.
   */
  kind: "action" | "output" | "followUp" | "error";
  /**
   * What it was, in a few words.
   */
  text: string;
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
 * One change of a context.
 */
export type TrailEntry = {
  /**
   * The entry's own.
   */
  id: string;
  /**
   * What was done.
   */
  operation: "updateContext" | "restoreCheckpoint";
  /**
   * The values that were set; of a restored checkpoint, all of them.
   */
  patch: { [key: string]: JsonValue };
  /**
   * The names that were taken away.
   */
  remove: string[];
  /**
   * Who did it, if it was told.
   */
  source: string | null;
  /**
   * When, RFC 3339 in UTC.
   */
  time: string;
  /**
   * The checkpoint that was restored.
   */
  timestamp?: number;
  /**
   * The whole context before a checkpoint was restored, by which that is undone.
   */
  replaced?: { [key: string]: JsonValue };
};

/**
 * Any record of `memory.json`, and its kind.
 */
export type MemoryRecord = MemoryRecordConvention | MemoryRecordDecision | MemoryRecordNote;

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
   * How many summaries a repository keeps; beyond it the oldest go. Default: 100.
   */
  summariesMaxEntries?: number | null | undefined;
  /**
   * How long the file of a repository's summaries may grow, in bytes; beyond it the oldest go. At
   * most 251,658,240. Default: 1,048,576.
   */
  summariesMaxBytes?: number | null | undefined;
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
   * How long a lock file must stand still, in milliseconds, before it is taken over from an owner
   * of whom nothing is known; only where the file system has no locks of its own. Default: 10,000.
   */
  lockStaleMs?: number | null | undefined;
  /**
   * Whether a write fails with `RenameError` where a file cannot be replaced at once, such as one
   * that is mounted by itself. Otherwise it is copied over, with a whole copy beside it until that
   * is done. Default: false.
   */
  strongAtomicity?: boolean | null | undefined;
  /**
   * Regular expressions; what they match is redacted before anything is stored. Those of
   * `config.toml` count too.
   */
  redactionPatterns?: readonly string[] | null | undefined;
  /**
   * Where working contexts are kept: `file`, `memory`, `sqlite`, or the URL of a Redis server.
   * Default: `WORKING_ADAPTER`, else `file`.
   */
  adapter?: string | null | undefined;
  /**
   * What stands before every key on a Redis server. Braces in it keep the keys of one prefix on one
   * node of a cluster. Default: `{loopmem}:`.
   */
  redisPrefix?: string | null | undefined;
  /**
   * Hosts of the Redis cluster besides the URL's own, as `HOST` or `HOST:PORT`. Keys that have
   * moved to any other host are an error: it would be sent the password. Default: none.
   */
  redisHosts?: readonly string[] | null | undefined;
  /**
   * A file of certificates as PEM, which are trusted in place of the system's when the URL begins
   * with `rediss://`. Default: those that the system trusts.
   */
  redisCaFile?: string | null | undefined;
  /**
   * The longest wait for one answer of an adapter that is the host's own object or a server, in
   * milliseconds. Default: 30,000.
   */
  adapterTimeoutMs?: number | null | undefined;
  /**
   * How many checkpoints of a job are kept; beyond it the oldest go. Default: all.
   */
  checkpointsMaxEntries?: number | null | undefined;
  /**
   * How old a checkpoint may become, in milliseconds, before the next one that is saved takes it
   * away; the newest stays. Default: any age.
   */
  checkpointsMaxAgeMs?: number | null | undefined;
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
 * Lists the repositories that something is stored for, the last changed first.
 */
export type RepoListParams = Record<string, never>;

/**
 * Copies what one repository hash remembers to another: after a branch was renamed, a folder moved
 * or a remote changed.
 *
 * Records whose id, and summaries whose run, step and time are there already stay as they are
 * there. The source stays as it was. The target keeps its limits: of all summaries the oldest
 * beyond them are left behind or go, and are counted. When anything is in the way, nothing is
 * copied.
 */
export type RepoMigrateParams = {
  /**
   * Where it is, as `repo.identify` or `repo.list` tells it.
   */
  fromRepoHash: string;
  /**
   * Where it is to be.
   */
  toRepoHash: string;
  /**
   * Only count what would be copied. Default: false.
   */
  dryRun?: boolean | null | undefined;
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
 * Stores a decision and returns it as stored.
 *
 * A draft with the id of a stored decision changes that one and keeps what the draft leaves out;
 * any other makes a new one. Secrets in it are redacted.
 */
export type MemoryUpsertDecisionParams = {
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
   * The decision.
   */
  decision: DecisionDraft;
};

/**
 * Stores a note and returns it as stored.
 *
 * A draft with the id of a stored note changes that one and keeps what the draft leaves out; any
 * other makes a new one. Secrets in it are redacted.
 */
export type MemoryUpsertNoteParams = {
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
   * The note.
   */
  note: NoteDraft;
};

/**
 * Returns the conventions, decisions and notes that every given filter lets through, each kind
 * oldest first.
 */
export type MemoryListParams = {
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
   * Only those of this kind.
   */
  kind?: "convention" | "decision" | "note" | null | undefined;
  /**
   * Only conventions with this tag.
   */
  tag?: string | null | undefined;
  /**
   * Only decisions whose `impactedPaths` name this path or a folder above it.
   */
  path?: string | null | undefined;
  /**
   * Only those with this text in one of their fields, whatever its case.
   */
  text?: string | null | undefined;
};

/**
 * Removes the convention, decision or note with this id.
 */
export type MemoryRemoveParams = {
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
   * The record's id.
   */
  id: string;
};

/**
 * Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
 *
 * A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`; beyond
 * either the oldest go, never the newest.
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
   * One paragraph: what happened, important outputs, what is to follow; a line break in it becomes
   * a blank. At most `memory.summaryMaxBytes` (65,536) bytes.
   */
  summary: string;
  /**
   * Words to find it by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
};

/**
 * Ends a workflow step: makes one paragraph of its events, without a model, and appends it as
 * `summary.append` does.
 *
 * What happened, important outputs, what went wrong, what is to follow: each event once, in at most
 * 4,000 bytes. What has no room is counted in the text. The same events give the same paragraph.
 */
export type SummaryEndStepParams = {
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
   * What happened, in order. At least one.
   */
  events: readonly StepEvent[];
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
 * Conventions, decisions and notes come first, each oldest first, then the newest steps, newest
 * first. When there are steps, 40 of 100 characters are kept for them, or more when the newest
 * needs it; the other kinds share the rest, each its equal part and then what is left in their
 * order. Records are taken whole or named as dropped. The same state gives the same bytes in every
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

/**
 * Returns the context of a scope; `{}` when there is none.
 */
export type WorkingGetContextParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
};

/**
 * Changes the context of a scope and returns the new one.
 *
 * Values are set by name, each in the place of the whole one before; null is stored as null.
 * Secrets in them are redacted. The change leaves an entry in the scope's trail.
 */
export type WorkingUpdateContextParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The values to set, by name.
   */
  patch: { readonly [key: string]: JsonValue | undefined };
  /**
   * The names to take away, before the values are set.
   */
  remove?: readonly string[] | null | undefined;
  /**
   * Who changes it, for the trail.
   */
  source?: string | null | undefined;
};

/**
 * Adds an entry to the log of a scope and returns it as stored. Secrets in it are redacted.
 */
export type WorkingAddLogParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The entry.
   */
  entry: MemoryEntryDraft;
};

/**
 * Returns the log of a scope, oldest entry first.
 */
export type WorkingGetLogsParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * At most so many: the last ones, or, with `after`, the first that follow.
   */
  limit?: number | null | undefined;
  /**
   * Only those that follow the entry with this id.
   */
  after?: string | null | undefined;
};

/**
 * Finds entries in the log of a scope, the best first: by their vectors, or by their words.
 *
 * Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries without
 * one, or with one of another length, are passed over. Texts are compared by BM25; entries that
 * share no word are passed over.
 */
export type WorkingSearchLogsParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The vector to be near to.
   */
  embedding?: readonly number[] | null | undefined;
  /**
   * The words to be found.
   */
  text?: string | null | undefined;
  /**
   * At most so many. Default: 10.
   */
  limit?: number | null | undefined;
};

/**
 * Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.
 */
export type WorkingSaveCheckpointParams = {
  /**
   * The job, whose scope has the same id.
   */
  jobId: string;
};

/**
 * Puts the context that a checkpoint holds in the place of the job's, and returns it.
 *
 * The scope's trail keeps what it replaced (`replaced`), so that it can be undone.
 */
export type WorkingRestoreCheckpointParams = {
  /**
   * The job, whose scope has the same id.
   */
  jobId: string;
  /**
   * The checkpoint.
   */
  timestamp: number;
};

/**
 * Returns the timestamps of a job's checkpoints, oldest first.
 */
export type WorkingListCheckpointsParams = {
  /**
   * The job, whose scope has the same id.
   */
  jobId: string;
};

/**
 * Deletes a checkpoint.
 */
export type WorkingDeleteCheckpointParams = {
  /**
   * The job, whose scope has the same id.
   */
  jobId: string;
  /**
   * The checkpoint.
   */
  timestamp: number;
};

/**
 * Returns the trail of a scope: what changed its context, oldest first.
 */
export type WorkingHistoryParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * At most so many: the last ones.
   */
  limit?: number | null | undefined;
};

/**
 * Returns the ids of the scopes of which something is kept, in their order.
 */
export type WorkingListScopesParams = Record<string, never>;

/**
 * Deletes everything of a scope: its context, its trail, its log and its checkpoints.
 */
export type WorkingDeleteScopeParams = {
  /**
   * The scope: a job's id, `global`, or any other text.
   */
  scopeId: string;
};

/**
 * Returns a text with every secret replaced by its placeholder, and where the secrets stood.
 *
 * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags in one home; who has the
 * text alone cannot test guesses. All other characters stay as they are, and a text that was
 * redacted stays so too. Nothing of the text is stored; the first secret that is found makes the
 * home's key.
 */
export type SafetyRedactParams = {
  /**
   * The text.
   */
  text: string;
  /**
   * Regular expressions for this call, beside what is configured; where one has a group named
   * `secret`, only that is a secret.
   */
  patterns?: readonly string[] | null | undefined;
};

/**
 * Returns where secrets stand in a text, and never what they are.
 */
export type SafetyScanParams = {
  /**
   * The text.
   */
  text: string;
  /**
   * Regular expressions for this call, beside what is configured; where one has a group named
   * `secret`, only that is a secret.
   */
  patterns?: readonly string[] | null | undefined;
};

/**
 * Returns every rule by which secrets are found: the built-in ones, then those of the
 * configuration, of the user's rule file and of the options.
 */
export type SafetyRulesParams = Record<string, never>;

/**
 * Looks at every file of the home, and with `fix` mends what is wrong.
 *
 * Without `fix` nothing is changed and nothing is created. With it what is damaged is set aside
 * beside the file, never deleted, and every record that is whole is brought back; modes are set to
 * what they should be, and what a writer that died left unfinished is removed. A file of a newer
 * version is never touched. What cannot be read or mended is a finding and no error.
 */
export type DoctorCheckParams = {
  /**
   * Mend what can be mended. Default: false.
   */
  fix?: boolean | null | undefined;
};

/** Every method: what it takes and what it returns. */
export type Methods = {
  "repo.identify": { params: RepoIdentifyParams; result: RepoIdentity };
  "repo.sanitizeRemoteUrl": { params: RepoSanitizeRemoteUrlParams; result: SanitizedUrl };
  "repo.list": { params: RepoListParams; result: KnownRepo[] };
  "repo.migrate": { params: RepoMigrateParams; result: Migration };
  "memory.get": { params: MemoryGetParams; result: RepoMemory };
  "memory.upsertConvention": { params: MemoryUpsertConventionParams; result: Convention };
  "memory.upsertDecision": { params: MemoryUpsertDecisionParams; result: Decision };
  "memory.upsertNote": { params: MemoryUpsertNoteParams; result: Note };
  "memory.list": { params: MemoryListParams; result: MemoryRecord[] };
  "memory.remove": { params: MemoryRemoveParams; result: Removed };
  "summary.append": { params: SummaryAppendParams; result: Summary };
  "summary.endStep": { params: SummaryEndStepParams; result: Summary };
  "summary.list": { params: SummaryListParams; result: Summary[] };
  "context.build": { params: ContextBuildParams; result: ContextPack };
  "working.getContext": { params: WorkingGetContextParams; result: { [key: string]: JsonValue } };
  "working.updateContext": { params: WorkingUpdateContextParams; result: { [key: string]: JsonValue } };
  "working.addLog": { params: WorkingAddLogParams; result: MemoryEntry };
  "working.getLogs": { params: WorkingGetLogsParams; result: MemoryEntry[] };
  "working.searchLogs": { params: WorkingSearchLogsParams; result: ScoredEntry[] };
  "working.saveCheckpoint": { params: WorkingSaveCheckpointParams; result: Checkpoint };
  "working.restoreCheckpoint": { params: WorkingRestoreCheckpointParams; result: { [key: string]: JsonValue } };
  "working.listCheckpoints": { params: WorkingListCheckpointsParams; result: number[] };
  "working.deleteCheckpoint": { params: WorkingDeleteCheckpointParams; result: Removed };
  "working.history": { params: WorkingHistoryParams; result: TrailEntry[] };
  "working.listScopes": { params: WorkingListScopesParams; result: string[] };
  "working.deleteScope": { params: WorkingDeleteScopeParams; result: Removed };
  "safety.redact": { params: SafetyRedactParams; result: Redacted };
  "safety.scan": { params: SafetyScanParams; result: SecretFinding[] };
  "safety.rules": { params: SafetyRulesParams; result: SecretRule[] };
  "doctor.check": { params: DoctorCheckParams; result: DoctorReport };
};
