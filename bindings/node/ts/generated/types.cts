// Generated from the method table by scripts/generate. Do not edit.

/** Any JSON value. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/**
 * A record that has fields of your own in addition to those of `T`. They may contain any JSON, and are redacted, stored
 * and returned like the others.
 *
 * A draft accepts only the fields it lists, so a misspelt key does not compile; your own are in `extra`. A returned
 * record can be read as a `WithUnknown`, and that can be passed wherever `T` is expected, to store it again:
 *
 * ```ts
 * const convention = { title: "Use pnpm", content: "…", extra: { priority: 1 } };
 * const stored: WithUnknown<Convention> = await store.memory.upsertConvention({ convention });
 * const priority: JsonValue | undefined = stored["priority"];
 * ```
 *
 * This does not extend to nested objects, such as the metadata of a log entry, unless they are `WithUnknown` too.
 */
export type WithUnknown<T extends object> = T & { readonly [field: string]: JsonValue | undefined };

/**
 * Where working contexts are stored, and whether that can be reached.
 */
export type AdapterStatus = {
  /**
   * `file`, `memory`, `sqlite`, `redis`, or `host` for one of the host's own.
   */
  name: string;
  /**
   * Whether it answers.
   */
  answers: boolean;
  /**
   * Why it does not.
   */
  error: string | null;
};

/**
 * What was brought from another identity, or what there is to bring.
 */
export type Adoption = {
  /**
   * The other identities that have memory which is not here, the most important first; none if one
   * of them was adopted.
   */
  relatives: Relative[];
  /**
   * The one that was adopted.
   */
  fromRepoHash?: string;
  /**
   * Records that were not here.
   */
  copied: MigrationCounts;
  /**
   * Records of which it has a newer version, which is here now.
   */
  merged: MigrationCounts;
  /**
   * Records that are the same, that were changed only here, or that were adopted before and removed
   * here since.
   */
  deduplicated: MigrationCounts;
  /**
   * Records that both sides changed: the newer version is here, the other one in the trash; `undo`
   * brings it back.
   */
  keptAside: KeptAside[];
  /**
   * Summaries that were not copied because the limits exclude them as too old.
   */
  left: number;
  /**
   * Summaries that were removed here to make room for newer ones.
   */
  pruned: number;
  /**
   * Damaged records, if any, which were not copied.
   */
  skipped?: number;
};

/**
 * A false positive of a rule. A finding must match all of `name`, `rule`, `field` and `tag` that
 * are set, of which there is at least one.
 */
export type Allowance = {
  /**
   * The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`.
   * Applies to what was found because of its name.
   */
  name?: string;
  /**
   * The id of the rule, such as `keyed-value`.
   */
  rule?: string;
  /**
   * The path of the field in a record, such as `metadata.headers`, with everything below it.
   */
  field?: string;
  /**
   * The tag of the value: a keyed hash, from its placeholder or from a scan with the same home.
   */
  tag?: string;
  /**
   * Why it is no secret, for the people who read this later.
   */
  reason: string;
};

/**
 * The folder of a memory after a checkout.
 */
export type BranchCheckout = {
  /**
   * The folder.
   */
  directory: string;
  /**
   * The branch.
   */
  branch: string;
  /**
   * The commit that its files come from; null if the branch does not exist yet.
   */
  base: string | null;
  /**
   * Whether the branch does not exist yet; the first push creates it.
   */
  created: boolean;
  /**
   * Whether the folder had unpushed changes. It still has them.
   */
  merged: boolean;
  /**
   * The files in which such a change replaced a change on the branch, sorted.
   */
  conflicts: BranchConflict[];
};

/**
 * A file that both sides changed in the same place.
 */
export type BranchConflict = {
  /**
   * Its path, relative to the folder of the memory.
   */
  path: string;
  /**
   * The commit with the version that was replaced. `git show COMMIT:PATH` prints it, in a clone
   * that has fetched the branch.
   */
  theirs: string;
};

/**
 * A file, or a set of files, that breaks a rule.
 */
export type BranchFault = {
  /**
   * The path of the file, relative to the folder of the memory; null if it is about all files or
   * about the configuration.
   */
  path: string | null;
  /**
   * The broken rule.
   */
  rule:
    | "file-size"
    | "file-count"
    | "patch-size"
    | "total-size"
    | "extension"
    | "file-name"
    | "symlink"
    | "git-folder"
    | "file-type"
    | "secret"
    | "campaign-pattern"
    | "campaign-folder"
    | "campaign-json"
    | "campaign-cursor"
    | "campaign-metrics";
  /**
   * The largest value that the rule allows; null if that is not a number.
   */
  limit: number | null;
  /**
   * The problem, and what to do about it.
   */
  message: string;
};

/**
 * A file of a memory.
 */
export type BranchFile = {
  /**
   * Its path, relative to the folder of the memory.
   */
  path: string;
  /**
   * Its size in bytes.
   */
  size: number;
};

/**
 * The memories of a configuration.
 */
export type BranchMemories = {
  /**
   * The memories, in the order of the configuration.
   */
  memories: BranchMemory[];
};

/**
 * A memory: where its files are, and the rules for them.
 */
export type BranchMemory = {
  /**
   * Its id: 1 to 100 letters, digits and `-`.
   */
  id: string;
  /**
   * The folder in which the agent works.
   */
  directory: string;
  /**
   * The folder as prompts show it, with a `/` at the end.
   */
  promptPath: string;
  /**
   * The name of the artifact that passes the folder on to the job that pushes it.
   */
  artifact: string;
  /**
   * The branch on which the files are kept.
   */
  branch: string;
  /**
   * The repository of the branch, as `owner/name`; null for the current one.
   */
  targetRepo: string | null;
  /**
   * The patterns of the files that are kept; null for every file, and an empty list for none.
   */
  fileGlob: string[] | null;
  /**
   * The extensions that files may have, in lower case with their dot; null for any.
   */
  allowedExtensions: string[] | null;
  /**
   * The maximum size of a file, in bytes.
   */
  maxFileSize: number;
  /**
   * The maximum number of files.
   */
  maxFileCount: number;
  /**
   * The maximum number of bytes that one push may add to the files in total; null for no limit.
   */
  maxPatchSize: number | null;
  /**
   * The maximum total size of all files, in bytes; null for no limit.
   */
  maxTotalSize: number | null;
  /**
   * The files that a push removes to stay within the total size.
   */
  cleanUp: "none" | "oldest";
  /**
   * The purpose of the memory; null if the configuration has none.
   */
  description: string | null;
  /**
   * Whether the branch is created if it does not exist.
   */
  createOrphan: boolean;
  /**
   * The campaign whose rules apply to the files; null for no campaign.
   */
  campaignId: string | null;
  /**
   * How a workflow compresses the artifact.
   */
  compression: "none" | "gzip" | "zstd";
  /**
   * Whether the artifact of a workflow has only what changed since the checkout.
   */
  incremental: boolean;
  /**
   * The snapshots that a workflow takes of the branch; null for none.
   */
  snapshots: BranchSnapshotPolicy | null;
};

/**
 * An artifact that was written.
 */
export type BranchPacked = {
  /**
   * Its path.
   */
  artifactPath: string;
  /**
   * Its size in bytes.
   */
  bytes: number;
  /**
   * The number of files that it names.
   */
  files: number;
  /**
   * The number of files whose contents it has. Those of the others are in the earlier artifact.
   */
  packed: number;
  /**
   * Whether it was written; false if the same artifact was already there.
   */
  written: boolean;
};

/**
 * The section of a prompt about memories.
 */
export type BranchPrompt = {
  /**
   * The section of a prompt, in Markdown; empty if there is no memory.
   */
  text: string;
};

/**
 * The result of a push.
 */
export type BranchPush = {
  /**
   * The commit that was pushed; null if there was nothing to push.
   */
  commit: string | null;
  /**
   * The commit that the files came from, with which they were compared; null if it is unknown or no
   * longer available. In that case, nothing was removed from the branch.
   */
  base: string | null;
  /**
   * The number of attempts to push.
   */
  attempts: number;
  /**
   * Whether others had changed the branch. The folder has their changes now.
   */
  merged: boolean;
  /**
   * The files in which a change of this folder replaced one of theirs, sorted.
   */
  conflicts: BranchConflict[];
  /**
   * The files that the push added to the branch, sorted.
   */
  added: string[];
  /**
   * The files that it changed on the branch, sorted.
   */
  changed: string[];
  /**
   * The files that it removed from the branch, sorted.
   */
  removed: string[];
  /**
   * The removed files that made room for new ones, sorted.
   */
  cleaned: string[];
  /**
   * The files of the folder that match no pattern, sorted. They are not pushed.
   */
  skipped: string[];
  /**
   * What may not be as it was meant, such as patterns that take no file.
   */
  warnings?: string[];
};

/**
 * The result of a rollback.
 */
export type BranchRollback = {
  /**
   * The commit with the files of the snapshot; null if the branch has the same files.
   */
  commit: string | null;
};

/**
 * A named state of a branch.
 */
export type BranchSnapshot = {
  /**
   * Its name.
   */
  tag: string;
  /**
   * The commit.
   */
  commit: string;
  /**
   * When it was taken, in RFC 3339.
   */
  time: string;
};

/**
 * The snapshots that a workflow takes of the branch.
 */
export type BranchSnapshotPolicy = {
  /**
   * How many are kept, the newest ones; null for all.
   */
  keep: number | null;
  /**
   * When one is taken.
   */
  on: "push" | "day" | "week";
};

/**
 * The snapshots of a branch.
 */
export type BranchSnapshots = {
  /**
   * The snapshots, newest first.
   */
  snapshots: BranchSnapshot[];
};

/**
 * An artifact that was unpacked.
 */
export type BranchUnpacked = {
  /**
   * The folder.
   */
  directory: string;
  /**
   * The size of the artifact in bytes.
   */
  bytes: number;
  /**
   * The number of files that it names.
   */
  files: number;
  /**
   * The files that were written or removed, sorted.
   */
  changed: string[];
  /**
   * The commit that the files come from, which the next push uses; null if it is unknown.
   */
  base: string | null;
  /**
   * The memory, as configured when the artifact was written.
   */
  entry: BranchMemory;
};

/**
 * The result of a validation.
 */
export type BranchValidation = {
  /**
   * Whether the files break no rule.
   */
  ok: boolean;
  /**
   * The files that would be pushed, sorted by path.
   */
  files: BranchFile[];
  /**
   * The files that match no pattern, sorted. They are not pushed.
   */
  skipped: string[];
  /**
   * Every broken rule.
   */
  rejected: BranchFault[];
  /**
   * The files in which a push would replace changes of others, sorted; empty unless the files were
   * merged.
   */
  conflicts: string[];
};

/**
 * The workflow that keeps memories.
 */
export type BranchWorkflow = {
  /**
   * The workflow, as YAML; empty if there is no memory.
   */
  yaml: string;
};

/**
 * A checkpoint of a job.
 */
export type Checkpoint = {
  /**
   * When it was saved, in milliseconds since the Unix epoch; at least one more than the job's
   * previous checkpoint.
   */
  timestamp: number;
};

/**
 * A client that was connected.
 */
export type ClientStatus = {
  /**
   * Its name: `claude-code`.
   */
  name: string;
  /**
   * When it was connected, RFC 3339 in UTC.
   */
  connectedAt: string;
  /**
   * Its files of configuration that name loopmem.
   */
  files: string[];
};

/**
 * The result of a completed consolidation.
 */
export type CompletedConsolidation = {
  /**
   * True if there is something to consolidate again: work arrived meanwhile, files were edited, or
   * one still cites a session that was withdrawn.
   */
  dirty: boolean;
  /**
   * The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session
   * that it is from; at most 100.
   */
  unsourced: number[];
};

/**
 * The result of a completed claim.
 */
export type CompletedStage1 = {
  /**
   * Whether the output was stored: false if it is empty, or older than what is stored.
   */
  stored: boolean;
};

/**
 * The claim of the consolidation.
 */
export type ConsolidationClaim = {
  /**
   * Claimed, or the reason why not.
   */
  outcome: "claimed" | "clean" | "running" | "backoff" | "exhausted";
  /**
   * Proves that the claim is the caller's; null unless it was claimed.
   */
  ownershipToken: string | null;
  /**
   * When the claim ends unless it is renewed; null unless it was claimed.
   */
  leaseUntil: string | null;
  /**
   * The sessions to consolidate, in the order of their ids; null unless it was claimed.
   */
  inputs: ConsolidationInput[] | null;
  /**
   * The changes of the inputs since the last consolidation, as a unified diff; null unless it was
   * claimed.
   */
  diff: string | null;
  /**
   * The files under the memory root that were edited since the last consolidation; null unless it
   * was claimed.
   */
  editedFiles: string[] | null;
  /**
   * The instructions for the model; null unless it was claimed.
   */
  prompt: string | null;
};

/**
 * One session among the inputs of a consolidation.
 */
export type ConsolidationInput = {
  /**
   * The thread.
   */
  threadId: string;
  /**
   * When the thread had changed last that the memory is of.
   */
  sourceUpdatedAt: string;
  /**
   * Its working folder; empty if it is unknown.
   */
  cwd: string;
  /**
   * The subject of the session and its outcome.
   */
  rolloutSummary: string;
  /**
   * The knowledge for later sessions.
   */
  rawMemory: string;
  /**
   * The number of times that its memory was used.
   */
  usageCount: number;
};

/**
 * The outcome of the consolidation.
 */
export type ConsolidationRun = {
  /**
   * The outcome.
   */
  outcome: "skipped" | "completed" | "failed" | "leaseLost" | "clean" | "running" | "backoff" | "exhausted";
  /**
   * The reason for which it failed; null if it did not.
   */
  reason: string | null;
  /**
   * True if there is something to consolidate again; null unless it succeeded.
   */
  dirty: boolean | null;
  /**
   * The files that were written or removed and have changed, relative to the memory root.
   */
  written: string[];
  /**
   * The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session
   * that it is from; at most 100.
   */
  unsourced: number[];
};

/**
 * The state of the consolidation.
 */
export type ConsolidationState = {
  /**
   * The outcome that a claim would have now.
   */
  outcome: "claimed" | "clean" | "running" | "backoff" | "exhausted";
  /**
   * The number of sessions that it would read.
   */
  inputs: number;
  /**
   * Its job; null if there was never anything to consolidate.
   */
  job: JobState | null;
};

/**
 * A context pack and a list of its contents.
 */
export type ContextPack = {
  /**
   * The pack, as Markdown. If something is left out, its last line says so. Empty if nothing is
   * stored.
   */
  text: string;
  /**
   * The records that each section includes, and those that did not fit.
   */
  sections: ContextSection[];
  /**
   * The last line of the text, if it says what is left out: `12 older notes left out`.
   */
  leftOut?: string;
  /**
   * A line for the user, not for a model, about memory of this repository that is not in the pack:
   * which it is, and the command that brings it.
   */
  notice?: string;
  /**
   * The memory that the notice is about, the most important first: of branches that were merged or
   * deleted, of the folder before it was moved or had another remote. If nothing is stored for this
   * branch or folder, also of its other branches and of other clones.
   */
  elsewhere?: MemoryElsewhere[];
};

/**
 * A section of a context pack.
 */
export type ContextSection = {
  /**
   * Its name.
   */
  name:
    | "standing"
    | "conventions"
    | "decisions"
    | "notes"
    | "files"
    | "summaries"
    | "context"
    | "log"
    | "recalled"
    | "rollouts"
    | "map";
  /**
   * The length of its text including the heading, in Unicode scalar values.
   */
  chars: number;
  /**
   * The included records: their ids or, for records without one, what identifies them, such as
   * `runId/stepId@timestamp`. What several records say is shown once.
   */
  included: string[];
  /**
   * The records that did not fit.
   */
  dropped: string[];
  /**
   * Those of the included records that another branch's memory provides: see `inheritFrom`.
   */
  inherited: string[];
  /**
   * The number of damaged records that were skipped, if any; `doctor.check` reports them.
   */
  skipped?: number;
};

/**
 * The sections of a context pack and their sizes: a number above 0 and up to 1 is a share of
 * `maxChars`, and a whole number above 1 a number of characters.
 */
export type ContextSizes = {
  /**
   * The size of the section `standing`. Default: the section is left out.
   */
  standing?: number;
  /**
   * The size of the section `conventions`. Default: the section is left out.
   */
  conventions?: number;
  /**
   * The size of the section `decisions`. Default: the section is left out.
   */
  decisions?: number;
  /**
   * The size of the section `notes`. Default: the section is left out.
   */
  notes?: number;
  /**
   * The size of the section `files`. Default: the section is left out.
   */
  files?: number;
  /**
   * The size of the section `summaries`. Default: the section is left out.
   */
  summaries?: number;
  /**
   * The size of the section `context`. Default: the section is left out.
   */
  context?: number;
  /**
   * The size of the section `log`. Default: the section is left out.
   */
  log?: number;
  /**
   * The size of the section `recalled`. Default: the section is left out.
   */
  recalled?: number;
  /**
   * The size of the section `rollouts`. Default: the section is left out.
   */
  rollouts?: number;
  /**
   * The size of the section `map`. Default: the section is left out.
   */
  map?: number;
};

/**
 * How things are done in this repository.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type Convention = {
  /**
   * Unique among the repository's records.
   */
  id: string;
  /**
   * A short title.
   */
  title: string;
  /**
   * The full text.
   */
  content: string;
  /**
   * Tags to find it by.
   */
  tags: string[];
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last updated, RFC 3339 in UTC.
   */
  updatedAt: string;
  /**
   * The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
   */
  inheritedFrom?: string;
};

/**
 * A convention to store. If a convention with its id is stored, that one is updated and keeps the
 * fields omitted here.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type ConventionDraft = {
  /**
   * The id of the record to update or create. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * A short title. Required for a new convention.
   */
  title?: string | null | undefined;
  /**
   * The full text. Required for a new convention.
   */
  content?: string | null | undefined;
  /**
   * Tags to find it by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
  /**
   * Fields of your own. They are redacted and stored beside the others, and read back there.
   */
  extra?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
};

/**
 * How often an item was recalled and used.
 */
export type Counters = {
  /**
   * How often a recall returned it.
   */
  seen_count: number;
  /**
   * How often the host said that it used it.
   */
  used_count: number;
  /**
   * When it was last used, RFC 3339 in UTC.
   */
  last_used_at?: string;
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
   * The reasons.
   */
  rationale: string;
  /**
   * Files and folders that the decision affects.
   */
  impactedPaths: string[];
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last updated, RFC 3339 in UTC.
   */
  updatedAt: string;
  /**
   * The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
   */
  inheritedFrom?: string;
};

/**
 * A decision to store. If a decision with its id is stored, that one is updated and keeps the
 * fields omitted here.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type DecisionDraft = {
  /**
   * The id of the record to update or create. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * The decision, on one line: a line break becomes a space. Required for a new decision.
   */
  summary?: string | null | undefined;
  /**
   * The reasons. Required for a new decision.
   */
  rationale?: string | null | undefined;
  /**
   * Files and folders that the decision affects, relative to the repository. Default: none.
   */
  impactedPaths?: readonly string[] | null | undefined;
  /**
   * Fields of your own. They are redacted and stored beside the others, and read back there.
   */
  extra?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
};

/**
 * The number of files that were checked, and of findings by severity. Each finding counts once.
 */
export type DoctorCounts = {
  /**
   * Files that were checked.
   */
  files: number;
  /**
   * Repositories that have a folder.
   */
  repositories: number;
  /**
   * Errors that were not repaired.
   */
  errors: number;
  /**
   * Warnings that were not repaired.
   */
  warnings: number;
  /**
   * Findings that need no action.
   */
  infos: number;
  /**
   * Errors and warnings that were repaired.
   */
  repaired: number;
};

/**
 * The result of a check.
 */
export type DoctorReport = {
  /**
   * What is wrong or worth knowing, grouped by file.
   */
  findings: Finding[];
  /**
   * False positives of rules, allowed by `redaction.toml` and by the options of the store.
   */
  allowances: Allowance[];
  /**
   * The number of files and findings.
   */
  counts: DoctorCounts;
};

/**
 * An archive that was written.
 */
export type ExportedArchive = {
  /**
   * Its path.
   */
  path: string;
  /**
   * Its size in bytes.
   */
  bytes: number;
  /**
   * The number of repositories, each branch and work tree counted, of which it has something.
   */
  repositories: number;
  /**
   * What it has, by rooms.
   */
  rooms: ExportedRoom[];
  /**
   * What could not be read, and why.
   */
  faults: string[];
};

/**
 * Exported items.
 */
export type ExportedItems = {
  /**
   * The items, if they were not written to a file.
   */
  items?: Item[];
  /**
   * How many items there are.
   */
  count: number;
};

/**
 * The records of one room in an archive.
 */
export type ExportedRoom = {
  /**
   * The room: `memory`. What every room shares of a repository is that of `repo`: its names and its
   * trash.
   */
  room: string;
  /**
   * The number of records.
   */
  records: number;
  /**
   * The number of damaged records that were left out; `doctor.check` lists them.
   */
  skipped: number;
};

/**
 * The state after a failed attempt.
 */
export type FailedJob = {
  /**
   * The number of attempts left before the input changes.
   */
  retriesLeft: number;
  /**
   * When the next one may begin; null if none is left.
   */
  retryAt: string | null;
};

/**
 * What a memory tool answers.
 */
export type FileAnswer = {
  /**
   * The answer for the model, as Anthropic's memory tool words it.
   */
  text: string;
};

/**
 * A file of the folder.
 */
export type FileEntry = {
  /**
   * Its path, which begins with `/memories/`.
   */
  path: string;
  /**
   * Its size in bytes.
   */
  bytes: number;
  /**
   * When it was changed last, RFC 3339 in UTC.
   */
  modifiedAt: string;
  /**
   * Its first line that is not empty, at most 200 characters; null if it has none, or is not text
   * in UTF-8.
   */
  firstLine: string | null;
};

/**
 * What a check found about a file.
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
    | "superseded"
    | "invalidValue"
    | "unknownOwner"
    | "setAside"
    | "unsupported";
  /**
   * How severe it is: `error` if loopmem cannot use the file, `warning` if it should be repaired.
   */
  severity: "error" | "warning" | "info";
  /**
   * What it means, and what a fix would do or did about it. Contains no text of a record.
   */
  detail: string;
  /**
   * Whether it was repaired.
   */
  repaired: boolean;
};

/**
 * What was removed of a repository.
 */
export type Forgotten = {
  /**
   * The identities of which something was stored.
   */
  identities: ForgottenRepo[];
  /**
   * The number of records that were removed, of all identities.
   */
  removed: MigrationCounts;
  /**
   * Whether `sync` was on, and is off now: otherwise its next run would have brought the records
   * back.
   */
  wasSynchronized: boolean;
};

/**
 * What was removed under one hash.
 */
export type ForgottenRepo = {
  /**
   * The hash.
   */
  repoHash: string;
  /**
   * Its folder, if it is known.
   */
  path: string | null;
  /**
   * Its remote URL, if it is known.
   */
  remoteUrl: string | null;
  /**
   * Its branch, if it is known.
   */
  branch: string | null;
  /**
   * The number of records that were removed.
   */
  removed: MigrationCounts;
};

/**
 * The result of forgetting one session.
 */
export type ForgottenThread = {
  /**
   * Whether it was forgotten now: false if it was forgotten before.
   */
  forgotten: boolean;
  /**
   * True if it was registered. If not, it is never registered.
   */
  registered: boolean;
  /**
   * The files that were removed, relative to the memory root.
   */
  removed: string[];
};

/**
 * What the hook of an event did last.
 */
export type HookStatus = {
  /**
   * The event: `SessionStart`.
   */
  event: string;
  /**
   * When it ran last, RFC 3339 in UTC, whether it succeeded or not.
   */
  lastRun: string | null;
  /**
   * When it failed last, RFC 3339 in UTC; null if it never did.
   */
  lastFailure: string | null;
  /**
   * Why it failed then; of a hook in another folder, only the code of the error.
   */
  lastError: string | null;
};

/**
 * What was brought from an archive.
 */
export type ImportedArchive = {
  /**
   * What was brought, by rooms.
   */
  rooms: ImportedRoom[];
  /**
   * The repositories in the archive, each branch and work tree counted.
   */
  identities: ImportedRepo[];
  /**
   * The number of lines of the archive that are damaged.
   */
  skipped: number;
};

/**
 * The result of an import.
 */
export type ImportedItems = {
  /**
   * Items that were added.
   */
  added: number;
  /**
   * Stored items that were replaced.
   */
  changed: number;
  /**
   * Stored items that stay as they are.
   */
  unchanged: number;
  /**
   * What was not imported.
   */
  skipped: SkippedItem[];
};

/**
 * A repository whose memory was brought from an archive.
 */
export type ImportedRepo = {
  /**
   * The hash under which it was stored there.
   */
  fromRepoHash: string;
  /**
   * The one under which it is stored here.
   */
  repoHash: string;
  /**
   * Its folder here; null if that is not known.
   */
  path: string | null;
  /**
   * Its branch; null if it has none, if all branches share the memory, or if that is not known.
   */
  branch: string | null;
};

/**
 * The records of one room that were brought from an archive.
 */
export type ImportedRoom = {
  /**
   * The room: `memory`.
   */
  room: string;
  /**
   * Records that were not here.
   */
  copied: number;
  /**
   * Records of which the archive has a newer version, which is here now.
   */
  merged: number;
  /**
   * Records that are the same here.
   */
  deduplicated: number;
  /**
   * Records of which both have a version: the newer one is here now, the other one in the trash.
   * `isTheirs` is true if that is the one of the archive.
   */
  keptAside: KeptAside[];
  /**
   * Summaries that were not copied because the limits exclude them as too old, and removed records
   * for which the trash has no room.
   */
  left: number;
  /**
   * Summaries that were removed here to make room for newer ones.
   */
  pruned: number;
  /**
   * Records that were not brought: damaged ones, and those whose ids look like secrets or whose
   * folder is not there.
   */
  skipped: number;
  /**
   * Why records were skipped that are not damaged.
   */
  faults: string[];
};

/**
 * A memory that comes back when it matters.
 */
export type Item = {
  /**
   * Its id: a UUID, or any text if it was imported.
   */
  id: string;
  /**
   * When it was created, RFC 3339 in UTC.
   */
  created_at: string;
  /**
   * When it was last changed, RFC 3339 in UTC.
   */
  updated_at: string;
  /**
   * Where it applies.
   */
  scope: "repo" | "dir" | "global";
  /**
   * Whether it can be recalled.
   */
  status: "active" | "archived";
  /**
   * What kind of memory it is.
   */
  type: "pref" | "fact" | "instruction" | "profile" | "note";
  /**
   * The memory, in one or a few sentences.
   */
  content: string;
  /**
   * Tags to find it by. Items with the tag `history` are never recalled.
   */
  tags: string[];
  /**
   * When it is relevant.
   */
  relevance_hints: RelevanceHints;
  /**
   * How often it was recalled and used.
   */
  counters: Counters;
  /**
   * When it expires, RFC 3339 in UTC; it is not recalled afterwards.
   */
  expiry?: string;
  /**
   * The session that it was said in.
   */
  session?: string;
  /**
   * Its position in the session.
   */
  seq?: number;
  /**
   * Its embedding vector.
   */
  embedding?: number[];
  /**
   * False for an item that is never recalled.
   */
  recallable?: boolean;
};

/**
 * A change to an item. A field that is omitted keeps its value; the empty string or list clears it.
 */
export type ItemPatch = {
  /**
   * What kind of memory it is.
   */
  type?: "pref" | "fact" | "instruction" | "profile" | "note" | null | undefined;
  /**
   * The memory, in one or a few sentences.
   */
  content?: string | null | undefined;
  /**
   * Tags to find it by.
   */
  tags?: readonly string[] | null | undefined;
  /**
   * When it is relevant.
   */
  relevance_hints?: RelevanceHints | null | undefined;
  /**
   * When it expires: an RFC 3339 time, or a duration from now such as `30d`. Empty: never.
   */
  expiry?: string | null | undefined;
  /**
   * The session that it was said in. Empty: none, and no position in it.
   */
  session?: string | null | undefined;
  /**
   * Its position in the session.
   */
  seq?: number | null | undefined;
  /**
   * Its embedding vector. Empty: none.
   */
  embedding?: readonly number[] | null | undefined;
  /**
   * Whether it may be recalled.
   */
  recallable?: boolean | null | undefined;
};

/**
 * How many items of a scope there are.
 */
export type ItemScopeStats = {
  /**
   * Those that are active and have not expired.
   */
  active: number;
  /**
   * Those that are archived.
   */
  archived: number;
  /**
   * Those that are active but have expired.
   */
  expired: number;
};

/**
 * How many items there are.
 */
export type ItemStats = {
  /**
   * All items.
   */
  items: number;
  /**
   * Those that are active and have not expired.
   */
  active: number;
  /**
   * Those that are archived.
   */
  archived: number;
  /**
   * Those that are active but have expired.
   */
  expired: number;
  /**
   * Records that are not items, and are kept as they are; `doctor.check` lists them.
   */
  damaged: number;
  /**
   * Records with the id of another one that was changed later; only that one counts.
   */
  duplicates: number;
  /**
   * Active items with the text of another one.
   */
  repeated: number;
  /**
   * The counts of each scope that has items.
   */
  scopes: { [key: string]: JsonValue };
};

/**
 * The number of jobs of threads in each state.
 */
export type JobCounts = {
  /**
   * A worker has them.
   */
  running: number;
  /**
   * Their worker did not come back in time.
   */
  stale: number;
  /**
   * They succeeded.
   */
  done: number;
  /**
   * They failed, and wait for the next attempt.
   */
  failed: number;
  /**
   * They failed, and no attempt is left before the thread changes.
   */
  exhausted: number;
};

/**
 * The state of a job.
 */
export type JobState = {
  /**
   * `pending`, `running`, `done` or `failed`.
   */
  status: string;
  /**
   * The worker that claimed it last; null if it was never claimed.
   */
  workerId: string | null;
  /**
   * When it was claimed last.
   */
  startedAt: string | null;
  /**
   * When the claim ends; null if there is none. If this is in the past, the worker did not come
   * back.
   */
  leaseUntil: string | null;
  /**
   * When the last claim ended.
   */
  finishedAt: string | null;
  /**
   * When the next attempt may begin after a failure.
   */
  retryAt: string | null;
  /**
   * The number of attempts left before the input changes.
   */
  retriesLeft: number;
  /**
   * The reason for which the last attempt failed; null if it did not.
   */
  lastError: string | null;
};

/**
 * A record of which both sides had a version, each with changes of its own.
 */
export type KeptAside = {
  /**
   * Its kind.
   */
  kind: string;
  /**
   * Its id.
   */
  id: string;
  /**
   * Whether the version from the other identity is the one in the trash, because it is older; false
   * for the version that was here.
   */
  isTheirs: boolean;
};

/**
 * A repository that has stored data.
 */
export type KnownRepo = {
  /**
   * The hash under which its memory is stored.
   */
  repoHash: string;
  /**
   * Its folder; null if data was only ever stored by hash.
   */
  path: string | null;
  /**
   * Its remote URL without credentials; null if it has none or the URL is not known.
   */
  remoteUrl: string | null;
  /**
   * Its branch; null if it has none, if all branches share the memory, or if it is not known.
   */
  branch: string | null;
  /**
   * When something was last stored, RFC 3339 in UTC.
   */
  modifiedAt: string;
  /**
   * The size of the stored data, in bytes.
   */
  bytes: number;
  /**
   * The number of records by kind; null if they cannot be read.
   */
  counts: MigrationCounts | null;
};

/**
 * A number that a room keeps of something at most.
 */
export type Limit = {
  /**
   * Its key in the configuration: `memory.summariesMaxEntries`.
   */
  name: string;
  /**
   * How much there is.
   */
  used: number;
  /**
   * How much is kept at most.
   */
  limit: number;
};

/**
 * One thread of a list.
 */
export type ListedThread = {
  /**
   * The thread.
   */
  threadId: string;
  /**
   * When it changed last.
   */
  updatedAt: string;
  /**
   * Its working folder; empty if it is unknown.
   */
  cwd: string;
  /**
   * The reason for which it is or is not extracted.
   */
  reason:
    | "due"
    | "capReached"
    | "running"
    | "upToDate"
    | "notIdle"
    | "tooOld"
    | "archived"
    | "transcriptMissing"
    | "notInteractive"
    | "disabled"
    | "polluted"
    | "backoff"
    | "exhausted"
    | "reset"
    | "forgotten"
    | "notRegistered";
  /**
   * The same in a sentence.
   */
  detail: string;
};

/**
 * A file of a map.
 */
export type MappedFile = {
  /**
   * Its path, relative to the repository.
   */
  path: string;
  /**
   * How relevant it is; higher is better. Scores of different maps cannot be compared.
   */
  score: number;
  /**
   * The names of the definitions that the map shows.
   */
  symbols: string[];
};

/**
 * The files that a rebuild changed. Paths are relative to the memory root.
 */
export type MaterializedFiles = {
  /**
   * The files that were written, because their contents changed.
   */
  written: string[];
  /**
   * The files that were removed, because what they were of is gone.
   */
  removed: string[];
  /**
   * The new names of files that another program or a person had changed or created.
   */
  setAside: string[];
};

/**
 * Memory that is stored under another hash.
 */
export type MemoryElsewhere = {
  /**
   * The hash under which it is stored, for `repo.adopt`.
   */
  repoHash: string;
  /**
   * Its branch; null if it has none or all branches share the memory.
   */
  branch: string | null;
  /**
   * Its folder.
   */
  path: string | null;
  /**
   * The URL of its remote, without credentials; null if it has none.
   */
  remoteUrl: string | null;
};

/**
 * A stored log entry.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntry = {
  /**
   * The entry's id.
   */
  id: string;
  /**
   * What happened.
   */
  content: string;
  /**
   * Its origin.
   */
  metadata: MemoryEntryMetadata;
};

/**
 * An entry to add to a log.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryDraft = {
  /**
   * The entry's id. Default: generated.
   */
  id?: string | null | undefined;
  /**
   * What happened.
   */
  content: string;
  /**
   * Its origin.
   */
  metadata?: MemoryEntryMetadataDraft | null | undefined;
};

/**
 * The origin of an entry.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryMetadata = {
  /**
   * Who added it, such as `user` or `agent-x`.
   */
  source: string;
  /**
   * The time, in milliseconds since 1970.
   */
  timestamp: number;
  /**
   * Its embedding vector, for `working.searchLogs`.
   */
  embedding?: number[];
};

/**
 * The origin of an entry.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type MemoryEntryMetadataDraft = {
  /**
   * Who added it, such as `user` or `agent-x`. Default: `unknown`.
   */
  source?: string | null | undefined;
  /**
   * The time, in milliseconds since 1970. Default: now.
   */
  timestamp?: number | null | undefined;
  /**
   * Its embedding vector, for `working.searchLogs`.
   */
  embedding?: readonly number[] | null | undefined;
};

/**
 * A file of the memory root that agents may read.
 */
export type MemoryFile = {
  /**
   * Its path below the memory root: `MEMORY.md`, `memory_summary.md` or `skills/NAME/SKILL.md`.
   */
  path: string;
  /**
   * What it is for. Of a skill, its own description.
   */
  about: string;
  /**
   * Its text as far as it is about this repository or the user; absent unless it was asked for.
   */
  text?: string;
};

/**
 * The files that agents may read.
 */
export type MemoryFiles = {
  /**
   * The memory root.
   */
  root: string;
  /**
   * The summary and the memory first, then the skills by name.
   */
  files: MemoryFile[];
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
 * A file that was merged.
 */
export type MergedFile = {
  /**
   * The outcome.
   */
  outcome: "merged" | "conflict" | "otherFormat";
  /**
   * The ids of the records that both sides changed, at most 100.
   */
  records: string[];
};

/**
 * The result of a migration.
 */
export type MigratedItems = {
  /**
   * Items that were copied.
   */
  copied: number;
  /**
   * Records that were not copied: the sum of the following ones.
   */
  skipped: number;
  /**
   * Items that the target has already.
   */
  present: number;
  /**
   * Records that are not items; `doctor.check` lists them.
   */
  damaged: number;
  /**
   * Records with the id of another one that was changed later, which was copied.
   */
  duplicates: number;
};

/**
 * The result of a migration of older files.
 */
export type MigratedLegacyItems = {
  /**
   * Lines that were copied as items that can be recalled.
   */
  copied: number;
  /**
   * Events that were copied as archived items with the tag `history`.
   */
  history: number;
  /**
   * Lines that were copied before.
   */
  unchanged: number;
  /**
   * Lines that were not copied.
   */
  skipped: SkippedLegacyItem[];
};

/**
 * The result of the migration of an older memory.
 */
export type MigratedLegacyRoot = {
  /**
   * The new paths of the entries that were moved, relative to the memory root.
   */
  moved: string[];
  /**
   * The entries that were not moved because the root has one of the same name already.
   */
  skipped: string[];
  /**
   * The reason for which nothing was moved; null if something was.
   */
  reason: string | null;
};

/**
 * The result of a migration.
 */
export type Migration = {
  /**
   * Records that were copied.
   */
  copied: MigrationCounts;
  /**
   * Records that already existed in the target.
   */
  deduplicated: MigrationCounts;
  /**
   * Records of the source that were not copied because the target's limits exclude them as too old.
   */
  left: number;
  /**
   * Records of the target that were removed to make room for newer ones.
   */
  pruned: number;
  /**
   * Damaged records of the source, if any, which were not copied.
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
  /**
   * Files that a model keeps by itself.
   */
  files: number;
};

/**
 * What was stored for one branch or work tree of a folder that was moved.
 */
export type MovedRepo = {
  /**
   * The hash under which it was stored.
   */
  fromRepoHash: string;
  /**
   * The one under which it is stored now; null if that is not known.
   */
  repoHash: string | null;
  /**
   * The folder now.
   */
  path: string;
  /**
   * Its branch; null if it has none, or all branches share the memory.
   */
  branch: string | null;
  /**
   * The number of records of each kind that were copied.
   */
  copied: MigrationCounts;
  /**
   * Records of which both had a version: the newer one is there now, and the other one in the
   * trash.
   */
  keptAside: KeptAside[];
  /**
   * Summaries that were not copied because the limits exclude them as too old.
   */
  left: number;
  /**
   * Summaries that were removed there to make room for newer ones.
   */
  pruned: number;
  /**
   * Damaged records, if any, which were not copied.
   */
  skipped?: number;
  /**
   * Why it was not moved, if it was not.
   */
  fault?: string;
};

/**
 * Everything that was stored for a folder that was moved.
 */
export type Moving = {
  /**
   * Its branches and work trees, by their hashes.
   */
  identities: MovedRepo[];
};

/**
 * Anything else worth remembering.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type Note = {
  /**
   * Unique among the repository's records.
   */
  id: string;
  /**
   * The text.
   */
  content: string;
  /**
   * Who wrote it.
   */
  source: "manual" | "agent" | "tool";
  /**
   * Tags to find it by.
   */
  tags?: string[];
  /**
   * When it was first stored, RFC 3339 in UTC.
   */
  createdAt: string;
  /**
   * When it was last updated, RFC 3339 in UTC.
   */
  updatedAt: string;
  /**
   * The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
   */
  inheritedFrom?: string;
};

/**
 * A note to store. If a note with its id is stored, that one is updated and keeps the fields
 * omitted here.
 *
 * May have fields of your own: see `WithUnknown`.
 */
export type NoteDraft = {
  /**
   * The id of the record to update or create. Default: a new UUID version 7.
   */
  id?: string | null | undefined;
  /**
   * The text. Required for a new note.
   */
  content?: string | null | undefined;
  /**
   * Who wrote it. Default: `agent`.
   */
  source?: "manual" | "agent" | "tool" | null | undefined;
  /**
   * Tags to find it by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
  /**
   * Fields of your own. They are redacted and stored beside the others, and read back there.
   */
  extra?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
};

/**
 * Whether a pattern matches a path.
 */
export type PatternMatch = {
  /**
   * Whether it does.
   */
  match: boolean;
};

/**
 * The snapshots that were removed.
 */
export type PrunedSnapshots = {
  /**
   * Their names, newest first.
   */
  removed: string[];
};

/**
 * What a recall returns.
 */
export type Recall = {
  /**
   * The standing items and those that match as text for a prompt, as far as they fit; empty if
   * there are none.
   */
  preamble: string;
  /**
   * The user's preferences: first those that apply to every prompt, then those whose hints fit,
   * each of the nearest scope first. The preamble begins with them.
   */
  standing: Item[];
  /**
   * How many preferences apply, but do not fit.
   */
  standingDropped: number;
  /**
   * How many preferences were not added from this home. They are data until `items.trust` trusts
   * their folder.
   */
  untrusted: number;
  /**
   * The items that match, the most relevant first.
   */
  items: RecalledItem[];
  /**
   * How many items could have been recalled. 0 means that no stored item can be recalled here.
   */
  considered: number;
  /**
   * How many items match well enough but are beyond the limit.
   */
  dropped: number;
};

/**
 * A recalled item.
 */
export type RecalledItem = {
  /**
   * The item.
   */
  item: Item;
  /**
   * How well it matches, from 0 to 1: how sure it is that an item answers the prompt, for the best
   * one, and less for those that match less. It means the same for all prompts and all items.
   */
  score: number;
  /**
   * Why it was recalled.
   */
  reasons: string[];
  /**
   * Whether the preamble includes it.
   */
  inPreamble: boolean;
};

/**
 * How many sessions were counted.
 */
export type RecordedUsage = {
  /**
   * Of how many of the sessions there is a memory.
   */
  updated: number;
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
   * The positions of the secrets in the text that was passed, in order and without overlaps.
   */
  findings: SecretFinding[];
};

/**
 * Secrets that one rule found in one field of what a call stores. They were replaced by
 * placeholders.
 */
export type Redaction = {
  /**
   * The method that was called, such as `memory.upsertNote`.
   */
  method: string;
  /**
   * The path of the field in the record, such as `metadata.headers`; elements of a list have that
   * of the list. It contains no secret.
   */
  field: string;
  /**
   * The id of the rule.
   */
  rule: string;
  /**
   * How many secrets were redacted.
   */
  count: number;
};

/**
 * What a refresh did.
 */
export type RefreshedIndex = {
  /**
   * The files of the work tree, including those that are not read: binary and large ones.
   */
  files: number;
  /**
   * Contents that were parsed.
   */
  parsed: number;
  /**
   * Contents that were known already.
   */
  reused: number;
  /**
   * Files that are gone since the last refresh.
   */
  removed: number;
  /**
   * How long it took, in milliseconds.
   */
  elapsedMs: number;
};

/**
 * Another identity of a repository, with memory that is not here.
 */
export type Relative = {
  /**
   * The hash under which its memory is stored.
   */
  repoHash: string;
  /**
   * Its folder.
   */
  path: string | null;
  /**
   * Its remote URL without credentials; null if it has none.
   */
  remoteUrl: string | null;
  /**
   * Its branch; null if it has none, or all branches share the memory.
   */
  branch: string | null;
  /**
   * How it is related.
   */
  relation: "branch" | "commit" | "remote" | "moved" | "clone";
  /**
   * What it is, for people: `branch feature (merged on 2026-03-01)`.
   */
  reason: string;
  /**
   * The number of records of each kind that are new here, or newer than here.
   */
  counts: MigrationCounts;
  /**
   * The command that brings them.
   */
  command: string;
  /**
   * Why they cannot be read, if they cannot.
   */
  fault?: string;
};

/**
 * When an item is relevant.
 */
export type RelevanceHints = {
  /**
   * Files and folders that it is about, relative to the repository.
   */
  files?: readonly string[] | null | undefined;
  /**
   * Packages that it is about.
   */
  crates?: readonly string[] | null | undefined;
  /**
   * Programming languages that it is about.
   */
  langs?: readonly string[] | null | undefined;
};

/**
 * Whether something was removed.
 */
export type Removed = {
  /**
   * False if there was nothing to remove.
   */
  removed: boolean;
};

/**
 * How many records were removed.
 */
export type RemovedRecords = {
  /**
   * False if there was nothing to remove, and in a dry run.
   */
  removed: boolean;
  /**
   * How many records were removed or, in a dry run, would be.
   */
  count: number;
};

/**
 * When a claim ends.
 */
export type RenewedLease = {
  /**
   * When it ends unless it is renewed again.
   */
  leaseUntil: string;
};

/**
 * The identity of a workspace.
 */
export type RepoIdentity = {
  /**
   * The hash under which its memory is stored: SHA-256 in hex.
   */
  repoHash: string;
  /**
   * The top level of the work tree, or the folder itself outside a repository. In `sharedRepo`
   * scope, that of the main work tree, or the git directory if the repository is bare or its git
   * directory is separate.
   */
  path: string;
  /**
   * The remote's URL without credentials; null if there is none.
   */
  remoteUrl: string | null;
  /**
   * The branch, without secrets; null if HEAD is detached or this is not a repository.
   */
  branch: string | null;
  /**
   * The commit of HEAD; null before the first commit or if this is not a repository.
   */
  commit: string | null;
  /**
   * Whether HEAD is detached.
   */
  detached: boolean;
  /**
   * The scope of the memory that `repoHash` identifies.
   */
  branchScope: "perBranch" | "sharedRepo";
};

/**
 * A map of a repository.
 */
export type RepoMap = {
  /**
   * The map: for each file a line with its path and a colon, then a line for each definition, after
   * two blanks.
   */
  text: string;
  /**
   * The files of the map, the most relevant first.
   */
  files: MappedFile[];
};

/**
 * Everything stored for a repository.
 */
export type RepoMemory = {
  /**
   * The conventions, oldest first.
   */
  conventions: Convention[];
  /**
   * The decisions, oldest first.
   */
  decisions: Decision[];
  /**
   * The notes, oldest first.
   */
  notes: Note[];
  /**
   * The step summaries, newest first.
   */
  summaries: Summary[];
  /**
   * The number of damaged lines in the file of summaries that were skipped, if any; `doctor.check`
   * reports them.
   */
  skippedSummaries?: number;
};

/**
 * A definition in the repository.
 */
export type RepoSymbol = {
  /**
   * Its name.
   */
  name: string;
  /**
   * What it is.
   */
  kind:
    | "function"
    | "method"
    | "class"
    | "struct"
    | "enum"
    | "interface"
    | "type"
    | "module"
    | "constant"
    | "variable"
    | "macro"
    | "field"
    | "heading"
    | "table"
    | "message"
    | "selector"
    | "key";
  /**
   * Its file, relative to the repository.
   */
  path: string;
  /**
   * The number of its line, from 1.
   */
  line: number;
  /**
   * Its declaration on one line, without a body.
   */
  signature: string;
};

/**
 * The result of a reset.
 */
export type ResetRollouts = {
  /**
   * The number of outputs.
   */
  outputs: number;
  /**
   * The number of jobs.
   */
  jobs: number;
  /**
   * The files that were removed, relative to the memory root.
   */
  removed: string[];
};

/**
 * The threads that are due again.
 */
export type RetriedRollouts = {
  /**
   * The threads, in the order of their ids.
   */
  threadIds: string[];
  /**
   * True if the consolidation is.
   */
  consolidation: boolean;
};

/**
 * The result of a run.
 */
export type RolloutsRun = {
  /**
   * The sessions that were worked on, the newest first.
   */
  threads: RunThread[];
  /**
   * True if the run gave up after three failures without a success between them. The remaining
   * sessions were not tried.
   */
  gaveUp: boolean;
  /**
   * The consolidation.
   */
  consolidation: ConsolidationRun;
};

/**
 * The progress of all threads.
 */
export type RolloutsStatus = {
  /**
   * The threads by state.
   */
  threads: ThreadCounts;
  /**
   * The jobs of threads by state.
   */
  jobs: JobCounts;
  /**
   * The number of threads that are being worked on.
   */
  running: number;
  /**
   * The maximum number of them.
   */
  cap: number;
  /**
   * When the next thread becomes due: it has been idle for long enough, its wait after a failure is
   * over, or the lease of its worker ends. Null if none is going to be.
   */
  nextDue: string | null;
  /**
   * The consolidation.
   */
  consolidation: ConsolidationState;
  /**
   * The memory root.
   */
  root: string;
  /**
   * True if an older program left a memory that `rollouts.migrateLegacyRoot` would move.
   */
  legacyRoot: boolean;
};

/**
 * What a room stores.
 */
export type RoomStatus = {
  /**
   * Its name.
   */
  room: string;
  /**
   * The number of its records by kind.
   */
  records: { [key: string]: JsonValue };
  /**
   * The size of its files, in bytes; 0 if they are not files of the home or of the repository.
   */
  bytes: number;
};

/**
 * One session that was worked on.
 */
export type RunThread = {
  /**
   * The thread.
   */
  threadId: string;
  /**
   * The outcome.
   */
  outcome: "stored" | "empty" | "failed" | "transcriptMissing" | "leaseLost";
  /**
   * The reason for which it failed; null if it did not.
   */
  reason: string | null;
};

/**
 * A remote URL without credentials.
 */
export type SanitizedUrl = {
  /**
   * The URL.
   */
  url: string;
};

/**
 * The result of a scan.
 */
export type ScannedTranscripts = {
  /**
   * The number of transcripts.
   */
  found: number;
  /**
   * The number of those of sessions that were not known.
   */
  new: number;
  /**
   * The number of those of known sessions that changed.
   */
  changed: number;
  /**
   * The number of those that did not change since the last scan.
   */
  unchanged: number;
  /**
   * Those that were not registered.
   */
  skipped: SkippedTranscript[];
};

/**
 * A search result.
 */
export type ScoredEntry = {
  /**
   * The entry.
   */
  entry: MemoryEntry;
  /**
   * How well it matches; higher is better. For embeddings, the cosine similarity from -1 to 1.
   */
  score: number;
};

/**
 * A record that was found.
 */
export type SearchHit = {
  /**
   * The room that it is from: `memory`.
   */
  room: string;
  /**
   * Its kind: `note`.
   */
  kind: string;
  /**
   * Its id. That of a file is its path.
   */
  id: string;
  /**
   * The hash that it is stored for; null if it belongs to no repository, or is an item or a file of
   * a folder.
   */
  repoHash: string | null;
  /**
   * The branch of that hash, if it is known.
   */
  branch: string | null;
  /**
   * The folder of the repository, or the one that an item is about, if it is known.
   */
  folder: string | null;
  /**
   * When it was changed last, RFC 3339, if that is known.
   */
  time: string | null;
  /**
   * Its title; null if it has none.
   */
  title: string | null;
  /**
   * Up to three of its lines, those that match best; all of them if that was asked for.
   */
  text: string;
  /**
   * Its tags.
   */
  tags: string[];
  /**
   * The files that it is about.
   */
  files: string[];
  /**
   * How well it matches; higher is better. Comparable within one answer.
   */
  score: number;
  /**
   * The words of the query that it has.
   */
  words: string[];
};

/**
 * The result of a search.
 */
export type SearchResult = {
  /**
   * The hits, the best first.
   */
  hits: SearchHit[];
  /**
   * The number of records that were compared.
   */
  considered: number;
  /**
   * What could not be read, and why.
   */
  faults: string[];
};

/**
 * The position of a secret in a text.
 */
export type SecretFinding = {
  /**
   * The id of the rule that found it.
   */
  rule: string;
  /**
   * Where the secret begins in the text that was passed, as an index into the language's own
   * strings: UTF-16 code units in the typed methods of TypeScript, code points in those of Python,
   * UTF-8 bytes everywhere else.
   */
  start: number;
  /**
   * Where it ends, exclusive, in the units of `start`.
   */
  end: number;
  /**
   * Ten hex digits; equal secrets have equal tags.
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
 * A line that was not imported.
 */
export type SkippedItem = {
  /**
   * Its number, from 1.
   */
  line: number;
  /**
   * Why: the code of an error.
   */
  code: string;
  /**
   * What is wrong with it.
   */
  message: string;
};

/**
 * A line of an older file that was not copied.
 */
export type SkippedLegacyItem = {
  /**
   * Its file.
   */
  path: string;
  /**
   * Its number, from 1.
   */
  line: number;
  /**
   * Why: the code of an error.
   */
  code: string;
  /**
   * What is wrong with it.
   */
  message: string;
};

/**
 * A transcript that was not registered.
 */
export type SkippedTranscript = {
  /**
   * Its path.
   */
  path: string;
  /**
   * The reason: `subagent`, `extraction`, `noSession`, `forgotten`, `secret`, `invalid` or
   * `unreadable`.
   */
  reason: string;
};

/**
 * The answer of a model.
 *
 * `summary` and `rawMemory`, the names that older prompts ask for, are accepted as well; see
 * `docs/ROLLOUTS.md`.
 */
export type Stage1Answer = {
  /**
   * A short name of the session. Accepted, stored, and not used in the names of files.
   */
  rollout_slug?: string;
  /**
   * The subject of the session and its outcome.
   */
  rollout_summary?: string;
  /**
   * The knowledge for later sessions.
   */
  raw_memory?: string;
};

/**
 * A thread that a worker may work on.
 */
export type Stage1Claim = {
  /**
   * The thread.
   */
  threadId: string;
  /**
   * Proves that the claim is the caller's: pass it to each call about the claim.
   */
  ownershipToken: string;
  /**
   * When the claim ends unless it is renewed.
   */
  leaseUntil: string;
  /**
   * When the thread changed last: what the extracted memory is of.
   */
  sourceUpdatedAt: string;
  /**
   * The path of its transcript.
   */
  rolloutPath: string;
};

/**
 * The claims of a call.
 */
export type Stage1Claims = {
  /**
   * The threads that were claimed, the newest first.
   */
  claims: Stage1Claim[];
};

/**
 * The input of a model about one thread.
 */
export type Stage1Input = {
  /**
   * The instructions.
   */
  prompt: string;
  /**
   * The transcript: redacted, without the texts of the system and the developer, in the order of
   * the session.
   */
  transcript: string;
  /**
   * The JSON Schema of the answer.
   */
  schema: { [key: string]: JsonValue };
  /**
   * The length of the transcript in tokens, estimated at three bytes each.
   */
  tokens: number;
  /**
   * The number of entries of the transcript that were left out, of damaged parts of it that could
   * not be read, and of records that were shortened. Those have more than 8 MiB: the middle of
   * their long texts is left out, and if they still have more than 4 MiB, everything behind that.
   */
  omitted: number;
};

/**
 * Where memory is kept, and what is stored for a repository.
 */
export type Status = {
  /**
   * The home folder.
   */
  home: string;
  /**
   * What names it: the option `home`, the variable `CODEX_TOOLLOOP_HOME`, or nothing, so that it is
   * the default.
   */
  homeSource: "option" | "variable" | "default";
  /**
   * The hash under which the repository's memory is stored.
   */
  repoHash: string;
  /**
   * Its folder, if it is known.
   */
  path: string | null;
  /**
   * The URL of its remote, without credentials, if it is known and has one.
   */
  remoteUrl: string | null;
  /**
   * The branch whose memory it is; null if it has none, if all branches share the memory, or if it
   * is not known.
   */
  branch: string | null;
  /**
   * Whether each branch has a separate memory or all branches share one; null for a repository that
   * is named by its hash.
   */
  branchScope: "perBranch" | "sharedRepo" | null;
  /**
   * What each room stores for the repository and the folder. Rooms without records are left out.
   */
  rooms: RoomStatus[];
  /**
   * The size of what is stored under the hash in the home, in bytes.
   */
  bytes: number;
  /**
   * The limits of which at least four fifths are used: what comes next pushes out what is old.
   */
  limits: Limit[];
  /**
   * Other identities of the repository with memory that is not here, such as other branches and
   * clones.
   */
  relatives: Relative[];
  /**
   * Where working contexts are stored.
   */
  adapter: AdapterStatus;
  /**
   * What the doctor says of the repository's files.
   */
  findings: Finding[];
  /**
   * The clients that `loopmem install` has connected.
   */
  clients: ClientStatus[];
  /**
   * A line about memory that is stored under another hash and is not read here; null without such
   * memory.
   */
  notice: string | null;
  /**
   * What the hooks of agents did last, by their events. They are those of every repository.
   */
  hooks: HookStatus[];
  /**
   * What could not be read, and why.
   */
  faults: string[];
};

/**
 * Something that happened in a step.
 */
export type StepEvent = {
  /**
   * The kind of the event.
   */
  kind: "action" | "output" | "followUp" | "error";
  /**
   * A short description.
   */
  text: string;
};

/**
 * The output of a thread as it is stored.
 */
export type StoredOutput = {
  /**
   * When the thread had changed last that it is of.
   */
  source_updated_at: string;
  /**
   * When it was stored.
   */
  generated_at: string;
  /**
   * A short name of the session; null if it has none.
   */
  rollout_slug: string | null;
  /**
   * The subject of the session and its outcome.
   */
  rollout_summary: string;
  /**
   * The knowledge for later sessions.
   */
  raw_memory: string;
  /**
   * The number of times that it was used.
   */
  usage_count: number;
  /**
   * When it was used last; null if it never was.
   */
  last_usage: string | null;
  /**
   * True if the last consolidation read it as it is.
   */
  selected_for_phase2: boolean;
};

/**
 * What is stored under a key.
 */
export type StoredValue = {
  /**
   * The value; null if there is none.
   */
  value: JsonValue;
};

/**
 * What a workflow step did.
 */
export type Summary = {
  /**
   * The id of the workflow run.
   */
  runId: string;
  /**
   * The id of the step within the run.
   */
  stepId: string;
  /**
   * When it was appended, RFC 3339 in UTC.
   */
  timestamp: string;
  /**
   * One paragraph: what happened, important outputs, and what remains to be done.
   */
  summary: string;
  /**
   * Tags to find it by.
   */
  tags: string[];
};

/**
 * A record or a file of which not everything could be brought together.
 */
export type SyncConflict = {
  /**
   * The file on the branch.
   */
  file: string;
  /**
   * The record's id; null for the whole file.
   */
  id: string | null;
  /**
   * What happened, and what was done.
   */
  what: string;
};

/**
 * The result of a run.
 */
export type SyncRun = {
  /**
   * The number of records that were added, changed or removed here.
   */
  pulled: number;
  /**
   * The number of records that were added, changed or removed on the branch.
   */
  pushed: number;
  /**
   * What could not be brought together, at most 1,000.
   */
  conflicts: SyncConflict[];
  /**
   * The commit on the branch; null if nothing was pushed.
   */
  commit: string | null;
  /**
   * The number of changes here that wait until the remote can be reached.
   */
  waiting: number;
  /**
   * Why the remote could not be reached, if it could not.
   */
  fault?: string;
};

/**
 * Whether and how a repository is synchronized.
 */
export type SyncStatus = {
  /**
   * Whether it is switched on.
   */
  on: boolean;
  /**
   * The branch of the remote.
   */
  branch: string;
  /**
   * The remote's URL without credentials; null if the repository has none.
   */
  remoteUrl: string | null;
  /**
   * When a run last reached the remote, RFC 3339 in UTC; null if none has.
   */
  lastRun: string | null;
  /**
   * The number of changes here since then.
   */
  waiting: number;
  /**
   * When hooks run it.
   */
  auto: "off" | "session";
};

/**
 * A session as it is registered.
 */
export type Thread = {
  /**
   * Its id.
   */
  id: string;
  /**
   * The path of its transcript.
   */
  rolloutPath: string;
  /**
   * When it changed last.
   */
  updatedAt: string;
  /**
   * Its working folder; empty if it is unknown.
   */
  cwd: string;
  /**
   * The program in which it was held, such as `cli`, `vscode` or `claude`.
   */
  source: string;
  /**
   * The branch that was checked out; null if none is known.
   */
  gitBranch: string | null;
  /**
   * Whether its memory may be extracted.
   */
  mode: "enabled" | "disabled" | "polluted";
  /**
   * Whether the user archived it.
   */
  archived: boolean;
  /**
   * True if it was forgotten: then nothing of it is stored, whatever is registered.
   */
  forgotten: boolean;
};

/**
 * The number of threads in each state. A thread may be in several.
 */
export type ThreadCounts = {
  /**
   * All that are registered.
   */
  registered: number;
  /**
   * Those that can be claimed, but for the cap.
   */
  due: number;
  /**
   * Those of which a memory is stored.
   */
  extracted: number;
  /**
   * Those whose memory is of their last change.
   */
  upToDate: number;
  /**
   * Those that changed too recently.
   */
  notIdle: number;
  /**
   * Those that changed too long ago.
   */
  tooOld: number;
  /**
   * Those that were not interactive, or were started by another agent.
   */
  notInteractive: number;
  /**
   * Those whose memory may be extracted.
   */
  enabled: number;
  /**
   * Those whose memory is disabled.
   */
  disabled: number;
  /**
   * Those that are polluted.
   */
  polluted: number;
  /**
   * Those that are archived.
   */
  archived: number;
  /**
   * Those whose transcript is gone.
   */
  missing: number;
  /**
   * Those that were forgotten.
   */
  forgotten: number;
};

/**
 * The reason for which a thread is or is not extracted.
 */
export type ThreadExplanation = {
  /**
   * True if it can be claimed now.
   */
  eligible: boolean;
  /**
   * The reason.
   */
  reason:
    | "due"
    | "capReached"
    | "running"
    | "upToDate"
    | "notIdle"
    | "tooOld"
    | "archived"
    | "transcriptMissing"
    | "notInteractive"
    | "disabled"
    | "polluted"
    | "backoff"
    | "exhausted"
    | "reset"
    | "forgotten"
    | "notRegistered";
  /**
   * The same in a sentence.
   */
  detail: string;
  /**
   * The job that extracts it; null if it was never claimed.
   */
  job: JobState | null;
  /**
   * The extracted memory; null if nothing is stored.
   */
  output: StoredOutput | null;
};

/**
 * Some of the registered threads.
 */
export type ThreadList = {
  /**
   * The threads, the one that changed last first.
   */
  threads: ListedThread[];
  /**
   * The total number.
   */
  total: number;
};

/**
 * One change of a context.
 */
export type TrailEntry = {
  /**
   * The entry's id.
   */
  id: string;
  /**
   * The kind of change.
   */
  operation: "updateContext" | "restoreCheckpoint";
  /**
   * The values that were set; for a restored checkpoint, the whole context.
   */
  patch: { [key: string]: JsonValue };
  /**
   * The keys that were removed.
   */
  remove: string[];
  /**
   * Who made the change, if known.
   */
  source: string | null;
  /**
   * The time, in RFC 3339 format in UTC.
   */
  time: string;
  /**
   * The checkpoint that was restored.
   */
  timestamp?: number;
  /**
   * The whole context before a checkpoint was restored, so that this can be undone.
   */
  replaced?: { [key: string]: JsonValue };
};

/**
 * What `items.trust` trusts.
 */
export type TrustedItems = {
  /**
   * The files of items, absolute.
   */
  files: string[];
  /**
   * The items in them that say what the user wants or is.
   */
  standing: Item[];
};

/**
 * A record that was removed or replaced.
 */
export type UndoEntry = {
  /**
   * Identifies the entry of the trash, for `undo.restore`.
   */
  id: string;
  /**
   * The room that the record is from: `memory`.
   */
  room: string;
  /**
   * The kind of record: `note`.
   */
  kind: string;
  /**
   * The record's id.
   */
  recordId: string;
  /**
   * Why it is in the trash.
   */
  reason: "removed" | "replaced";
  /**
   * When it was removed or replaced, RFC 3339 in UTC.
   */
  at: string;
  /**
   * The title or the text of the record, on one line.
   */
  preview: string;
  /**
   * The whole record.
   */
  record: { [key: string]: JsonValue };
};

/**
 * How many items were counted.
 */
export type UsedItems = {
  /**
   * How many of the items exist.
   */
  counted: number;
};

/**
 * A record of `memory.json`, and its kind.
 */
export type MemoryRecord = MemoryRecordConvention | MemoryRecordDecision | MemoryRecordNote;

/**
 * The options of a store. All are optional; unknown keys are rejected.
 */
export type StoreOptions = {
  /**
   * The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else
   * `~/.codex-toolloop`.
   */
  home?: string | null | undefined;
  /**
   * The Codex home: global recallable items are in its folder `memory`, and what rollouts left in
   * its folder `memories`. Default: `CODEX_HOME`, else `~/.codex`.
   */
  codexHome?: string | null | undefined;
  /**
   * The folder with the folders of the memories that are kept on git branches. Default:
   * `/tmp/gh-aw/repo-memory`.
   */
  branchMemoryRoot?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default:
   * `MEMORY_BRANCH_SCOPE`, else `perBranch`.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * What identifies the memory of a detached HEAD: its `commit`, or the `branch` that the
   * environment of a CI job names. Default: `MEMORY_DETACHED`, else `commit`.
   */
  detached?: "commit" | "branch" | null | undefined;
  /**
   * The branch whose records other branches inherit, unless they have records with the same id or
   * title of their own; `default` is the repository's default branch, `none` turns it off. What is
   * written is never inherited. Only for repositories that are named by their folder, if each
   * branch has a separate memory. Default: `MEMORY_INHERIT_FROM`, else `default`.
   */
  inheritFrom?: string | null | undefined;
  /**
   * The maximum number of summaries in a context pack: the newest. Default: 10.
   */
  maxSummariesInContext?: number | null | undefined;
  /**
   * The maximum number of summaries that a repository keeps; beyond it the oldest are removed.
   * Default: 100.
   */
  summariesMaxEntries?: number | null | undefined;
  /**
   * Whether summaries that are removed to make room for newer ones are kept in a file beside them,
   * where a search finds them. Default: false.
   */
  summariesArchive?: boolean | null | undefined;
  /**
   * The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are
   * removed. At most 251,658,240. Default: 1,048,576.
   */
  summariesMaxBytes?: number | null | undefined;
  /**
   * The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
   */
  summaryMaxBytes?: number | null | undefined;
  /**
   * The maximum wait for a lock, in milliseconds. Default: 5,000.
   */
  lockTimeoutMs?: number | null | undefined;
  /**
   * The maximum wait for the lock of an append, in milliseconds. Default: 1,000.
   */
  appendTimeoutMs?: number | null | undefined;
  /**
   * How long a lock file must be unchanged, in milliseconds, before it is taken over from an owner
   * of unknown state. Only used on file systems without locks. Default: 10,000.
   */
  lockStaleMs?: number | null | undefined;
  /**
   * Whether a write fails with `RenameError` if a file cannot be replaced atomically, such as a
   * bind-mounted file. Otherwise, the file is overwritten in place, protected by a complete copy
   * beside it. Default: false.
   */
  strongAtomicity?: boolean | null | undefined;
  /**
   * Regular expressions; what they match is redacted before anything is stored. Added to those of
   * `config.toml`.
   */
  redactionPatterns?: readonly string[] | null | undefined;
  /**
   * False positives of rules, in addition to what `redaction.toml` allows.
   */
  allow?: readonly Allowance[] | null | undefined;
  /**
   * Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server.
   * Default: `WORKING_ADAPTER`, else `file`.
   */
  adapter?: string | null | undefined;
  /**
   * The prefix of every key on a Redis server. Braces in it keep all keys with this prefix on one
   * node of a cluster. Default: `{loopmem}:`.
   */
  redisPrefix?: string | null | undefined;
  /**
   * The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL. A
   * redirection to any other host is an error, since that host would receive the password. Default:
   * none.
   */
  redisHosts?: readonly string[] | null | undefined;
  /**
   * A PEM file of certificates to trust for `rediss://` URLs instead of the system's. Default:
   * those that the system trusts.
   */
  redisCaFile?: string | null | undefined;
  /**
   * The maximum wait for one response of a Redis server or of the host's adapter, in milliseconds.
   * Default: 30,000.
   */
  adapterTimeoutMs?: number | null | undefined;
  /**
   * The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed.
   * Default: all.
   */
  checkpointsMaxEntries?: number | null | undefined;
  /**
   * The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next one is
   * saved; the newest is always kept. Default: no limit.
   */
  checkpointsMaxAgeMs?: number | null | undefined;
  /**
   * Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`.
   */
  itemsBackend?: "jsonl" | "sqlite" | null | undefined;
  /**
   * The maximum length of an item's content, in Unicode scalar values; at most 100,000. Default:
   * 240.
   */
  itemsMaxContentChars?: number | null | undefined;
  /**
   * How many items of the repository and its folders must match before a recall leaves out the
   * global ones. Default: 8.
   */
  recallMinRepoCandidates?: number | null | undefined;
  /**
   * The maximum number of items that a recall returns, at most 1,000. Default: 8.
   */
  recallLimit?: number | null | undefined;
  /**
   * The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200.
   */
  recallMaxChars?: number | null | undefined;
  /**
   * The maximum length of the standing items in a recall's preamble, and in a context pack, in
   * Unicode scalar values. Default: 1,000.
   */
  recallStandingChars?: number | null | undefined;
  /**
   * The score that a recalled item must at least have, from 0 to 1. Default: 0.15.
   */
  recallMinScore?: number | null | undefined;
  /**
   * Whether a recall also finds items with words of a similar meaning, such as `postgres` for
   * `database`. Default: true.
   */
  recallNearWords?: boolean | null | undefined;
  /**
   * How much vectors count in relation to words, from 0 to 10. It is the weight of a vector that
   * matches fully where all others match not at all; with closer ones, or more words, they count
   * less. Default: 3.
   */
  recallVectorWeight?: number | null | undefined;
  /**
   * How much better a recall ranks an item that was changed just now than an old one that matches
   * as well, from 0 to 1. Default: 0.05.
   */
  recallRecencyWeight?: number | null | undefined;
  /**
   * How much better a recall ranks an item that is used often than one never used that matches as
   * well, from 0 to 1. Default: 0.05.
   */
  recallFrequencyWeight?: number | null | undefined;
  /**
   * Whether recallable items are bypassed: none is read, and writing one is an error. Default:
   * false.
   */
  temporary?: boolean | null | undefined;
  /**
   * Whether the index of a repository's files includes the repositories inside its work tree, such
   * as submodules. Default: false.
   */
  indexSubmodules?: boolean | null | undefined;
  /**
   * Whether maps and symbols are of the files below the workspace alone, and not of the whole
   * repository. Default: false.
   */
  indexSubtree?: boolean | null | undefined;
  /**
   * The maximum number of files that are indexed of a repository; at most 1,000,000. Default:
   * 100,000.
   */
  indexMaxFiles?: number | null | undefined;
  /**
   * The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is known.
   * At most 67,108,864. Default: 1,048,576.
   */
  indexMaxFileBytes?: number | null | undefined;
  /**
   * How long a session must have been idle before its memory is extracted, in hours. Default: 12.
   */
  rolloutsMinIdleHours?: number | null | undefined;
  /**
   * How long ago a session may have changed last, in days, for its memory to be extracted. Default:
   * 30.
   */
  rolloutsMaxAgeDays?: number | null | undefined;
  /**
   * The maximum number of sessions whose memory is being extracted, by all processes together; at
   * most 10,000. Default: 64.
   */
  rolloutsMaxRunning?: number | null | undefined;
  /**
   * How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600.
   */
  rolloutsLeaseSecs?: number | null | undefined;
  /**
   * How often a session may be claimed before it changes; at least 1. Default: 3.
   */
  rolloutsAttempts?: number | null | undefined;
  /**
   * How long a failed session or consolidation waits for the next attempt, in seconds. Default:
   * 3,600.
   */
  rolloutsRetryDelaySecs?: number | null | undefined;
  /**
   * The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64.
   */
  rolloutsConsolidationInputs?: number | null | undefined;
  /**
   * For how long the memory of a session that is not used is consolidated, in days. Default: 30.
   */
  rolloutsMaxUnusedDays?: number | null | undefined;
  /**
   * The maximum length of what changed since the last consolidation, in Unicode scalar values.
   * Default: 60,000.
   */
  rolloutsDiffMaxChars?: number | null | undefined;
  /**
   * The maximum length of a transcript that a model is asked to read, in tokens of three bytes; at
   * most 10,000,000. Each failed attempt halves it. Default: 100,000.
   */
  rolloutsInputMaxTokens?: number | null | undefined;
  /**
   * The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and `claude`.
   */
  rolloutsInteractiveSources?: readonly string[] | null | undefined;
  /**
   * The memory root: the folder for what past sessions left. Default: `memories` in the Codex home.
   */
  rolloutsRoot?: string | null | undefined;
  /**
   * Whether a context pack leaves out what sessions in other repositories left, but for what is
   * about the user. Default: true.
   */
  rolloutsSameRepo?: boolean | null | undefined;
  /**
   * The program that `rollouts.run` uses as the model unless it is given commands: `claude`,
   * `codex`, `gemini` or `ollama:MODEL`. Default: none.
   */
  rolloutsWith?: string | null | undefined;
  /**
   * The maximum number of attempts to push a memory on a git branch while others push to it; from 1
   * to 1,000. Default: 10.
   */
  branchAttempts?: number | null | undefined;
  /**
   * The branch of the remote on which the memory of a repository is synchronized. Default:
   * `memory/loopmem`.
   */
  syncBranch?: string | null | undefined;
  /**
   * Whether step summaries are synchronized too. Default: false.
   */
  syncSummaries?: boolean | null | undefined;
  /**
   * Whether the global items are synchronized too, unless that was said for a repository. Everybody
   * who can read its remote can read them, and what others put there applies in all repositories.
   * Default: false.
   */
  syncGlobalItems?: boolean | null | undefined;
  /**
   * When hooks synchronize the memory of a repository that it is switched on for: `off`, or at the
   * beginning and the end of a `session`. Default: `off`.
   */
  syncAuto?: "off" | "session" | null | undefined;
  /**
   * For how many days records that were removed or replaced are kept in the trash, so that
   * `undo.restore` can bring them back; 0 turns the trash off. Default: 30.
   */
  trashKeepDays?: number | null | undefined;
  /**
   * Whether records that a call replaces go to the trash too, and not only those that it removes.
   * Default: false; the command line sets it, but for `loopmem call`.
   */
  keepReplaced?: boolean | null | undefined;
  /**
   * Whether records may have any fields of the host's own beside the known ones, and not only those
   * in `extra`. A key that looks like a misspelt one is refused all the same. Default: false.
   */
  allowUnknownFields?: boolean | null | undefined;
  /**
   * Whether a write to a `repoHash` is refused if nothing was ever stored under it, as under one
   * that was mistyped. Default: false; the command line sets it, but for `loopmem call` and with
   * `--create`.
   */
  knownReposOnly?: boolean | null | undefined;
  /**
   * For tests: a fixed RFC 3339 time for this store's clock.
   */
  clock?: string | null | undefined;
};

/**
 * Identifies the repository that a folder belongs to: the hash under which its memory is stored,
 * and what the hash is computed from.
 *
 * A folder outside of any repository is identified by its path. Such a hash is only valid on one
 * machine.
 */
export type RepoIdentifyParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The branch to identify, instead of the one that HEAD is on.
   */
  branch?: string | null | undefined;
};

/**
 * Removes credentials, default ports, the query and the fragment from a remote URL, and normalizes
 * the form of SSH URLs.
 */
export type RepoSanitizeRemoteUrlParams = {
  /**
   * The URL, in any form that git accepts; at most 16,384 bytes.
   */
  url: string;
};

/**
 * Lists the repositories that have stored data, most recently modified first.
 */
export type RepoListParams = Record<string, never>;

/**
 * Brings what another identity of this repository learned into this one; without `from`, lists what
 * there is.
 *
 * A repository has another identity on each branch and detached commit, in each clone, before and
 * after it was moved, and with another remote or another URL of it. A record that both have is
 * merged: what only one side changed is taken from there; of two changes the newer stays, and the
 * other is kept in the trash and named. What was adopted before and removed since stays away. The
 * other identity is not changed.
 */
export type RepoAdoptParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The other identity: its branch, its folder, or its hash, of which the first digits do. Default:
   * none of them; they are listed, with what each has and the command that brings it.
   */
  from?: string | null | undefined;
  /**
   * Whether its memory is not wanted here: nothing is copied, and no notice names it until it
   * changes again. Default: false.
   */
  ignore?: boolean | null | undefined;
  /**
   * Only count what would be copied. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Copies what is stored for a folder that was moved, and for every folder below it, to the hashes
 * that they have now: that of each branch, work tree and detached commit.
 *
 * Records that are there already are merged as by `repo.adopt`. What was stored for the old folder
 * stays as it was.
 */
export type RepoMoveParams = {
  /**
   * The folder before it was moved.
   */
  oldPath: string;
  /**
   * The folder now. Default: the repository of the current folder.
   */
  newPath?: string | null | undefined;
  /**
   * Only count what would be copied. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Copies the memory stored under one repository hash to another, after a branch was renamed, a
 * folder moved or a remote changed.
 *
 * The source is not changed, nor is any record that the target already has: one with the same id,
 * or a summary with the same run, step and time. The target's limits still apply: the oldest
 * summaries beyond them are not copied, or are removed from the target, and are counted. If
 * anything prevents the migration, nothing is copied.
 */
export type RepoMigrateParams = {
  /**
   * The hash to copy from, as `repo.identify` or `repo.list` returns it.
   */
  fromRepoHash: string;
  /**
   * The hash to copy to.
   */
  toRepoHash: string;
  /**
   * Only count what would be copied. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Removes the memory of a repository: its conventions, decisions, notes and step summaries.
 * `undo.restore` brings each of them back. If `sync` is on for the repository, it is switched off.
 *
 * Items are in the repository itself, and stay.
 */
export type RepoForgetParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Whether everything that is stored of the same project is removed: of all branches, of the
   * folders that it was moved from, and of its other clones. Default: false.
   */
  all?: boolean | null | undefined;
  /**
   * Whether it is removed for good, with the trash, the index and the names of the repository, and
   * everything damaged that was set aside. What the index knows of the contents of files is removed
   * for all repositories, and made again when it is needed. Default: false.
   */
  purge?: boolean | null | undefined;
  /**
   * Only counts what would be removed. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Returns everything stored for a repository. The lists are empty if nothing is stored. With
 * `inheritFrom`, they begin with the records of another branch that this one has not overridden,
 * marked by `inheritedFrom`.
 */
export type MemoryGetParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Stores a convention and returns it as stored.
 *
 * If the draft has the id of a stored convention, that convention is updated and keeps the fields
 * that the draft omits; otherwise a new convention is created. Secrets are redacted.
 */
export type MemoryUpsertConventionParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The convention to store.
   */
  convention: ConventionDraft;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited
   * record. Default: `false`; a record with the id of an inherited one overrides it.
   */
  inherited?: boolean | null | undefined;
};

/**
 * Stores a decision and returns it as stored.
 *
 * If the draft has the id of a stored decision, that decision is updated and keeps the fields that
 * the draft omits; otherwise a new decision is created. Secrets are redacted.
 */
export type MemoryUpsertDecisionParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The decision to store.
   */
  decision: DecisionDraft;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited
   * record. Default: `false`; a record with the id of an inherited one overrides it.
   */
  inherited?: boolean | null | undefined;
};

/**
 * Stores a note and returns it as stored.
 *
 * If the draft has the id of a stored note, that note is updated and keeps the fields that the
 * draft omits; otherwise a new note is created. Secrets are redacted.
 */
export type MemoryUpsertNoteParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The note to store.
   */
  note: NoteDraft;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited
   * record. Default: `false`; a record with the id of an inherited one overrides it.
   */
  inherited?: boolean | null | undefined;
};

/**
 * Returns the conventions, decisions and notes that match every given filter, oldest first within
 * each kind, or with a query the most relevant first. They include those that the branch inherits:
 * see `memory.get`.
 */
export type MemoryListParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Only records of this kind.
   */
  kind?: "convention" | "decision" | "note" | null | undefined;
  /**
   * Only conventions and notes with this tag.
   */
  tag?: string | null | undefined;
  /**
   * Only decisions whose `impactedPaths` contain this path or a folder above it.
   */
  path?: string | null | undefined;
  /**
   * Only records with this text in one of their fields, ignoring case.
   */
  text?: string | null | undefined;
  /**
   * Only records that share words with this text, the most relevant first, ranked as in
   * `items.recall`.
   */
  query?: string | null | undefined;
  /**
   * The maximum number of records. Default: all.
   */
  limit?: number | null | undefined;
};

/**
 * Removes the convention, decision or note with this id. `undo.restore` brings it back.
 */
export type MemoryRemoveParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The record's id.
   */
  id: string;
  /**
   * Whether it is removed for good: with every version of it in the trash, and everything damaged
   * that was set aside of the file. Default: `false`.
   */
  purge?: boolean | null | undefined;
  /**
   * Whether it is removed from the branch from which this one inherits. Default: `false`; an
   * inherited record is then a `Conflict`, which names its branch.
   */
  inherited?: boolean | null | undefined;
};

/**
 * Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
 *
 * A repository keeps at most `memory.summariesMaxEntries` summaries in at most
 * `memory.summariesMaxBytes` bytes; beyond either limit the oldest are removed, but never the
 * newest.
 */
export type SummaryAppendParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The id of the workflow run.
   */
  runId: string;
  /**
   * The id of the step within the run.
   */
  stepId: string;
  /**
   * One paragraph: what happened, important outputs, and what remains to be done. A line break
   * becomes a space. At most `memory.summaryMaxBytes` (65,536) bytes.
   */
  summary: string;
  /**
   * Tags to find the summary by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
};

/**
 * Ends a workflow step: condenses its events into one paragraph, without a model, and appends it as
 * `summary.append` does.
 *
 * The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at
 * most 4,000 bytes on one line. Code in backticks stays as it is; each line of a fenced block is
 * code in backticks. It says how many events were left out for lack of space. The same events
 * always produce the same paragraph.
 */
export type SummaryEndStepParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The id of the workflow run.
   */
  runId: string;
  /**
   * The id of the step within the run.
   */
  stepId: string;
  /**
   * What happened, in order. At least one event.
   */
  events: readonly StepEvent[];
  /**
   * Tags to find the summary by. Default: none.
   */
  tags?: readonly string[] | null | undefined;
};

/**
 * Returns a repository's step summaries, newest first, or with a query the most relevant first.
 */
export type SummaryListParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Only summaries of this run.
   */
  runId?: string | null | undefined;
  /**
   * Only summaries with this tag.
   */
  tag?: string | null | undefined;
  /**
   * The maximum number of summaries. Default: all.
   */
  limit?: number | null | undefined;
  /**
   * Only summaries that share words with this text, the most relevant first, ranked as in
   * `items.recall`.
   */
  query?: string | null | undefined;
};

/**
 * Removes the step summaries that match every given filter. `undo.restore` brings each of them
 * back.
 *
 * At least one filter is required.
 */
export type SummaryRemoveParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Those of this run.
   */
  runId?: string | null | undefined;
  /**
   * Those of this step.
   */
  stepId?: string | null | undefined;
  /**
   * Those before this time, RFC 3339.
   */
  before?: string | null | undefined;
  /**
   * Whether they are removed for good: also those in the trash that match, and everything damaged
   * that was set aside of the file. Default: `false`.
   */
  purge?: boolean | null | undefined;
  /**
   * The one with this id, as `search.find` returns it: `RUN/STEP@TIME`.
   */
  id?: string | null | undefined;
};

/**
 * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
 *
 * Conventions, decisions and notes come first, oldest first within each kind, followed by step
 * summaries, newest first. If there are summaries, 40 % of `maxChars` is reserved for them, or more
 * if the newest one needs it, so that what comes before them mostly stays the same as steps are
 * added; likewise 10 % each for the context and the log of a working scope, 15 % for recalled items
 * and 25 % for the map of the repository's files, together at most 60 %. What one of these leaves
 * unused goes to those after it, and then, in steps of a tenth of the pack, to what was left out
 * before; the map is made for all that is left. Conventions, decisions and notes divide the rest
 * equally; what one of them leaves unused goes to the others. A record is included whole or not at
 * all. What is left out is the oldest or, with a prompt, the least relevant, and the last line of
 * the text says so: `12 older notes left out`. The same state produces the same bytes in every
 * language.
 *
 * Records are data: headings in them are demoted, and nothing in them can look like a section. They
 * carry their ids in brackets: chosen ones whole, generated ones by at least 13 characters. What
 * several records of a section say is shown once.
 */
export type ContextBuildParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The maximum length of the pack, in Unicode scalar values. Default: 8,000.
   */
  maxChars?: number | null | undefined;
  /**
   * What the agent is about to do. Records that are relevant for it are included before others,
   * ranked as in `items.recall`; recallable items join them in the section `recalled`, and the map
   * of the files that matter for it in the section `map`, as of `index.map`.
   */
  prompt?: string | null | undefined;
  /**
   * The sections to include: a list of their names, or an object of their sizes by name. A size
   * above 0 and up to 1 is a share of `maxChars`: `1` is all of it. What one section leaves unused
   * of its share goes to those after it. A whole number above 1 is a number of characters, which
   * the section never exceeds. Sizes that exceed `maxChars` in sum are reduced in proportion.
   * Default: all.
   */
  sections?:
    | readonly (
        | "standing"
        | "conventions"
        | "decisions"
        | "notes"
        | "files"
        | "summaries"
        | "context"
        | "log"
        | "recalled"
        | "rollouts"
        | "map"
      )[]
    | ContextSizes
    | null
    | undefined;
  /**
   * Files that the agent is working on. Records about them are relevant, and the map begins with
   * them.
   */
  focusFiles?: readonly string[] | null | undefined;
  /**
   * The working scope whose context and latest log entries join the pack in the sections `context`
   * and `log`. With a prompt, relevant ones are included before others. Default: none.
   */
  scopeId?: string | null | undefined;
  /**
   * Whether memory is bypassed: nothing is read, and the pack is empty. Default: false.
   */
  temporary?: boolean | null | undefined;
  /**
   * The embedding vector of the prompt, which is compared with those of recallable items and of the
   * log's entries; made by the same model. `Unsupported` if neither is in the pack. Default: they
   * are compared by their words.
   */
  embedding?: readonly number[] | null | undefined;
};

/**
 * Finds what is remembered of a repository and of the user: conventions, decisions, notes, step
 * summaries, items, files that a model keeps, the repository's own working context and log, what
 * past sessions left, and files of the repository. All of it is ranked together, by words and words
 * near them.
 */
export type SearchFindParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * What to find, in a few words or as a question. If it is empty, everything is found but files of
   * the repository, the newest first.
   */
  query: string;
  /**
   * Whether everything in the home is searched: every repository and branch, and every job.
   * Default: `false`.
   */
  all?: boolean | null | undefined;
  /**
   * Only these rooms: `memory`, `summary`, `items`, `files`, `working`, `rollouts`, `index`.
   * Default: all.
   */
  rooms?: readonly string[] | null | undefined;
  /**
   * Only these kinds, such as `note`, `decision`, `fact` or `summary`. Default: all.
   */
  kinds?: readonly string[] | null | undefined;
  /**
   * Only what was changed at this time or later, RFC 3339. Default: all.
   */
  since?: string | null | undefined;
  /**
   * The maximum number of hits. Default: 20.
   */
  limit?: number | null | undefined;
  /**
   * Whether hits have their whole texts instead of the lines that match. Default: `false`.
   */
  whole?: boolean | null | undefined;
  /**
   * Whether files of the repository are left out, so that it is not indexed. Default: `false`.
   */
  recordsOnly?: boolean | null | undefined;
};

/**
 * Returns where memory is kept and why there, what is stored for a repository, memory that is not
 * read here, and what the hooks of agents did last.
 */
export type StatusGetParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Returns the context of a scope, or `{}` if it has none.
 */
export type WorkingGetContextParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
};

/**
 * Updates the context of a scope and returns the new context.
 *
 * Each value of the patch replaces the whole previous value of that name; null is stored as null.
 * With `increment` and `append`, no other writer's change is lost. Secrets are redacted. The change
 * is recorded in the scope's history.
 */
export type WorkingUpdateContextParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The values to set, by name. Default: none.
   */
  patch?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
  /**
   * The names to remove, before the values are set.
   */
  remove?: readonly string[] | null | undefined;
  /**
   * Who makes the change, for the history.
   */
  source?: string | null | undefined;
  /**
   * Numbers to add to the values of these names; one that is missing counts as 0. Default: none.
   */
  increment?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
  /**
   * Lists whose elements are appended to the lists of these names; one that is missing counts as
   * empty. Default: none.
   */
  append?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
  /**
   * The values that these names must have, or nothing is changed and the call fails with
   * `Conflict`; null for a name that must be missing. Default: any.
   */
  expect?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
};

/**
 * Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
 */
export type WorkingAddLogParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The entry to add.
   */
  entry: MemoryEntryDraft;
};

/**
 * Returns the log of a scope, oldest entry first.
 */
export type WorkingGetLogsParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The maximum number of entries: the last ones or, with `after`, the first ones that follow.
   * Default: all.
   */
  limit?: number | null | undefined;
  /**
   * Only entries that follow the one with this id.
   */
  after?: string | null | undefined;
};

/**
 * Searches the log of a scope by embedding or by text, and returns the best matches first.
 *
 * Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without an
 * approximate index; entries without an embedding, or with one of a different length, are skipped.
 * Texts are ranked by BM25; entries that share no word with the query are skipped.
 */
export type WorkingSearchLogsParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The embedding to compare with.
   */
  embedding?: readonly number[] | null | undefined;
  /**
   * The words to search for.
   */
  text?: string | null | undefined;
  /**
   * The maximum number of entries. Default: 10.
   */
  limit?: number | null | undefined;
};

/**
 * Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.
 */
export type WorkingSaveCheckpointParams = {
  /**
   * The job; its scope has the same id.
   */
  jobId: string;
};

/**
 * Replaces the context of a job with the one saved in a checkpoint, and returns it.
 *
 * The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
 */
export type WorkingRestoreCheckpointParams = {
  /**
   * The job; its scope has the same id.
   */
  jobId: string;
  /**
   * The checkpoint's timestamp.
   */
  timestamp: number;
};

/**
 * Returns the timestamps of a job's checkpoints, oldest first.
 */
export type WorkingListCheckpointsParams = {
  /**
   * The job; its scope has the same id.
   */
  jobId: string;
};

/**
 * Deletes a checkpoint.
 */
export type WorkingDeleteCheckpointParams = {
  /**
   * The job; its scope has the same id.
   */
  jobId: string;
  /**
   * The checkpoint's timestamp.
   */
  timestamp: number;
};

/**
 * Returns the history of a scope: the changes to its context, oldest first.
 */
export type WorkingHistoryParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * The maximum number of changes: the last ones. Default: all.
   */
  limit?: number | null | undefined;
};

/**
 * Returns the ids of all scopes that have stored data, sorted.
 */
export type WorkingListScopesParams = Record<string, never>;

/**
 * Deletes everything stored for a scope: its context, history, log and checkpoints. `undo.restore`
 * brings the context back, but not the others.
 */
export type WorkingDeleteScopeParams = {
  /**
   * The scope: a job id, `global`, or any other text.
   */
  scopeId: string;
  /**
   * Whether it is deleted for good: with every context of it in the trash. Default: false.
   */
  purge?: boolean | null | undefined;
};

/**
 * Returns the value under a key of the adapter that stores working contexts.
 */
export type AdapterGetParams = {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
   * `checkpoint:JOB:TIMESTAMP`, or any other text.
   */
  key: string;
};

/**
 * Sets the value under a key of the adapter and returns it as stored. Secrets are redacted.
 *
 * A context or a checkpoint must be an object. Setting a context adds an entry to the history of
 * its scope; setting a checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and
 * `trail:SCOPE` are lists: use `adapter.push`.
 */
export type AdapterSetParams = {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
   * `checkpoint:JOB:TIMESTAMP`, or any other text.
   */
  key: string;
  /**
   * The value, any JSON.
   */
  value: JsonValue;
};

/**
 * Deletes the value and the list under a key of the adapter.
 *
 * Deleting a context also deletes the history of its scope; `undo.restore` brings the context back.
 * A history cannot be deleted alone.
 */
export type AdapterDelParams = {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
   * `checkpoint:JOB:TIMESTAMP`, or any other text.
   */
  key: string;
};

/**
 * Appends an item to the list under a key of the adapter and returns it as stored. Secrets are
 * redacted.
 *
 * An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by
 * `working.addLog`.
 */
export type AdapterPushParams = {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
   * `checkpoint:JOB:TIMESTAMP`, or any other text.
   */
  key: string;
  /**
   * The item, any JSON.
   */
  item: JsonValue;
};

/**
 * Returns the items of the list under a key of the adapter, in the order in which they were added;
 * an empty list if there is no list.
 */
export type AdapterGetListParams = {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`,
   * `checkpoint:JOB:TIMESTAMP`, or any other text.
   */
  key: string;
};

/**
 * Adds an item and returns it as stored.
 *
 * An item that contains a secret is refused: the error names the rule and the field. With `force`,
 * the item is stored with the secret redacted.
 */
export type ItemsAddParams = {
  /**
   * Where it applies: in the repository, in a folder, or everywhere. Default: `dir` with `dir`,
   * else `repo` in a git repository, else `global`.
   */
  scope?: "repo" | "dir" | "global" | null | undefined;
  /**
   * What kind of memory it is. Default: `note`.
   */
  type?: "pref" | "fact" | "instruction" | "profile" | "note" | null | undefined;
  /**
   * The memory, in one or a few sentences. At most `items.maxContentChars` (240) characters.
   */
  content: string;
  /**
   * Tags to find it by. Items with the tag `history` are never recalled. Default: none.
   */
  tags?: readonly string[] | null | undefined;
  /**
   * When it is relevant. Default: no hints.
   */
  relevance_hints?: RelevanceHints | null | undefined;
  /**
   * When it expires: an RFC 3339 time, or a duration from now such as `12h`, `30d`, `2w` or `1y`.
   * Default: never.
   */
  expiry?: string | null | undefined;
  /**
   * The session that it was said in. Default: none.
   */
  session?: string | null | undefined;
  /**
   * Its position in the session. Default: the time of its creation.
   */
  seq?: number | null | undefined;
  /**
   * Its embedding vector. Default: none.
   */
  embedding?: readonly number[] | null | undefined;
  /**
   * False for an item that is kept but never recalled. Default: true.
   */
  recallable?: boolean | null | undefined;
  /**
   * Whether a secret is redacted instead of refused. Default: false.
   */
  force?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Returns the item with an id, and how often it was recalled and used.
 */
export type ItemsGetParams = {
  /**
   * The id of the item.
   */
  id: string;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Archives the items that have expired, and returns them.
 */
export type ItemsSweepParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Returns items: those of the repository, of the folder and those above it, and the global ones;
 * oldest first in each of them.
 */
export type ItemsListParams = {
  /**
   * Only items of this scope.
   */
  scope?: "repo" | "dir" | "global" | null | undefined;
  /**
   * Only items with this status.
   */
  status?: "active" | "archived" | null | undefined;
  /**
   * Only items of this type.
   */
  type?: "pref" | "fact" | "instruction" | "profile" | "note" | null | undefined;
  /**
   * Only items with this tag.
   */
  tag?: string | null | undefined;
  /**
   * Only items with this text in their content, tags or hints, ignoring case.
   */
  text?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Changes an item and returns it as stored.
 *
 * As in `items.add`, a secret is refused unless `force` is set.
 */
export type ItemsUpdateParams = {
  /**
   * The id of the item.
   */
  id: string;
  /**
   * The change.
   */
  patch: ItemPatch;
  /**
   * Whether a secret is redacted instead of refused. Default: false.
   */
  force?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Archives an item and returns it: it is kept, but not recalled.
 */
export type ItemsArchiveParams = {
  /**
   * The id of the item.
   */
  id: string;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Makes an archived item active again, and returns it. If it has expired, it no longer expires.
 */
export type ItemsRestoreParams = {
  /**
   * The id of the item.
   */
  id: string;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Removes the item with this id, or every item that matches all given filters. `undo.restore`
 * brings each of them back.
 */
export type ItemsRemoveParams = {
  /**
   * The id of the item. Default: those that match the filters, of which at least one is required.
   */
  id?: string | null | undefined;
  /**
   * Only items of this scope.
   */
  scope?: "repo" | "dir" | "global" | null | undefined;
  /**
   * Only items with this status.
   */
  status?: "active" | "archived" | null | undefined;
  /**
   * Only items of this type.
   */
  type?: "pref" | "fact" | "instruction" | "profile" | "note" | null | undefined;
  /**
   * Only items with this tag.
   */
  tag?: string | null | undefined;
  /**
   * Only items with this text in their content, tags or hints, ignoring case.
   */
  text?: string | null | undefined;
  /**
   * Only counts them. Default: false.
   */
  dryRun?: boolean | null | undefined;
  /**
   * Whether they are removed for good: with their counts, every version of them in the trash, and
   * everything damaged that was set aside of their file. Default: false.
   */
  purge?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Recalls the items that matter for a prompt, the most relevant first, and returns them as text to
 * be put into it, after the standing ones.
 *
 * Items of type `pref`, `instruction` and `profile` are preferences: without hints they apply to
 * every prompt of their scope, else where a file, a package or a language of the call fits. They
 * have a space of their own, `recall.standingChars` (1,000). What was not added from this home is
 * data until `items.trust` says otherwise.
 *
 * Candidates are the items of the repository, of the folder and those above it; if fewer than
 * `recall.minRepoCandidates` (8) of them match, the global ones join them. They are ranked by the
 * words that they share with the prompt, by the files, packages and languages that the agent is
 * working with, by what was said next to them in the same session, and slightly by how recently
 * they were changed and how often they were used. What scores too little is left out. Archived and
 * expired items are never recalled.
 *
 * The text quotes the items, so that they cannot be mistaken for instructions of the host.
 */
export type ItemsRecallParams = {
  /**
   * What the agent is about to do.
   */
  prompt: string;
  /**
   * The files that the agent is working on, relative to the repository or absolute. Default: none.
   */
  files?: readonly string[] | null | undefined;
  /**
   * The packages that the agent is working on. Default: none.
   */
  crates?: readonly string[] | null | undefined;
  /**
   * The programming languages in use. Default: none.
   */
  langs?: readonly string[] | null | undefined;
  /**
   * The maximum number of items, at most 1,000. Default: `recall.limit` (8).
   */
  limit?: number | null | undefined;
  /**
   * The score that an item must at least have, from 0 to 1. Default: `recall.minScore` (0.15).
   */
  minScore?: number | null | undefined;
  /**
   * The maximum length of the text, in Unicode scalar values. Default: `recall.maxChars` (1,200)
   * beside the preferences, or no limit if there is one in tokens.
   */
  maxChars?: number | null | undefined;
  /**
   * The maximum length of the text, in tokens: as the host's tokenizer counts them, else an
   * estimate that is rather too high. Default: no limit.
   */
  maxTokens?: number | null | undefined;
  /**
   * Whether memory is bypassed: nothing is read or written, and nothing is returned. Default:
   * false.
   */
  temporary?: boolean | null | undefined;
  /**
   * The embedding vector of the prompt, which is compared with those of the items; made by the same
   * model. Default: items are compared by their words.
   */
  embedding?: readonly number[] | null | undefined;
  /**
   * Whether the result is only looked at: the returned items are not counted as seen. Default:
   * false.
   */
  preview?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Counts that the host used items, which lifts them slightly in later recalls.
 */
export type ItemsUsedParams = {
  /**
   * The ids of the items.
   */
  ids: readonly string[];
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Trusts the items of the repository and of folders, now and later: those of type `pref`,
 * `instruction` and `profile` then apply to every prompt, regardless of who wrote them. Those that
 * were added from this home apply in any case.
 *
 * It is for people who have read the items, which the result has: a repository may come from
 * anyone.
 */
export type ItemsTrustParams = {
  /**
   * True to trust only what was added from this home again. Default: false.
   */
  revoke?: boolean | null | undefined;
  /**
   * True to only look at what would be trusted. Default: false.
   */
  dryRun?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Returns items with their counts, or writes them to a new file, one per line, as `items.import`
 * takes them.
 */
export type ItemsExportParams = {
  /**
   * Only items of this scope.
   */
  scope?: "repo" | "dir" | "global" | null | undefined;
  /**
   * The file to create. Default: the items are returned.
   */
  path?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Imports items from a file with one item per line, as JSON, or from a list.
 *
 * Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line that
 * is damaged or too long is skipped and named, as is one with a secret, unless `force` redacts it.
 */
export type ItemsImportParams = {
  /**
   * The file to read.
   */
  path?: string | null | undefined;
  /**
   * The items, instead of a file.
   */
  items?: readonly { readonly [key: string]: JsonValue | undefined }[] | null | undefined;
  /**
   * The scope of all items. Default: the scope that each one says, else `repo`.
   */
  scope?: "repo" | "dir" | "global" | null | undefined;
  /**
   * What happens to an item whose id is stored already: the one that was changed last is kept, the
   * stored one is kept, or it is replaced. Default: `newer`.
   */
  onConflict?: "newer" | "keep" | "replace" | null | undefined;
  /**
   * Whether secrets are redacted; otherwise an item with one is skipped. Default: false.
   */
  force?: boolean | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Copies the items of all scopes from the other backend to this one, byte for byte and in their
 * order.
 *
 * The source stays as it is, and so does what the target has already. Afterwards, set
 * `CODEX_MEMORY_BACKEND` or open the store with `itemsBackend`.
 */
export type ItemsMigrateParams = {
  /**
   * The backend to copy to.
   */
  to: "jsonl" | "sqlite";
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home become
 * global items, and `.codex/memory/memory.jsonl` of the repository becomes items of the repository.
 *
 * Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history` and
 * never recalled. Secrets are redacted. Lines that cannot be read are named, and the files stay as
 * they are; copying them twice is the same as once.
 */
export type ItemsMigrateLegacyParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Counts the items.
 */
export type ItemsStatsParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the
   * folders above it apply too. Default: the workspace.
   */
  dir?: string | null | undefined;
};

/**
 * Returns a file with the numbers of its lines, or what is in a folder, two levels deep.
 *
 * All paths are below `/memories`. Hidden files are not listed, but can be viewed.
 */
export type FilesViewParams = {
  /**
   * The file or folder: `/memories/notes.md`.
   */
  path: string;
  /**
   * The first and the last line to return, from 1; a last line of -1 is that of the file. Default:
   * all.
   */
  viewRange?: readonly number[] | null | undefined;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Creates a file, and its folders. Secrets are redacted.
 */
export type FilesCreateParams = {
  /**
   * The path of the new file: `/memories/notes.md`.
   */
  path: string;
  /**
   * Its text, at most 16 MiB.
   */
  fileText: string;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Replaces a text that is in a file once. Secrets are redacted.
 */
export type FilesReplaceParams = {
  /**
   * The file.
   */
  path: string;
  /**
   * The text that is replaced, which has to be in the file exactly once.
   */
  oldStr: string;
  /**
   * The text in its place. Default: none, so that the old one is removed.
   */
  newStr?: string | null | undefined;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Inserts a text into a file. Secrets are redacted.
 */
export type FilesInsertParams = {
  /**
   * The file.
   */
  path: string;
  /**
   * The line behind which it is inserted; 0 is the beginning of the file.
   */
  insertLine: number;
  /**
   * The text.
   */
  insertText: string;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Removes a file, or a folder with everything in it. `undo.restore` brings back each file that was
 * text.
 */
export type FilesRemoveParams = {
  /**
   * The file or folder.
   */
  path: string;
  /**
   * Whether it is removed for good, with what the trash has of it. Default: `false`.
   */
  purge?: boolean | null | undefined;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Renames a file or a folder, or moves it. The folders above the new path are created.
 */
export type FilesRenameParams = {
  /**
   * The file or folder.
   */
  oldPath: string;
  /**
   * Its new path, at which there is nothing yet.
   */
  newPath: string;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Returns the files at a path and below it, by path, hidden ones included. Links are left out.
 */
export type FilesListParams = {
  /**
   * The file or folder. Default: `/memories`.
   */
  path?: string | null | undefined;
  /**
   * Whether they are the files of the user, which belong to no repository. Default: `false`.
   */
  global?: boolean | null | undefined;
  /**
   * The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default:
   * `python`.
   */
  sdk?: "python" | "typescript" | null | undefined;
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Registers a session, or what changed about it, and returns it as stored. Nothing is stored of a
 * session that was forgotten.
 */
export type RolloutsUpsertThreadParams = {
  /**
   * The id of the session.
   */
  id: string;
  /**
   * The path of its transcript: a rollout of Codex, or a session of Claude Code.
   */
  rolloutPath: string;
  /**
   * When it changed last, as an RFC 3339 time.
   */
  updatedAt: string;
  /**
   * Its working folder; empty if it is unknown.
   */
  cwd: string;
  /**
   * Where it was held, such as `cli`. Only those in `rollouts.interactiveSources` are extracted.
   */
  source: string;
  /**
   * The branch that was checked out. Default: none.
   */
  gitBranch?: string | null | undefined;
  /**
   * Whether its memory may be extracted. Default: as before, and `enabled` for a new session.
   */
  mode?: "enabled" | "disabled" | "polluted" | null | undefined;
  /**
   * Whether the user archived it. Default: as before, and false for a new session.
   */
  archived?: boolean | null | undefined;
};

/**
 * Finds transcripts and registers their sessions: rollouts of Codex below `sessions` and
 * `archived_sessions` in the Codex home, and sessions of Claude Code below `projects` in
 * `CLAUDE_CONFIG_DIR` or `~/.claude`.
 *
 * A transcript that did not change since the last scan is not read; of one that did, only its
 * beginning and its end are.
 */
export type RolloutsScanParams = {
  /**
   * Whose transcripts. Default: those of all.
   */
  kinds?: readonly ("codex" | "claude")[] | null | undefined;
  /**
   * The folders to search instead. Default: those above.
   */
  roots?: readonly string[] | null | undefined;
};

/**
 * Returns what a model should read of a session: its transcript, with the instructions and the
 * schema of the answer.
 *
 * The transcript is redacted and without the texts of the system and the developer. It is fitted to
 * the budget by importance, messages of people and final answers first, and is in the order of the
 * session.
 */
export type RolloutsInputParams = {
  /**
   * The session.
   */
  threadId: string;
  /**
   * The maximum length of the transcript, in tokens of three bytes; at least 100. Default:
   * `rollouts.inputMaxTokens`, and half of it after each failed attempt.
   */
  maxTokens?: number | null | undefined;
};

/**
 * Claims sessions whose memory is due to be extracted, the newest first.
 *
 * A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since
 * its memory was extracted. A claim ends after an hour unless it is renewed, and spends one of
 * three attempts, which a change of the session refills. At most 64 sessions are claimed at once.
 */
export type RolloutsClaimStage1Params = {
  /**
   * Who claims them, for the status.
   */
  workerId: string;
  /**
   * The maximum number of sessions. Default: as many as may be claimed.
   */
  limit?: number | null | undefined;
  /**
   * The session that the caller is in, which is never claimed. Default: none.
   */
  currentThreadId?: string | null | undefined;
};

/**
 * Renews a claim. `LeaseLost` if it is not the caller's anymore: the caller should drop its work.
 */
export type RolloutsHeartbeatParams = {
  /**
   * The kind of the claim.
   */
  kind: "stage1" | "consolidation";
  /**
   * The session, for the claim of one. Default: none.
   */
  threadId?: string | null | undefined;
  /**
   * The token of the claim.
   */
  ownershipToken: string;
};

/**
 * Stores what a model made of a claimed session. `LeaseLost` if the claim is not the caller's
 * anymore: nothing is written.
 *
 * An output whose texts are all empty is a success: what was stored of the session is removed.
 * Secrets are redacted.
 */
export type RolloutsCompleteStage1Params = {
  /**
   * The session.
   */
  threadId: string;
  /**
   * The token of the claim.
   */
  ownershipToken: string;
  /**
   * The answer, or a text that contains it, in a fence or between other words.
   */
  output: string | Stage1Answer;
};

/**
 * Records that the work on a claimed session failed. It is due again later, unless its attempts are
 * spent.
 */
export type RolloutsFailStage1Params = {
  /**
   * The session.
   */
  threadId: string;
  /**
   * The token of the claim.
   */
  ownershipToken: string;
  /**
   * Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
   */
  reason: string;
  /**
   * When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600).
   */
  retryAfterSecs?: number | null | undefined;
};

/**
 * Brings the files under the memory root up to date: `rollout_summaries/` with a file a session,
 * and `raw_memories.md`.
 *
 * They are a function of what is stored: only files whose contents change are written. A file that
 * was changed is set aside before it is replaced. Files of these names that loopmem did not write
 * are a `Conflict`.
 */
export type RolloutsMaterializeParams = {
  /**
   * Whether files of these names that loopmem did not write are set aside too: they are renamed to
   * `NAME.edited`. Default: false.
   */
  takeOver?: boolean | null | undefined;
};

/**
 * Claims the consolidation of what sessions left, if there is anything new. One worker has it at a
 * time, for an hour unless it renews its claim.
 *
 * The claim comes with the inputs, what changed since the last consolidation, the files that were
 * edited since, and the instructions for the model. The files that it reads are up to date.
 */
export type RolloutsClaimConsolidationParams = {
  /**
   * Who claims it, for the status.
   */
  workerId: string;
};

/**
 * Ends a consolidation with success.
 */
export type RolloutsCompleteConsolidationParams = {
  /**
   * The token of the claim.
   */
  ownershipToken: string;
  /**
   * The files that the worker wrote or removed, relative to the memory root. Any other file that
   * changed meanwhile was edited by another program or a person, which makes another consolidation
   * due. Default: unknown; then changes to `MEMORY.md`, `memory_summary.md` and `skills/` may be
   * either, and are listed as edited in the next claim.
   */
  written?: readonly string[] | null | undefined;
};

/**
 * Records that a consolidation failed. New work does not shorten the wait for the next attempt.
 */
export type RolloutsFailConsolidationParams = {
  /**
   * The token of the claim.
   */
  ownershipToken: string;
  /**
   * Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
   */
  reason: string;
  /**
   * When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600).
   */
  retryAfterSecs?: number | null | undefined;
};

/**
 * Works on every session that is due, and then consolidates, with external commands as the model.
 *
 * A command gets one JSON object on standard input and writes its answer to standard output;
 * `docs/ROLLOUTS.md` has the members. One that fails, takes too long or answers nonsense fails its
 * session, which is tried again later. After three failures in a row, the other sessions are left
 * for the next run. A command that cannot be started, or that ends with exit status 127, is a
 * `ValidationError` and spends no attempt.
 */
export type RolloutsRunParams = {
  /**
   * The program that extracts, and its arguments. Default: that of `with`.
   */
  stage1Command?: readonly string[] | null | undefined;
  /**
   * The program that consolidates, and its arguments. Default: that of `with`, else nothing is
   * consolidated.
   */
  consolidateCommand?: readonly string[] | null | undefined;
  /**
   * A program that brings a model along, for what has no command: `claude`, `codex`, `gemini` or
   * `ollama:MODEL`. Default: `rollouts.with`, unless there is a `stage1Command`.
   */
  with?: string | null | undefined;
  /**
   * The maximum number of sessions. Default: all that are due.
   */
  limit?: number | null | undefined;
  /**
   * How long a command may take, in seconds; at most 86,400. Default: 600.
   */
  commandTimeoutSecs?: number | null | undefined;
  /**
   * As for `rollouts.materialize`. Default: false.
   */
  takeOver?: boolean | null | undefined;
};

/**
 * Returns how many sessions and jobs are in which state, when the next one is due, and how the
 * consolidation is.
 */
export type RolloutsStatusParams = Record<string, never>;

/**
 * Returns the registered sessions, the one that changed last first, each with why it is or is not
 * extracted.
 */
export type RolloutsListParams = {
  /**
   * Only sessions with one of these reasons. Default: all.
   */
  reasons?:
    | readonly (
        | "due"
        | "capReached"
        | "running"
        | "upToDate"
        | "notIdle"
        | "tooOld"
        | "archived"
        | "transcriptMissing"
        | "notInteractive"
        | "disabled"
        | "polluted"
        | "backoff"
        | "exhausted"
        | "reset"
        | "forgotten"
        | "notRegistered"
      )[]
    | null
    | undefined;
  /**
   * The maximum number of sessions, at least 1. Default: 50.
   */
  limit?: number | null | undefined;
};

/**
 * Returns the files of the memory root that agents may read, or one of them with its text:
 * `memory_summary.md`, `MEMORY.md` and `skills/NAME/SKILL.md`. What is about other projects is left
 * out, and so is what sessions left that were withdrawn. The list is empty if there is no such
 * file.
 */
export type RolloutsReadParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * The file, as it is listed. Default: the list, without texts.
   */
  path?: string | null | undefined;
};

/**
 * Returns why a session is or is not extracted, with its job and its output.
 */
export type RolloutsExplainParams = {
  /**
   * The session.
   */
  threadId: string;
};

/**
 * Makes sessions that failed due again: their attempts are refilled and their waits end.
 */
export type RolloutsRetryParams = {
  /**
   * The sessions. Default: all that failed, and the consolidation if it did.
   */
  threadIds?: readonly string[] | null | undefined;
};

/**
 * Counts that the memory of sessions was used, such as when it is cited. What is used often and
 * recently is consolidated first.
 */
export type RolloutsRecordUsageParams = {
  /**
   * The sessions, each of which counts once.
   */
  threadIds: readonly string[];
};

/**
 * Sets whether the memory of a session may be extracted and shown. If something was extracted,
 * another consolidation is due, and the next `rollouts.materialize` adds or removes its files.
 */
export type RolloutsSetModeParams = {
  /**
   * The session.
   */
  threadId: string;
  /**
   * Whether its memory may be extracted.
   */
  mode: "enabled" | "disabled" | "polluted";
};

/**
 * Removes everything that is stored of a session, and its files. It is never extracted again. If it
 * was part of the last consolidation, another one is due.
 */
export type RolloutsForgetParams = {
  /**
   * The session.
   */
  threadId: string;
};

/**
 * Clears outputs and jobs, and the files made of them. Sessions, their modes and what was forgotten
 * stay. What a consolidation wrote stays too.
 */
export type RolloutsResetParams = {
  /**
   * True if sessions are due again at once. Default: false; each is due when it changes.
   */
  reextract?: boolean | null | undefined;
};

/**
 * Moves the memory of an older program from `memories/user/memory` to the memory root, once, if the
 * root holds no other memory. Nothing is overwritten, and the folders for single working folders
 * stay where they are.
 */
export type RolloutsMigrateLegacyRootParams = Record<string, never>;

/**
 * Reads the configuration of memories and returns each with its folder, its branch and its limits.
 *
 * Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name`
 * says otherwise.
 */
export type BranchParseConfigParams = {
  /**
   * The configuration: its value (a boolean, an object or a list), an object that has it under
   * `repo-memory` or `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a
   * workflow with front matter. Default: `true`.
   */
  config?: JsonValue | null | undefined;
};

/**
 * Brings the folder of a memory up to date with its branch, and returns the commit that its files
 * come from.
 *
 * Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges
 * them. If the branch does not exist, the folder is created, and the first push creates the branch;
 * if `create-orphan` is false, that is an error. The user's own git does the network work. Reports
 * its progress in two steps.
 */
export type BranchCheckoutParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The folder. Default: that of the memory.
   */
  directory?: string | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
  /**
   * The commit of the branch whose files the folder gets, as an earlier checkout returned it; a
   * push merges them with what came later. Default: the newest.
   */
  at?: string | null | undefined;
};

/**
 * Checks the files in the folder of a memory against its rules, and returns every fault with its
 * path, rule and limit.
 *
 * `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and
 * checks the files together with those that others have pushed; so does this method if `merged` is
 * true.
 */
export type BranchValidateParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The folder. Default: that of the memory.
   */
  directory?: string | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
  /**
   * Whether the files are also checked as a push would leave them on the branch: merged with what
   * others pushed, which is fetched. Nothing is pushed. Default: `false`.
   */
  merged?: boolean | null | undefined;
};

/**
 * Commits the files in the folder of a memory to its branch, merged with what others pushed
 * meanwhile, and brings the folder up to date.
 *
 * Removed and renamed files are removed and renamed on the branch too. Where both sides changed the
 * same thing, the folder wins, and `conflicts` says where the other version is. Secrets in texts
 * are redacted. Nothing is pushed if a file breaks a rule, alone or together with those of others.
 * If the repository cannot be reached or does not take the push, or others are faster every time,
 * the call fails with a `GitError`, and the commit waits beside the folder for the next push. A
 * cancelled call may have pushed (`mayBeStored`). Reports its progress in three steps.
 */
export type BranchPushParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The folder. Default: that of the memory.
   */
  directory?: string | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
  /**
   * The commit that the files come from, as `branch.checkout` returned it on another machine, or
   * `none` if it returned null. Default: that of the last checkout or push of this folder.
   */
  base?: string | null | undefined;
  /**
   * The id of the run, for the message of the commit, at most 200 bytes.
   */
  runId?: string | null | undefined;
  /**
   * The message of the commit, at most 4,000 bytes. Default: `Update repo memory from workflow run
   * ID`.
   */
  message?: string | null | undefined;
};

/**
 * Writes an artifact of the files in the folder of a memory: one file that passes them on to
 * another job or machine.
 *
 * It is a tar file that names the memory, the commit that its files come from, and every file with
 * its hash. Secrets in texts are redacted. The same files give the same bytes.
 */
export type BranchPackParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The folder. Default: that of the memory.
   */
  directory?: string | null | undefined;
  /**
   * The path of the artifact, which ends in `.tar.zst`, `.tar.gz` or `.tar`. An existing one is
   * replaced.
   */
  artifactPath: string;
  /**
   * The path of an earlier artifact, whose contents are left out.
   */
  since?: string | null | undefined;
};

/**
 * Brings the files of an artifact to the folder of its memory.
 *
 * Files that are the same are not written, changes in the folder stay, and the next `branch.push`
 * knows the commit that the files come from. Everything in the artifact is checked before the first
 * file is written.
 */
export type BranchUnpackParams = {
  /**
   * The path of the artifact.
   */
  artifactPath: string;
  /**
   * The folder. Default: that of the artifact's memory on this machine.
   */
  directory?: string | null | undefined;
};

/**
 * Makes a snapshot of the branch of a memory, as it is in its repository.
 *
 * It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.
 */
export type BranchSnapshotParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The name: 1 to 100 letters, digits, `-`, `_` and `.`. Default: the time, such as
   * `20250131T120000Z`.
   */
  tag?: string | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
};

/**
 * Returns the snapshots of the branch of a memory, newest first.
 */
export type BranchSnapshotsParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
};

/**
 * Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the
 * branch has.
 *
 * Nothing is lost: the commits in between stay. The next checkout or push of the folder changes its
 * files.
 */
export type BranchRollbackParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * The name of the snapshot.
   */
  tag: string;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
};

/**
 * Removes snapshots of the branch of a memory: all but the newest, or those of a certain age.
 * Without a limit, it removes none.
 */
export type BranchPruneParams = {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the
   * memory `default`.
   */
  entry?: JsonValue | null | undefined;
  /**
   * How many of the newest are kept.
   */
  keep?: number | null | undefined;
  /**
   * The maximum age of those that are kept, in days.
   */
  maxAgeDays?: number | null | undefined;
  /**
   * The folder of a repository with the remote. Default: the current folder, unless the memory
   * names a repository.
   */
  repoDir?: string | null | undefined;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the
   * repository. Default: the repository that the memory names, or else the only remote, or
   * `origin`.
   */
  remote?: string | null | undefined;
};

/**
 * Returns the section of a prompt that describes memories to an agent: folders, branches, limits
 * and patterns.
 */
export type BranchPromptParams = {
  /**
   * The configuration, as for `branch.parseConfig`. Default: `true`.
   */
  config?: JsonValue | null | undefined;
};

/**
 * Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs,
 * upload them after it, and validate and push them in a job of their own. They call the command
 * `loopmem`.
 */
export type BranchWorkflowParams = {
  /**
   * The configuration, as for `branch.parseConfig`. Default: `true`.
   */
  config?: JsonValue | null | undefined;
};

/**
 * Returns whether a pattern matches the path of a file, which is relative to the folder of the
 * memory.
 *
 * The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any
 * text at all, and every other character stands for itself.
 */
export type BranchMatchParams = {
  /**
   * The pattern, at most 4,096 bytes.
   */
  pattern: string;
  /**
   * The path, with `/` between its parts.
   */
  path: string;
};

/**
 * Merges what others changed in a file of records since both sides started from the same version,
 * as a push does: `.jsonl` and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem
 * merge-driver`.
 *
 * Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets in
 * what is written are redacted. A file with another ending is left as it is.
 */
export type BranchMergeFileParams = {
  /**
   * The file with the version from which both sides started; an empty one if there is none.
   */
  base: string;
  /**
   * The file with the version of this side, which is replaced.
   */
  ours: string;
  /**
   * The file with the version of the others.
   */
  theirs: string;
  /**
   * The name of the file, whose ending says how it is merged. Default: that of `ours`.
   */
  path?: string | null | undefined;
};

/**
 * Returns what was removed or replaced, newest first: of the repository and, unless that is named
 * by its hash, of the branch that it inherits from, of the items that apply to its folder, and of
 * the contexts of jobs. The trash keeps it for `trash.keepDays` (30).
 *
 * What a call replaces is kept if the store was opened with `keepReplaced`, as the command line
 * does.
 */
export type UndoListParams = {
  /**
   * The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
   */
  repoHash?: string | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which
   * names one memory. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Puts a record that was removed or replaced back as it was, and returns its entry of the trash,
 * which is removed.
 *
 * If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a
 * record with the id of a removed one exists again.
 */
export type UndoRestoreParams = {
  /**
   * The entry's id, as `undo.list` returns it, or a unique prefix of at least six characters.
   */
  id: string;
};

/**
 * Brings the memory of a repository and that on a branch of its own remote together: conventions,
 * decisions and notes of all branches, items, and with `sync.summaries` step summaries.
 *
 * Nothing is sent unless it was switched on for the repository. Records are merged three-way
 * against what was last the same, removals included, and redacted. If the remote cannot be reached,
 * the changes wait for the next run.
 */
export type SyncRunParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
  /**
   * Switches it on for this repository, or off: then nothing is sent. Default: as it was; off at
   * first.
   */
  on?: boolean | null | undefined;
  /**
   * Whether the global items are synchronized through this repository too, which is remembered.
   * Everybody who can read the remote can read them, and what others put there applies in all of
   * your repositories. Default: as it was; `sync.globalItems` at first, which is off.
   */
  globalItems?: boolean | null | undefined;
  /**
   * Only count what would change, here and there. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Returns whether the memory of a repository is synchronized with its remote, and how many changes
 * wait.
 */
export type SyncStatusParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Writes what is stored to an archive: one file, to keep it or to move it to another machine. By
 * default, everything that is stored of the repository: of every branch, of the folders it was
 * moved from, and of its other clones, with the items in its folders.
 *
 * An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets,
 * nothing of past sessions and no caches. An older archive at the path is replaced; any other file
 * is not.
 */
export type ArchiveExportParams = {
  /**
   * The file: its ending is `.tar.zst`, or `.jsonl` for lines that people can read.
   */
  path: string;
  /**
   * Whether it has everything: all repositories, global items and working contexts too. Default:
   * false.
   */
  all?: boolean | null | undefined;
  /**
   * The repositories, as `repo.list` returns them, each with its branch. Default: the repository of
   * `workspace`.
   */
  repoHashes?: readonly string[] | null | undefined;
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: as configured.
   */
  branchScope?: "perBranch" | "sharedRepo" | null | undefined;
};

/**
 * Brings what an archive has. A record that is here in another version is merged: the newer one
 * stays, and the other is kept in the trash and named; a working context that is here stays.
 *
 * All of the archive is checked before anything is written, and its texts are redacted again.
 * Importing it again changes nothing. Import only what you trust: agents will read it.
 */
export type ArchiveImportParams = {
  /**
   * The file.
   */
  path: string;
  /**
   * Where folders are here that were elsewhere: an object whose keys are the old paths, and whose
   * values are the new ones. It applies to every folder below an old path too. Default: where they
   * were.
   */
  pathMap?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
  /**
   * Only count what would be brought. Default: false.
   */
  dryRun?: boolean | null | undefined;
};

/**
 * Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by
 * themselves.
 *
 * The index covers the files that git tracks or would offer to track. A file that has not changed
 * is not read, and a content that another branch or work tree has had is not parsed again. Files of
 * more than 1 MiB and binary files are not read.
 */
export type IndexRefreshParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
};

/**
 * Returns a map of the repository: the files that matter, each with the signatures of its most
 * relevant definitions.
 *
 * Files are ranked by the words that they share with the prompt, in their text, their definitions
 * and their paths, and by what the files in focus refer to. Without either, the map is an overview:
 * entry points, and the definitions that most files refer to. The map never exceeds `maxChars`, and
 * the same state of the files gives the same bytes.
 */
export type IndexMapParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * The maximum length of the map, in Unicode scalar values. Default: 4,000.
   */
  maxChars?: number | null | undefined;
  /**
   * What the agent is about to do. Default: the map is an overview.
   */
  prompt?: string | null | undefined;
  /**
   * The files that the agent is working on, relative to the repository or absolute. Default: none.
   */
  focusFiles?: readonly string[] | null | undefined;
};

/**
 * Returns definitions of the repository, the best matches first: those whose names match `query`,
 * or those of a file or folder in the order of the files.
 */
export type IndexSymbolsParams = {
  /**
   * A folder in the repository. Default: the current folder.
   */
  workspace?: string | null | undefined;
  /**
   * A name, or words of one. Default: all definitions.
   */
  query?: string | null | undefined;
  /**
   * Only definitions of this file, or of the files below this folder, relative to the repository.
   * Default: all.
   */
  path?: string | null | undefined;
  /**
   * Only definitions of this kind. Default: all.
   */
  kind?:
    | "function"
    | "method"
    | "class"
    | "struct"
    | "enum"
    | "interface"
    | "type"
    | "module"
    | "constant"
    | "variable"
    | "macro"
    | "field"
    | "heading"
    | "table"
    | "message"
    | "selector"
    | "key"
    | null
    | undefined;
  /**
   * The maximum number of definitions, at most 1,000. Default: 50.
   */
  limit?: number | null | undefined;
};

/**
 * Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
 *
 * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without
 * the home's key, a tag cannot be used to verify a guess. All other characters stay as they are,
 * and redacting a redacted text does not change it. Nothing of the text is stored, but the first
 * secret found creates the home's key.
 */
export type SafetyRedactParams = {
  /**
   * The text.
   */
  text: string;
  /**
   * Regular expressions to use for this call, in addition to those configured. If one has a group
   * named `secret`, only that group is a secret.
   */
  patterns?: readonly string[] | null | undefined;
};

/**
 * Returns the positions of the secrets in a text, but never the secrets themselves. Nothing of the
 * text is stored, but the first secret found creates the home's key.
 */
export type SafetyScanParams = {
  /**
   * The text.
   */
  text: string;
  /**
   * Regular expressions to use for this call, in addition to those configured. If one has a group
   * named `secret`, only that group is a secret.
   */
  patterns?: readonly string[] | null | undefined;
};

/**
 * Returns every rule that detects secrets: the built-in rules, then those of the configuration, of
 * the user's rule file and of the options.
 */
export type SafetyRulesParams = Record<string, never>;

/**
 * Returns what a call would redact, without making it: nothing is written.
 *
 * A call that redacts also says so itself: the logger gets a warning, and the call's options can
 * ask for the list.
 */
export type SafetyPreviewParams = {
  /**
   * The method, which stores something: `memory.upsertNote`.
   */
  method: string;
  /**
   * Its params.
   */
  params?: { readonly [key: string]: JsonValue | undefined } | null | undefined;
};

/**
 * Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.
 *
 * A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is
 * at least one. Stores that are opened afterwards apply it.
 */
export type SafetyAllowParams = {
  /**
   * The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`.
   */
  name?: string | null | undefined;
  /**
   * The id of the rule, such as `keyed-value`.
   */
  rule?: string | null | undefined;
  /**
   * The path of the field in a record, such as `metadata.headers`, with everything below it.
   */
  field?: string | null | undefined;
  /**
   * The tag of the value, from its placeholder or from a scan with the same home.
   */
  tag?: string | null | undefined;
  /**
   * Why it is a false positive, for later readers.
   */
  reason: string;
};

/**
 * Returns the declared false positives, of the home's `redaction.toml` and of the options of the
 * store.
 */
export type SafetyAllowancesParams = Record<string, never>;

/**
 * Checks every file of the home, the global items and those of the current workspace, and with
 * `fix` repairs what is wrong.
 *
 * Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file
 * beside the original, never deleted, and every intact record is recovered; file modes are
 * corrected, and what crashed writers left behind is removed. Files written by a newer version are
 * never changed. A file that cannot be read or repaired is reported as a finding, not as an error.
 */
export type DoctorCheckParams = {
  /**
   * Repair what can be repaired. Default: false.
   */
  fix?: boolean | null | undefined;
};

/** The params and the result of every method. */
export type Methods = {
  "repo.identify": { params: RepoIdentifyParams; result: RepoIdentity };
  "repo.sanitizeRemoteUrl": { params: RepoSanitizeRemoteUrlParams; result: SanitizedUrl };
  "repo.list": { params: RepoListParams; result: KnownRepo[] };
  "repo.adopt": { params: RepoAdoptParams; result: Adoption };
  "repo.move": { params: RepoMoveParams; result: Moving };
  "repo.migrate": { params: RepoMigrateParams; result: Migration };
  "repo.forget": { params: RepoForgetParams; result: Forgotten };
  "memory.get": { params: MemoryGetParams; result: RepoMemory };
  "memory.upsertConvention": { params: MemoryUpsertConventionParams; result: Convention };
  "memory.upsertDecision": { params: MemoryUpsertDecisionParams; result: Decision };
  "memory.upsertNote": { params: MemoryUpsertNoteParams; result: Note };
  "memory.list": { params: MemoryListParams; result: MemoryRecord[] };
  "memory.remove": { params: MemoryRemoveParams; result: Removed };
  "summary.append": { params: SummaryAppendParams; result: Summary };
  "summary.endStep": { params: SummaryEndStepParams; result: Summary };
  "summary.list": { params: SummaryListParams; result: Summary[] };
  "summary.remove": { params: SummaryRemoveParams; result: RemovedRecords };
  "context.build": { params: ContextBuildParams; result: ContextPack };
  "search.find": { params: SearchFindParams; result: SearchResult };
  "status.get": { params: StatusGetParams; result: Status };
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
  "adapter.get": { params: AdapterGetParams; result: StoredValue };
  "adapter.set": { params: AdapterSetParams; result: StoredValue };
  "adapter.del": { params: AdapterDelParams; result: Removed };
  "adapter.push": { params: AdapterPushParams; result: StoredValue };
  "adapter.getList": { params: AdapterGetListParams; result: JsonValue[] };
  "items.add": { params: ItemsAddParams; result: Item };
  "items.get": { params: ItemsGetParams; result: Item };
  "items.sweep": { params: ItemsSweepParams; result: Item[] };
  "items.list": { params: ItemsListParams; result: Item[] };
  "items.update": { params: ItemsUpdateParams; result: Item };
  "items.archive": { params: ItemsArchiveParams; result: Item };
  "items.restore": { params: ItemsRestoreParams; result: Item };
  "items.remove": { params: ItemsRemoveParams; result: RemovedRecords };
  "items.recall": { params: ItemsRecallParams; result: Recall };
  "items.used": { params: ItemsUsedParams; result: UsedItems };
  "items.trust": { params: ItemsTrustParams; result: TrustedItems };
  "items.export": { params: ItemsExportParams; result: ExportedItems };
  "items.import": { params: ItemsImportParams; result: ImportedItems };
  "items.migrate": { params: ItemsMigrateParams; result: MigratedItems };
  "items.migrateLegacy": { params: ItemsMigrateLegacyParams; result: MigratedLegacyItems };
  "items.stats": { params: ItemsStatsParams; result: ItemStats };
  "files.view": { params: FilesViewParams; result: FileAnswer };
  "files.create": { params: FilesCreateParams; result: FileAnswer };
  "files.replace": { params: FilesReplaceParams; result: FileAnswer };
  "files.insert": { params: FilesInsertParams; result: FileAnswer };
  "files.remove": { params: FilesRemoveParams; result: FileAnswer };
  "files.rename": { params: FilesRenameParams; result: FileAnswer };
  "files.list": { params: FilesListParams; result: FileEntry[] };
  "rollouts.upsertThread": { params: RolloutsUpsertThreadParams; result: Thread };
  "rollouts.scan": { params: RolloutsScanParams; result: ScannedTranscripts };
  "rollouts.input": { params: RolloutsInputParams; result: Stage1Input };
  "rollouts.claimStage1": { params: RolloutsClaimStage1Params; result: Stage1Claims };
  "rollouts.heartbeat": { params: RolloutsHeartbeatParams; result: RenewedLease };
  "rollouts.completeStage1": { params: RolloutsCompleteStage1Params; result: CompletedStage1 };
  "rollouts.failStage1": { params: RolloutsFailStage1Params; result: FailedJob };
  "rollouts.materialize": { params: RolloutsMaterializeParams; result: MaterializedFiles };
  "rollouts.claimConsolidation": { params: RolloutsClaimConsolidationParams; result: ConsolidationClaim };
  "rollouts.completeConsolidation": { params: RolloutsCompleteConsolidationParams; result: CompletedConsolidation };
  "rollouts.failConsolidation": { params: RolloutsFailConsolidationParams; result: FailedJob };
  "rollouts.run": { params: RolloutsRunParams; result: RolloutsRun };
  "rollouts.status": { params: RolloutsStatusParams; result: RolloutsStatus };
  "rollouts.list": { params: RolloutsListParams; result: ThreadList };
  "rollouts.read": { params: RolloutsReadParams; result: MemoryFiles };
  "rollouts.explain": { params: RolloutsExplainParams; result: ThreadExplanation };
  "rollouts.retry": { params: RolloutsRetryParams; result: RetriedRollouts };
  "rollouts.recordUsage": { params: RolloutsRecordUsageParams; result: RecordedUsage };
  "rollouts.setMode": { params: RolloutsSetModeParams; result: Thread };
  "rollouts.forget": { params: RolloutsForgetParams; result: ForgottenThread };
  "rollouts.reset": { params: RolloutsResetParams; result: ResetRollouts };
  "rollouts.migrateLegacyRoot": { params: RolloutsMigrateLegacyRootParams; result: MigratedLegacyRoot };
  "branch.parseConfig": { params: BranchParseConfigParams; result: BranchMemories };
  "branch.checkout": { params: BranchCheckoutParams; result: BranchCheckout };
  "branch.validate": { params: BranchValidateParams; result: BranchValidation };
  "branch.push": { params: BranchPushParams; result: BranchPush };
  "branch.pack": { params: BranchPackParams; result: BranchPacked };
  "branch.unpack": { params: BranchUnpackParams; result: BranchUnpacked };
  "branch.snapshot": { params: BranchSnapshotParams; result: BranchSnapshot };
  "branch.snapshots": { params: BranchSnapshotsParams; result: BranchSnapshots };
  "branch.rollback": { params: BranchRollbackParams; result: BranchRollback };
  "branch.prune": { params: BranchPruneParams; result: PrunedSnapshots };
  "branch.prompt": { params: BranchPromptParams; result: BranchPrompt };
  "branch.workflow": { params: BranchWorkflowParams; result: BranchWorkflow };
  "branch.match": { params: BranchMatchParams; result: PatternMatch };
  "branch.mergeFile": { params: BranchMergeFileParams; result: MergedFile };
  "undo.list": { params: UndoListParams; result: UndoEntry[] };
  "undo.restore": { params: UndoRestoreParams; result: UndoEntry };
  "sync.run": { params: SyncRunParams; result: SyncRun };
  "sync.status": { params: SyncStatusParams; result: SyncStatus };
  "archive.export": { params: ArchiveExportParams; result: ExportedArchive };
  "archive.import": { params: ArchiveImportParams; result: ImportedArchive };
  "index.refresh": { params: IndexRefreshParams; result: RefreshedIndex };
  "index.map": { params: IndexMapParams; result: RepoMap };
  "index.symbols": { params: IndexSymbolsParams; result: RepoSymbol[] };
  "safety.redact": { params: SafetyRedactParams; result: Redacted };
  "safety.scan": { params: SafetyScanParams; result: SecretFinding[] };
  "safety.rules": { params: SafetyRulesParams; result: SecretRule[] };
  "safety.preview": { params: SafetyPreviewParams; result: Redaction[] };
  "safety.allow": { params: SafetyAllowParams; result: Allowance };
  "safety.allowances": { params: SafetyAllowancesParams; result: Allowance[] };
  "doctor.check": { params: DoctorCheckParams; result: DoctorReport };
};
