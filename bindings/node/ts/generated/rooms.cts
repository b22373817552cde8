// Generated from the method table by scripts/generate. Do not edit.

import type {
  AdapterDelParams,
  AdapterGetListParams,
  AdapterGetParams,
  AdapterPushParams,
  AdapterSetParams,
  Adoption,
  Allowance,
  ArchiveExportParams,
  ArchiveImportParams,
  BranchCheckout,
  BranchCheckoutParams,
  BranchMatchParams,
  BranchMemories,
  BranchMergeFileParams,
  BranchPackParams,
  BranchPacked,
  BranchParseConfigParams,
  BranchPrompt,
  BranchPromptParams,
  BranchPruneParams,
  BranchPush,
  BranchPushParams,
  BranchRollback,
  BranchRollbackParams,
  BranchSnapshot,
  BranchSnapshotParams,
  BranchSnapshots,
  BranchSnapshotsParams,
  BranchUnpackParams,
  BranchUnpacked,
  BranchValidateParams,
  BranchValidation,
  BranchWorkflow,
  BranchWorkflowParams,
  Checkpoint,
  CompletedConsolidation,
  CompletedStage1,
  ConsolidationClaim,
  ContextBuildParams,
  ContextPack,
  Convention,
  Decision,
  DoctorCheckParams,
  DoctorReport,
  ExportedArchive,
  ExportedItems,
  FailedJob,
  FileAnswer,
  FileEntry,
  FilesCreateParams,
  FilesInsertParams,
  FilesListParams,
  FilesRemoveParams,
  FilesRenameParams,
  FilesReplaceParams,
  FilesViewParams,
  Forgotten,
  ForgottenThread,
  ImportedArchive,
  ImportedItems,
  IndexMapParams,
  IndexRefreshParams,
  IndexSymbolsParams,
  Item,
  ItemStats,
  ItemsAddParams,
  ItemsArchiveParams,
  ItemsExportParams,
  ItemsGetParams,
  ItemsImportParams,
  ItemsListParams,
  ItemsMigrateLegacyParams,
  ItemsMigrateParams,
  ItemsRecallParams,
  ItemsRemoveParams,
  ItemsRestoreParams,
  ItemsStatsParams,
  ItemsSweepParams,
  ItemsTrustParams,
  ItemsUpdateParams,
  ItemsUsedParams,
  JsonValue,
  KnownRepo,
  MaterializedFiles,
  MemoryEntry,
  MemoryFiles,
  MemoryGetParams,
  MemoryListParams,
  MemoryRecord,
  MemoryRemoveParams,
  MemoryUpsertConventionParams,
  MemoryUpsertDecisionParams,
  MemoryUpsertNoteParams,
  MergedFile,
  MigratedItems,
  MigratedLegacyItems,
  MigratedLegacyRoot,
  Migration,
  Moving,
  Note,
  PatternMatch,
  PrunedSnapshots,
  Recall,
  RecordedUsage,
  Redacted,
  Redaction,
  RefreshedIndex,
  Removed,
  RemovedRecords,
  RenewedLease,
  RepoAdoptParams,
  RepoForgetParams,
  RepoIdentifyParams,
  RepoIdentity,
  RepoListParams,
  RepoMap,
  RepoMemory,
  RepoMigrateParams,
  RepoMoveParams,
  RepoSanitizeRemoteUrlParams,
  RepoSymbol,
  ResetRollouts,
  RetriedRollouts,
  RolloutsClaimConsolidationParams,
  RolloutsClaimStage1Params,
  RolloutsCompleteConsolidationParams,
  RolloutsCompleteStage1Params,
  RolloutsExplainParams,
  RolloutsFailConsolidationParams,
  RolloutsFailStage1Params,
  RolloutsForgetParams,
  RolloutsHeartbeatParams,
  RolloutsInputParams,
  RolloutsListParams,
  RolloutsMaterializeParams,
  RolloutsMigrateLegacyRootParams,
  RolloutsReadParams,
  RolloutsRecordUsageParams,
  RolloutsResetParams,
  RolloutsRetryParams,
  RolloutsRun,
  RolloutsRunParams,
  RolloutsScanParams,
  RolloutsSetModeParams,
  RolloutsStatus,
  RolloutsStatusParams,
  RolloutsUpsertThreadParams,
  SafetyAllowParams,
  SafetyAllowancesParams,
  SafetyPreviewParams,
  SafetyRedactParams,
  SafetyRulesParams,
  SafetyScanParams,
  SanitizedUrl,
  ScannedTranscripts,
  ScoredEntry,
  SearchFindParams,
  SearchResult,
  SecretFinding,
  SecretRule,
  Stage1Claims,
  Stage1Input,
  Status,
  StatusGetParams,
  StoredValue,
  Summary,
  SummaryAppendParams,
  SummaryEndStepParams,
  SummaryListParams,
  SummaryRemoveParams,
  SyncRun,
  SyncRunParams,
  SyncStatus,
  SyncStatusParams,
  Thread,
  ThreadExplanation,
  ThreadList,
  TrailEntry,
  TrustedItems,
  UndoEntry,
  UndoListParams,
  UndoRestoreParams,
  UsedItems,
  WorkingAddLogParams,
  WorkingDeleteCheckpointParams,
  WorkingDeleteScopeParams,
  WorkingGetContextParams,
  WorkingGetLogsParams,
  WorkingHistoryParams,
  WorkingListCheckpointsParams,
  WorkingListScopesParams,
  WorkingRestoreCheckpointParams,
  WorkingSaveCheckpointParams,
  WorkingSearchLogsParams,
  WorkingUpdateContextParams,
} from "./types.cjs";
import type { CallOptions, Caller } from "../caller.cjs";
import { inUnits, textOf } from "../offsets.cjs";

/** `repo.*` of a store. */
export class RepoApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Identifies the repository that a folder belongs to: the hash under which its memory is stored,
   * and what the hash is computed from.
   *
   * A folder outside of any repository is identified by its path. Such a hash is only valid on one
   * machine.
   */
  identify(params: RepoIdentifyParams = {}, options?: CallOptions): Promise<RepoIdentity> {
    return this.#caller.call("repo.identify", params, options);
  }

  /**
   * Identifies the repository that a folder belongs to: the hash under which its memory is stored,
   * and what the hash is computed from.
   *
   * A folder outside of any repository is identified by its path. Such a hash is only valid on one
   * machine.
   */
  identifySync(params: RepoIdentifyParams = {}, options?: CallOptions): RepoIdentity {
    return this.#caller.callSync("repo.identify", params, options);
  }

  /**
   * Removes credentials, default ports, the query and the fragment from a remote URL, and
   * normalizes the form of SSH URLs.
   */
  sanitizeRemoteUrl(params: RepoSanitizeRemoteUrlParams, options?: CallOptions): Promise<SanitizedUrl> {
    return this.#caller.call("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Removes credentials, default ports, the query and the fragment from a remote URL, and
   * normalizes the form of SSH URLs.
   */
  sanitizeRemoteUrlSync(params: RepoSanitizeRemoteUrlParams, options?: CallOptions): SanitizedUrl {
    return this.#caller.callSync("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Lists the repositories that have stored data, most recently modified first.
   */
  list(params: RepoListParams = {}, options?: CallOptions): Promise<KnownRepo[]> {
    return this.#caller.call("repo.list", params, options);
  }

  /**
   * Lists the repositories that have stored data, most recently modified first.
   */
  listSync(params: RepoListParams = {}, options?: CallOptions): KnownRepo[] {
    return this.#caller.callSync("repo.list", params, options);
  }

  /**
   * Brings what another identity of this repository learned into this one; without `from`, lists
   * what there is.
   *
   * A repository has another identity on each branch and detached commit, in each clone, before and
   * after it was moved, and with another remote or another URL of it. A record that both have is
   * merged: what only one side changed is taken from there; of two changes the newer stays, and the
   * other is kept in the trash and named. What was adopted before and removed since stays away. The
   * other identity is not changed.
   */
  adopt(params: RepoAdoptParams = {}, options?: CallOptions): Promise<Adoption> {
    return this.#caller.call("repo.adopt", params, options);
  }

  /**
   * Brings what another identity of this repository learned into this one; without `from`, lists
   * what there is.
   *
   * A repository has another identity on each branch and detached commit, in each clone, before and
   * after it was moved, and with another remote or another URL of it. A record that both have is
   * merged: what only one side changed is taken from there; of two changes the newer stays, and the
   * other is kept in the trash and named. What was adopted before and removed since stays away. The
   * other identity is not changed.
   */
  adoptSync(params: RepoAdoptParams = {}, options?: CallOptions): Adoption {
    return this.#caller.callSync("repo.adopt", params, options);
  }

  /**
   * Copies what is stored for a folder that was moved, and for every folder below it, to the hashes
   * that they have now: that of each branch, work tree and detached commit.
   *
   * Records that are there already are merged as by `repo.adopt`. What was stored for the old
   * folder stays as it was.
   */
  move(params: RepoMoveParams, options?: CallOptions): Promise<Moving> {
    return this.#caller.call("repo.move", params, options);
  }

  /**
   * Copies what is stored for a folder that was moved, and for every folder below it, to the hashes
   * that they have now: that of each branch, work tree and detached commit.
   *
   * Records that are there already are merged as by `repo.adopt`. What was stored for the old
   * folder stays as it was.
   */
  moveSync(params: RepoMoveParams, options?: CallOptions): Moving {
    return this.#caller.callSync("repo.move", params, options);
  }

  /**
   * Copies the memory stored under one repository hash to another, after a branch was renamed, a
   * folder moved or a remote changed.
   *
   * The source is not changed, nor is any record that the target already has: one with the same id,
   * or a summary with the same run, step and time. The target's limits still apply: the oldest
   * summaries beyond them are not copied, or are removed from the target, and are counted. If
   * anything prevents the migration, nothing is copied.
   */
  migrate(params: RepoMigrateParams, options?: CallOptions): Promise<Migration> {
    return this.#caller.call("repo.migrate", params, options);
  }

  /**
   * Copies the memory stored under one repository hash to another, after a branch was renamed, a
   * folder moved or a remote changed.
   *
   * The source is not changed, nor is any record that the target already has: one with the same id,
   * or a summary with the same run, step and time. The target's limits still apply: the oldest
   * summaries beyond them are not copied, or are removed from the target, and are counted. If
   * anything prevents the migration, nothing is copied.
   */
  migrateSync(params: RepoMigrateParams, options?: CallOptions): Migration {
    return this.#caller.callSync("repo.migrate", params, options);
  }

  /**
   * Removes the memory of a repository: its conventions, decisions, notes and step summaries.
   * `undo.restore` brings each of them back. If `sync` is on for the repository, it is switched
   * off.
   *
   * Items are in the repository itself, and stay.
   */
  forget(params: RepoForgetParams = {}, options?: CallOptions): Promise<Forgotten> {
    return this.#caller.call("repo.forget", params, options);
  }

  /**
   * Removes the memory of a repository: its conventions, decisions, notes and step summaries.
   * `undo.restore` brings each of them back. If `sync` is on for the repository, it is switched
   * off.
   *
   * Items are in the repository itself, and stay.
   */
  forgetSync(params: RepoForgetParams = {}, options?: CallOptions): Forgotten {
    return this.#caller.callSync("repo.forget", params, options);
  }
}

/** `memory.*` of a store. */
export class MemoryApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns everything stored for a repository. The lists are empty if nothing is stored. With
   * `inheritFrom`, they begin with the records of another branch that this one has not overridden,
   * marked by `inheritedFrom`.
   */
  get(params: MemoryGetParams = {}, options?: CallOptions): Promise<RepoMemory> {
    return this.#caller.call("memory.get", params, options);
  }

  /**
   * Returns everything stored for a repository. The lists are empty if nothing is stored. With
   * `inheritFrom`, they begin with the records of another branch that this one has not overridden,
   * marked by `inheritedFrom`.
   */
  getSync(params: MemoryGetParams = {}, options?: CallOptions): RepoMemory {
    return this.#caller.callSync("memory.get", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * If the draft has the id of a stored convention, that convention is updated and keeps the fields
   * that the draft omits; otherwise a new convention is created. Secrets are redacted.
   */
  upsertConvention(params: MemoryUpsertConventionParams, options?: CallOptions): Promise<Convention> {
    return this.#caller.call("memory.upsertConvention", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * If the draft has the id of a stored convention, that convention is updated and keeps the fields
   * that the draft omits; otherwise a new convention is created. Secrets are redacted.
   */
  upsertConventionSync(params: MemoryUpsertConventionParams, options?: CallOptions): Convention {
    return this.#caller.callSync("memory.upsertConvention", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * If the draft has the id of a stored decision, that decision is updated and keeps the fields
   * that the draft omits; otherwise a new decision is created. Secrets are redacted.
   */
  upsertDecision(params: MemoryUpsertDecisionParams, options?: CallOptions): Promise<Decision> {
    return this.#caller.call("memory.upsertDecision", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * If the draft has the id of a stored decision, that decision is updated and keeps the fields
   * that the draft omits; otherwise a new decision is created. Secrets are redacted.
   */
  upsertDecisionSync(params: MemoryUpsertDecisionParams, options?: CallOptions): Decision {
    return this.#caller.callSync("memory.upsertDecision", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * If the draft has the id of a stored note, that note is updated and keeps the fields that the
   * draft omits; otherwise a new note is created. Secrets are redacted.
   */
  upsertNote(params: MemoryUpsertNoteParams, options?: CallOptions): Promise<Note> {
    return this.#caller.call("memory.upsertNote", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * If the draft has the id of a stored note, that note is updated and keeps the fields that the
   * draft omits; otherwise a new note is created. Secrets are redacted.
   */
  upsertNoteSync(params: MemoryUpsertNoteParams, options?: CallOptions): Note {
    return this.#caller.callSync("memory.upsertNote", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that match every given filter, oldest first within
   * each kind, or with a query the most relevant first. They include those that the branch
   * inherits: see `memory.get`.
   */
  list(params: MemoryListParams = {}, options?: CallOptions): Promise<MemoryRecord[]> {
    return this.#caller.call("memory.list", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that match every given filter, oldest first within
   * each kind, or with a query the most relevant first. They include those that the branch
   * inherits: see `memory.get`.
   */
  listSync(params: MemoryListParams = {}, options?: CallOptions): MemoryRecord[] {
    return this.#caller.callSync("memory.list", params, options);
  }

  /**
   * Removes the convention, decision or note with this id. `undo.restore` brings it back.
   */
  remove(params: MemoryRemoveParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("memory.remove", params, options);
  }

  /**
   * Removes the convention, decision or note with this id. `undo.restore` brings it back.
   */
  removeSync(params: MemoryRemoveParams, options?: CallOptions): Removed {
    return this.#caller.callSync("memory.remove", params, options);
  }
}

/** `summary.*` of a store. */
export class SummaryApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
   *
   * A repository keeps at most `memory.summariesMaxEntries` summaries in at most
   * `memory.summariesMaxBytes` bytes; beyond either limit the oldest are removed, but never the
   * newest.
   */
  append(params: SummaryAppendParams, options?: CallOptions): Promise<Summary> {
    return this.#caller.call("summary.append", params, options);
  }

  /**
   * Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
   *
   * A repository keeps at most `memory.summariesMaxEntries` summaries in at most
   * `memory.summariesMaxBytes` bytes; beyond either limit the oldest are removed, but never the
   * newest.
   */
  appendSync(params: SummaryAppendParams, options?: CallOptions): Summary {
    return this.#caller.callSync("summary.append", params, options);
  }

  /**
   * Ends a workflow step: condenses its events into one paragraph, without a model, and appends it
   * as `summary.append` does.
   *
   * The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at
   * most 4,000 bytes on one line. Code in backticks stays as it is; each line of a fenced block is
   * code in backticks. It says how many events were left out for lack of space. The same events
   * always produce the same paragraph.
   */
  endStep(params: SummaryEndStepParams, options?: CallOptions): Promise<Summary> {
    return this.#caller.call("summary.endStep", params, options);
  }

  /**
   * Ends a workflow step: condenses its events into one paragraph, without a model, and appends it
   * as `summary.append` does.
   *
   * The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at
   * most 4,000 bytes on one line. Code in backticks stays as it is; each line of a fenced block is
   * code in backticks. It says how many events were left out for lack of space. The same events
   * always produce the same paragraph.
   */
  endStepSync(params: SummaryEndStepParams, options?: CallOptions): Summary {
    return this.#caller.callSync("summary.endStep", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first, or with a query the most relevant first.
   */
  list(params: SummaryListParams = {}, options?: CallOptions): Promise<Summary[]> {
    return this.#caller.call("summary.list", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first, or with a query the most relevant first.
   */
  listSync(params: SummaryListParams = {}, options?: CallOptions): Summary[] {
    return this.#caller.callSync("summary.list", params, options);
  }

  /**
   * Removes the step summaries that match every given filter. `undo.restore` brings each of them
   * back.
   *
   * At least one filter is required.
   */
  remove(params: SummaryRemoveParams = {}, options?: CallOptions): Promise<RemovedRecords> {
    return this.#caller.call("summary.remove", params, options);
  }

  /**
   * Removes the step summaries that match every given filter. `undo.restore` brings each of them
   * back.
   *
   * At least one filter is required.
   */
  removeSync(params: SummaryRemoveParams = {}, options?: CallOptions): RemovedRecords {
    return this.#caller.callSync("summary.remove", params, options);
  }
}

/** `context.*` of a store. */
export class ContextApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
   *
   * Conventions, decisions and notes come first, oldest first within each kind, followed by step
   * summaries, newest first. If there are summaries, 40 % of `maxChars` is reserved for them, or
   * more if the newest one needs it, so that what comes before them mostly stays the same as steps
   * are added; likewise 10 % each for the context and the log of a working scope, 15 % for recalled
   * items and 25 % for the map of the repository's files, together at most 60 %. What one of these
   * leaves unused goes to those after it, and then, in steps of a tenth of the pack, to what was
   * left out before; the map is made for all that is left. Conventions, decisions and notes divide
   * the rest equally; what one of them leaves unused goes to the others. A record is included whole
   * or not at all. What is left out is the oldest or, with a prompt, the least relevant, and the
   * last line of the text says so: `12 older notes left out`. The same state produces the same
   * bytes in every language.
   *
   * Records are data: headings in them are demoted, and nothing in them can look like a section.
   * They carry their ids in brackets: chosen ones whole, generated ones by at least 13 characters.
   * What several records of a section say is shown once.
   */
  build(params: ContextBuildParams = {}, options?: CallOptions): Promise<ContextPack> {
    return this.#caller.call("context.build", params, options);
  }

  /**
   * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
   *
   * Conventions, decisions and notes come first, oldest first within each kind, followed by step
   * summaries, newest first. If there are summaries, 40 % of `maxChars` is reserved for them, or
   * more if the newest one needs it, so that what comes before them mostly stays the same as steps
   * are added; likewise 10 % each for the context and the log of a working scope, 15 % for recalled
   * items and 25 % for the map of the repository's files, together at most 60 %. What one of these
   * leaves unused goes to those after it, and then, in steps of a tenth of the pack, to what was
   * left out before; the map is made for all that is left. Conventions, decisions and notes divide
   * the rest equally; what one of them leaves unused goes to the others. A record is included whole
   * or not at all. What is left out is the oldest or, with a prompt, the least relevant, and the
   * last line of the text says so: `12 older notes left out`. The same state produces the same
   * bytes in every language.
   *
   * Records are data: headings in them are demoted, and nothing in them can look like a section.
   * They carry their ids in brackets: chosen ones whole, generated ones by at least 13 characters.
   * What several records of a section say is shown once.
   */
  buildSync(params: ContextBuildParams = {}, options?: CallOptions): ContextPack {
    return this.#caller.callSync("context.build", params, options);
  }
}

/** `search.*` of a store. */
export class SearchApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Finds what is remembered of a repository and of the user: conventions, decisions, notes, step
   * summaries, items, files that a model keeps, the repository's own working context and log, what
   * past sessions left, and files of the repository. All of it is ranked together, by words and
   * words near them.
   */
  find(params: SearchFindParams, options?: CallOptions): Promise<SearchResult> {
    return this.#caller.call("search.find", params, options);
  }

  /**
   * Finds what is remembered of a repository and of the user: conventions, decisions, notes, step
   * summaries, items, files that a model keeps, the repository's own working context and log, what
   * past sessions left, and files of the repository. All of it is ranked together, by words and
   * words near them.
   */
  findSync(params: SearchFindParams, options?: CallOptions): SearchResult {
    return this.#caller.callSync("search.find", params, options);
  }
}

/** `status.*` of a store. */
export class StatusApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns where memory is kept and why there, what is stored for a repository, memory that is not
   * read here, and what the hooks of agents did last.
   */
  get(params: StatusGetParams = {}, options?: CallOptions): Promise<Status> {
    return this.#caller.call("status.get", params, options);
  }

  /**
   * Returns where memory is kept and why there, what is stored for a repository, memory that is not
   * read here, and what the hooks of agents did last.
   */
  getSync(params: StatusGetParams = {}, options?: CallOptions): Status {
    return this.#caller.callSync("status.get", params, options);
  }
}

/** `working.*` of a store. */
export class WorkingApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns the context of a scope, or `{}` if it has none.
   */
  getContext(params: WorkingGetContextParams, options?: CallOptions): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.getContext", params, options);
  }

  /**
   * Returns the context of a scope, or `{}` if it has none.
   */
  getContextSync(params: WorkingGetContextParams, options?: CallOptions): { [key: string]: JsonValue } {
    return this.#caller.callSync("working.getContext", params, options);
  }

  /**
   * Updates the context of a scope and returns the new context.
   *
   * Each value of the patch replaces the whole previous value of that name; null is stored as null.
   * With `increment` and `append`, no other writer's change is lost. Secrets are redacted. The
   * change is recorded in the scope's history.
   */
  updateContext(params: WorkingUpdateContextParams, options?: CallOptions): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.updateContext", params, options);
  }

  /**
   * Updates the context of a scope and returns the new context.
   *
   * Each value of the patch replaces the whole previous value of that name; null is stored as null.
   * With `increment` and `append`, no other writer's change is lost. Secrets are redacted. The
   * change is recorded in the scope's history.
   */
  updateContextSync(params: WorkingUpdateContextParams, options?: CallOptions): { [key: string]: JsonValue } {
    return this.#caller.callSync("working.updateContext", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
   */
  addLog(params: WorkingAddLogParams, options?: CallOptions): Promise<MemoryEntry> {
    return this.#caller.call("working.addLog", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
   */
  addLogSync(params: WorkingAddLogParams, options?: CallOptions): MemoryEntry {
    return this.#caller.callSync("working.addLog", params, options);
  }

  /**
   * Returns the log of a scope, oldest entry first.
   */
  getLogs(params: WorkingGetLogsParams, options?: CallOptions): Promise<MemoryEntry[]> {
    return this.#caller.call("working.getLogs", params, options);
  }

  /**
   * Returns the log of a scope, oldest entry first.
   */
  getLogsSync(params: WorkingGetLogsParams, options?: CallOptions): MemoryEntry[] {
    return this.#caller.callSync("working.getLogs", params, options);
  }

  /**
   * Searches the log of a scope by embedding or by text, and returns the best matches first.
   *
   * Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without
   * an approximate index; entries without an embedding, or with one of a different length, are
   * skipped. Texts are ranked by BM25; entries that share no word with the query are skipped.
   */
  searchLogs(params: WorkingSearchLogsParams, options?: CallOptions): Promise<ScoredEntry[]> {
    return this.#caller.call("working.searchLogs", params, options);
  }

  /**
   * Searches the log of a scope by embedding or by text, and returns the best matches first.
   *
   * Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without
   * an approximate index; entries without an embedding, or with one of a different length, are
   * skipped. Texts are ranked by BM25; entries that share no word with the query are skipped.
   */
  searchLogsSync(params: WorkingSearchLogsParams, options?: CallOptions): ScoredEntry[] {
    return this.#caller.callSync("working.searchLogs", params, options);
  }

  /**
   * Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.
   */
  saveCheckpoint(params: WorkingSaveCheckpointParams, options?: CallOptions): Promise<Checkpoint> {
    return this.#caller.call("working.saveCheckpoint", params, options);
  }

  /**
   * Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.
   */
  saveCheckpointSync(params: WorkingSaveCheckpointParams, options?: CallOptions): Checkpoint {
    return this.#caller.callSync("working.saveCheckpoint", params, options);
  }

  /**
   * Replaces the context of a job with the one saved in a checkpoint, and returns it.
   *
   * The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
   */
  restoreCheckpoint(
    params: WorkingRestoreCheckpointParams,
    options?: CallOptions,
  ): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.restoreCheckpoint", params, options);
  }

  /**
   * Replaces the context of a job with the one saved in a checkpoint, and returns it.
   *
   * The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
   */
  restoreCheckpointSync(params: WorkingRestoreCheckpointParams, options?: CallOptions): { [key: string]: JsonValue } {
    return this.#caller.callSync("working.restoreCheckpoint", params, options);
  }

  /**
   * Returns the timestamps of a job's checkpoints, oldest first.
   */
  listCheckpoints(params: WorkingListCheckpointsParams, options?: CallOptions): Promise<number[]> {
    return this.#caller.call("working.listCheckpoints", params, options);
  }

  /**
   * Returns the timestamps of a job's checkpoints, oldest first.
   */
  listCheckpointsSync(params: WorkingListCheckpointsParams, options?: CallOptions): number[] {
    return this.#caller.callSync("working.listCheckpoints", params, options);
  }

  /**
   * Deletes a checkpoint.
   */
  deleteCheckpoint(params: WorkingDeleteCheckpointParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("working.deleteCheckpoint", params, options);
  }

  /**
   * Deletes a checkpoint.
   */
  deleteCheckpointSync(params: WorkingDeleteCheckpointParams, options?: CallOptions): Removed {
    return this.#caller.callSync("working.deleteCheckpoint", params, options);
  }

  /**
   * Returns the history of a scope: the changes to its context, oldest first.
   */
  history(params: WorkingHistoryParams, options?: CallOptions): Promise<TrailEntry[]> {
    return this.#caller.call("working.history", params, options);
  }

  /**
   * Returns the history of a scope: the changes to its context, oldest first.
   */
  historySync(params: WorkingHistoryParams, options?: CallOptions): TrailEntry[] {
    return this.#caller.callSync("working.history", params, options);
  }

  /**
   * Returns the ids of all scopes that have stored data, sorted.
   */
  listScopes(params: WorkingListScopesParams = {}, options?: CallOptions): Promise<string[]> {
    return this.#caller.call("working.listScopes", params, options);
  }

  /**
   * Returns the ids of all scopes that have stored data, sorted.
   */
  listScopesSync(params: WorkingListScopesParams = {}, options?: CallOptions): string[] {
    return this.#caller.callSync("working.listScopes", params, options);
  }

  /**
   * Deletes everything stored for a scope: its context, history, log and checkpoints.
   * `undo.restore` brings the context back, but not the others.
   */
  deleteScope(params: WorkingDeleteScopeParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("working.deleteScope", params, options);
  }

  /**
   * Deletes everything stored for a scope: its context, history, log and checkpoints.
   * `undo.restore` brings the context back, but not the others.
   */
  deleteScopeSync(params: WorkingDeleteScopeParams, options?: CallOptions): Removed {
    return this.#caller.callSync("working.deleteScope", params, options);
  }
}

/** `adapter.*` of a store. */
export class AdapterApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns the value under a key of the adapter that stores working contexts.
   */
  get(params: AdapterGetParams, options?: CallOptions): Promise<StoredValue> {
    return this.#caller.call("adapter.get", params, options);
  }

  /**
   * Returns the value under a key of the adapter that stores working contexts.
   */
  getSync(params: AdapterGetParams, options?: CallOptions): StoredValue {
    return this.#caller.callSync("adapter.get", params, options);
  }

  /**
   * Sets the value under a key of the adapter and returns it as stored. Secrets are redacted.
   *
   * A context or a checkpoint must be an object. Setting a context adds an entry to the history of
   * its scope; setting a checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and
   * `trail:SCOPE` are lists: use `adapter.push`.
   */
  set(params: AdapterSetParams, options?: CallOptions): Promise<StoredValue> {
    return this.#caller.call("adapter.set", params, options);
  }

  /**
   * Sets the value under a key of the adapter and returns it as stored. Secrets are redacted.
   *
   * A context or a checkpoint must be an object. Setting a context adds an entry to the history of
   * its scope; setting a checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and
   * `trail:SCOPE` are lists: use `adapter.push`.
   */
  setSync(params: AdapterSetParams, options?: CallOptions): StoredValue {
    return this.#caller.callSync("adapter.set", params, options);
  }

  /**
   * Deletes the value and the list under a key of the adapter.
   *
   * Deleting a context also deletes the history of its scope; `undo.restore` brings the context
   * back. A history cannot be deleted alone.
   */
  del(params: AdapterDelParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("adapter.del", params, options);
  }

  /**
   * Deletes the value and the list under a key of the adapter.
   *
   * Deleting a context also deletes the history of its scope; `undo.restore` brings the context
   * back. A history cannot be deleted alone.
   */
  delSync(params: AdapterDelParams, options?: CallOptions): Removed {
    return this.#caller.callSync("adapter.del", params, options);
  }

  /**
   * Appends an item to the list under a key of the adapter and returns it as stored. Secrets are
   * redacted.
   *
   * An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by
   * `working.addLog`.
   */
  push(params: AdapterPushParams, options?: CallOptions): Promise<StoredValue> {
    return this.#caller.call("adapter.push", params, options);
  }

  /**
   * Appends an item to the list under a key of the adapter and returns it as stored. Secrets are
   * redacted.
   *
   * An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by
   * `working.addLog`.
   */
  pushSync(params: AdapterPushParams, options?: CallOptions): StoredValue {
    return this.#caller.callSync("adapter.push", params, options);
  }

  /**
   * Returns the items of the list under a key of the adapter, in the order in which they were
   * added; an empty list if there is no list.
   */
  getList(params: AdapterGetListParams, options?: CallOptions): Promise<JsonValue[]> {
    return this.#caller.call("adapter.getList", params, options);
  }

  /**
   * Returns the items of the list under a key of the adapter, in the order in which they were
   * added; an empty list if there is no list.
   */
  getListSync(params: AdapterGetListParams, options?: CallOptions): JsonValue[] {
    return this.#caller.callSync("adapter.getList", params, options);
  }
}

/** `items.*` of a store. */
export class ItemsApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Adds an item and returns it as stored.
   *
   * An item that contains a secret is refused: the error names the rule and the field. With
   * `force`, the item is stored with the secret redacted.
   */
  add(params: ItemsAddParams, options?: CallOptions): Promise<Item> {
    return this.#caller.call("items.add", params, options);
  }

  /**
   * Adds an item and returns it as stored.
   *
   * An item that contains a secret is refused: the error names the rule and the field. With
   * `force`, the item is stored with the secret redacted.
   */
  addSync(params: ItemsAddParams, options?: CallOptions): Item {
    return this.#caller.callSync("items.add", params, options);
  }

  /**
   * Returns the item with an id, and how often it was recalled and used.
   */
  get(params: ItemsGetParams, options?: CallOptions): Promise<Item> {
    return this.#caller.call("items.get", params, options);
  }

  /**
   * Returns the item with an id, and how often it was recalled and used.
   */
  getSync(params: ItemsGetParams, options?: CallOptions): Item {
    return this.#caller.callSync("items.get", params, options);
  }

  /**
   * Archives the items that have expired, and returns them.
   */
  sweep(params: ItemsSweepParams = {}, options?: CallOptions): Promise<Item[]> {
    return this.#caller.call("items.sweep", params, options);
  }

  /**
   * Archives the items that have expired, and returns them.
   */
  sweepSync(params: ItemsSweepParams = {}, options?: CallOptions): Item[] {
    return this.#caller.callSync("items.sweep", params, options);
  }

  /**
   * Returns items: those of the repository, of the folder and those above it, and the global ones;
   * oldest first in each of them.
   */
  list(params: ItemsListParams = {}, options?: CallOptions): Promise<Item[]> {
    return this.#caller.call("items.list", params, options);
  }

  /**
   * Returns items: those of the repository, of the folder and those above it, and the global ones;
   * oldest first in each of them.
   */
  listSync(params: ItemsListParams = {}, options?: CallOptions): Item[] {
    return this.#caller.callSync("items.list", params, options);
  }

  /**
   * Changes an item and returns it as stored.
   *
   * As in `items.add`, a secret is refused unless `force` is set.
   */
  update(params: ItemsUpdateParams, options?: CallOptions): Promise<Item> {
    return this.#caller.call("items.update", params, options);
  }

  /**
   * Changes an item and returns it as stored.
   *
   * As in `items.add`, a secret is refused unless `force` is set.
   */
  updateSync(params: ItemsUpdateParams, options?: CallOptions): Item {
    return this.#caller.callSync("items.update", params, options);
  }

  /**
   * Archives an item and returns it: it is kept, but not recalled.
   */
  archive(params: ItemsArchiveParams, options?: CallOptions): Promise<Item> {
    return this.#caller.call("items.archive", params, options);
  }

  /**
   * Archives an item and returns it: it is kept, but not recalled.
   */
  archiveSync(params: ItemsArchiveParams, options?: CallOptions): Item {
    return this.#caller.callSync("items.archive", params, options);
  }

  /**
   * Makes an archived item active again, and returns it. If it has expired, it no longer expires.
   */
  restore(params: ItemsRestoreParams, options?: CallOptions): Promise<Item> {
    return this.#caller.call("items.restore", params, options);
  }

  /**
   * Makes an archived item active again, and returns it. If it has expired, it no longer expires.
   */
  restoreSync(params: ItemsRestoreParams, options?: CallOptions): Item {
    return this.#caller.callSync("items.restore", params, options);
  }

  /**
   * Removes the item with this id, or every item that matches all given filters. `undo.restore`
   * brings each of them back.
   */
  remove(params: ItemsRemoveParams = {}, options?: CallOptions): Promise<RemovedRecords> {
    return this.#caller.call("items.remove", params, options);
  }

  /**
   * Removes the item with this id, or every item that matches all given filters. `undo.restore`
   * brings each of them back.
   */
  removeSync(params: ItemsRemoveParams = {}, options?: CallOptions): RemovedRecords {
    return this.#caller.callSync("items.remove", params, options);
  }

  /**
   * Recalls the items that matter for a prompt, the most relevant first, and returns them as text
   * to be put into it, after the standing ones.
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
   * they were changed and how often they were used. What scores too little is left out. Archived
   * and expired items are never recalled.
   *
   * The text quotes the items, so that they cannot be mistaken for instructions of the host.
   */
  recall(params: ItemsRecallParams, options?: CallOptions): Promise<Recall> {
    return this.#caller.call("items.recall", params, options);
  }

  /**
   * Recalls the items that matter for a prompt, the most relevant first, and returns them as text
   * to be put into it, after the standing ones.
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
   * they were changed and how often they were used. What scores too little is left out. Archived
   * and expired items are never recalled.
   *
   * The text quotes the items, so that they cannot be mistaken for instructions of the host.
   */
  recallSync(params: ItemsRecallParams, options?: CallOptions): Recall {
    return this.#caller.callSync("items.recall", params, options);
  }

  /**
   * Counts that the host used items, which lifts them slightly in later recalls.
   */
  used(params: ItemsUsedParams, options?: CallOptions): Promise<UsedItems> {
    return this.#caller.call("items.used", params, options);
  }

  /**
   * Counts that the host used items, which lifts them slightly in later recalls.
   */
  usedSync(params: ItemsUsedParams, options?: CallOptions): UsedItems {
    return this.#caller.callSync("items.used", params, options);
  }

  /**
   * Trusts the items of the repository and of folders, now and later: those of type `pref`,
   * `instruction` and `profile` then apply to every prompt, regardless of who wrote them. Those
   * that were added from this home apply in any case.
   *
   * It is for people who have read the items, which the result has: a repository may come from
   * anyone.
   */
  trust(params: ItemsTrustParams = {}, options?: CallOptions): Promise<TrustedItems> {
    return this.#caller.call("items.trust", params, options);
  }

  /**
   * Trusts the items of the repository and of folders, now and later: those of type `pref`,
   * `instruction` and `profile` then apply to every prompt, regardless of who wrote them. Those
   * that were added from this home apply in any case.
   *
   * It is for people who have read the items, which the result has: a repository may come from
   * anyone.
   */
  trustSync(params: ItemsTrustParams = {}, options?: CallOptions): TrustedItems {
    return this.#caller.callSync("items.trust", params, options);
  }

  /**
   * Returns items with their counts, or writes them to a new file, one per line, as `items.import`
   * takes them.
   */
  export(params: ItemsExportParams = {}, options?: CallOptions): Promise<ExportedItems> {
    return this.#caller.call("items.export", params, options);
  }

  /**
   * Returns items with their counts, or writes them to a new file, one per line, as `items.import`
   * takes them.
   */
  exportSync(params: ItemsExportParams = {}, options?: CallOptions): ExportedItems {
    return this.#caller.callSync("items.export", params, options);
  }

  /**
   * Imports items from a file with one item per line, as JSON, or from a list.
   *
   * Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line
   * that is damaged or too long is skipped and named, as is one with a secret, unless `force`
   * redacts it.
   */
  import(params: ItemsImportParams = {}, options?: CallOptions): Promise<ImportedItems> {
    return this.#caller.call("items.import", params, options);
  }

  /**
   * Imports items from a file with one item per line, as JSON, or from a list.
   *
   * Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line
   * that is damaged or too long is skipped and named, as is one with a secret, unless `force`
   * redacts it.
   */
  importSync(params: ItemsImportParams = {}, options?: CallOptions): ImportedItems {
    return this.#caller.callSync("items.import", params, options);
  }

  /**
   * Copies the items of all scopes from the other backend to this one, byte for byte and in their
   * order.
   *
   * The source stays as it is, and so does what the target has already. Afterwards, set
   * `CODEX_MEMORY_BACKEND` or open the store with `itemsBackend`.
   */
  migrate(params: ItemsMigrateParams, options?: CallOptions): Promise<MigratedItems> {
    return this.#caller.call("items.migrate", params, options);
  }

  /**
   * Copies the items of all scopes from the other backend to this one, byte for byte and in their
   * order.
   *
   * The source stays as it is, and so does what the target has already. Afterwards, set
   * `CODEX_MEMORY_BACKEND` or open the store with `itemsBackend`.
   */
  migrateSync(params: ItemsMigrateParams, options?: CallOptions): MigratedItems {
    return this.#caller.callSync("items.migrate", params, options);
  }

  /**
   * Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home
   * become global items, and `.codex/memory/memory.jsonl` of the repository becomes items of the
   * repository.
   *
   * Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history`
   * and never recalled. Secrets are redacted. Lines that cannot be read are named, and the files
   * stay as they are; copying them twice is the same as once.
   */
  migrateLegacy(params: ItemsMigrateLegacyParams = {}, options?: CallOptions): Promise<MigratedLegacyItems> {
    return this.#caller.call("items.migrateLegacy", params, options);
  }

  /**
   * Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home
   * become global items, and `.codex/memory/memory.jsonl` of the repository becomes items of the
   * repository.
   *
   * Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history`
   * and never recalled. Secrets are redacted. Lines that cannot be read are named, and the files
   * stay as they are; copying them twice is the same as once.
   */
  migrateLegacySync(params: ItemsMigrateLegacyParams = {}, options?: CallOptions): MigratedLegacyItems {
    return this.#caller.callSync("items.migrateLegacy", params, options);
  }

  /**
   * Counts the items.
   */
  stats(params: ItemsStatsParams = {}, options?: CallOptions): Promise<ItemStats> {
    return this.#caller.call("items.stats", params, options);
  }

  /**
   * Counts the items.
   */
  statsSync(params: ItemsStatsParams = {}, options?: CallOptions): ItemStats {
    return this.#caller.callSync("items.stats", params, options);
  }
}

/** `files.*` of a store. */
export class FilesApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns a file with the numbers of its lines, or what is in a folder, two levels deep.
   *
   * All paths are below `/memories`. Hidden files are not listed, but can be viewed.
   */
  view(params: FilesViewParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.view", params, options);
  }

  /**
   * Returns a file with the numbers of its lines, or what is in a folder, two levels deep.
   *
   * All paths are below `/memories`. Hidden files are not listed, but can be viewed.
   */
  viewSync(params: FilesViewParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.view", params, options);
  }

  /**
   * Creates a file, and its folders. Secrets are redacted.
   */
  create(params: FilesCreateParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.create", params, options);
  }

  /**
   * Creates a file, and its folders. Secrets are redacted.
   */
  createSync(params: FilesCreateParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.create", params, options);
  }

  /**
   * Replaces a text that is in a file once. Secrets are redacted.
   */
  replace(params: FilesReplaceParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.replace", params, options);
  }

  /**
   * Replaces a text that is in a file once. Secrets are redacted.
   */
  replaceSync(params: FilesReplaceParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.replace", params, options);
  }

  /**
   * Inserts a text into a file. Secrets are redacted.
   */
  insert(params: FilesInsertParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.insert", params, options);
  }

  /**
   * Inserts a text into a file. Secrets are redacted.
   */
  insertSync(params: FilesInsertParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.insert", params, options);
  }

  /**
   * Removes a file, or a folder with everything in it. `undo.restore` brings back each file that
   * was text.
   */
  remove(params: FilesRemoveParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.remove", params, options);
  }

  /**
   * Removes a file, or a folder with everything in it. `undo.restore` brings back each file that
   * was text.
   */
  removeSync(params: FilesRemoveParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.remove", params, options);
  }

  /**
   * Renames a file or a folder, or moves it. The folders above the new path are created.
   */
  rename(params: FilesRenameParams, options?: CallOptions): Promise<FileAnswer> {
    return this.#caller.call("files.rename", params, options);
  }

  /**
   * Renames a file or a folder, or moves it. The folders above the new path are created.
   */
  renameSync(params: FilesRenameParams, options?: CallOptions): FileAnswer {
    return this.#caller.callSync("files.rename", params, options);
  }

  /**
   * Returns the files at a path and below it, by path, hidden ones included. Links are left out.
   */
  list(params: FilesListParams = {}, options?: CallOptions): Promise<FileEntry[]> {
    return this.#caller.call("files.list", params, options);
  }

  /**
   * Returns the files at a path and below it, by path, hidden ones included. Links are left out.
   */
  listSync(params: FilesListParams = {}, options?: CallOptions): FileEntry[] {
    return this.#caller.callSync("files.list", params, options);
  }
}

/** `rollouts.*` of a store. */
export class RolloutsApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Registers a session, or what changed about it, and returns it as stored. Nothing is stored of a
   * session that was forgotten.
   */
  upsertThread(params: RolloutsUpsertThreadParams, options?: CallOptions): Promise<Thread> {
    return this.#caller.call("rollouts.upsertThread", params, options);
  }

  /**
   * Registers a session, or what changed about it, and returns it as stored. Nothing is stored of a
   * session that was forgotten.
   */
  upsertThreadSync(params: RolloutsUpsertThreadParams, options?: CallOptions): Thread {
    return this.#caller.callSync("rollouts.upsertThread", params, options);
  }

  /**
   * Finds transcripts and registers their sessions: rollouts of Codex below `sessions` and
   * `archived_sessions` in the Codex home, and sessions of Claude Code below `projects` in
   * `CLAUDE_CONFIG_DIR` or `~/.claude`.
   *
   * A transcript that did not change since the last scan is not read; of one that did, only its
   * beginning and its end are.
   */
  scan(params: RolloutsScanParams = {}, options?: CallOptions): Promise<ScannedTranscripts> {
    return this.#caller.call("rollouts.scan", params, options);
  }

  /**
   * Finds transcripts and registers their sessions: rollouts of Codex below `sessions` and
   * `archived_sessions` in the Codex home, and sessions of Claude Code below `projects` in
   * `CLAUDE_CONFIG_DIR` or `~/.claude`.
   *
   * A transcript that did not change since the last scan is not read; of one that did, only its
   * beginning and its end are.
   */
  scanSync(params: RolloutsScanParams = {}, options?: CallOptions): ScannedTranscripts {
    return this.#caller.callSync("rollouts.scan", params, options);
  }

  /**
   * Returns what a model should read of a session: its transcript, with the instructions and the
   * schema of the answer.
   *
   * The transcript is redacted and without the texts of the system and the developer. It is fitted
   * to the budget by importance, messages of people and final answers first, and is in the order of
   * the session.
   */
  input(params: RolloutsInputParams, options?: CallOptions): Promise<Stage1Input> {
    return this.#caller.call("rollouts.input", params, options);
  }

  /**
   * Returns what a model should read of a session: its transcript, with the instructions and the
   * schema of the answer.
   *
   * The transcript is redacted and without the texts of the system and the developer. It is fitted
   * to the budget by importance, messages of people and final answers first, and is in the order of
   * the session.
   */
  inputSync(params: RolloutsInputParams, options?: CallOptions): Stage1Input {
    return this.#caller.callSync("rollouts.input", params, options);
  }

  /**
   * Claims sessions whose memory is due to be extracted, the newest first.
   *
   * A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since
   * its memory was extracted. A claim ends after an hour unless it is renewed, and spends one of
   * three attempts, which a change of the session refills. At most 64 sessions are claimed at once.
   */
  claimStage1(params: RolloutsClaimStage1Params, options?: CallOptions): Promise<Stage1Claims> {
    return this.#caller.call("rollouts.claimStage1", params, options);
  }

  /**
   * Claims sessions whose memory is due to be extracted, the newest first.
   *
   * A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since
   * its memory was extracted. A claim ends after an hour unless it is renewed, and spends one of
   * three attempts, which a change of the session refills. At most 64 sessions are claimed at once.
   */
  claimStage1Sync(params: RolloutsClaimStage1Params, options?: CallOptions): Stage1Claims {
    return this.#caller.callSync("rollouts.claimStage1", params, options);
  }

  /**
   * Renews a claim. `LeaseLost` if it is not the caller's anymore: the caller should drop its work.
   */
  heartbeat(params: RolloutsHeartbeatParams, options?: CallOptions): Promise<RenewedLease> {
    return this.#caller.call("rollouts.heartbeat", params, options);
  }

  /**
   * Renews a claim. `LeaseLost` if it is not the caller's anymore: the caller should drop its work.
   */
  heartbeatSync(params: RolloutsHeartbeatParams, options?: CallOptions): RenewedLease {
    return this.#caller.callSync("rollouts.heartbeat", params, options);
  }

  /**
   * Stores what a model made of a claimed session. `LeaseLost` if the claim is not the caller's
   * anymore: nothing is written.
   *
   * An output whose texts are all empty is a success: what was stored of the session is removed.
   * Secrets are redacted.
   */
  completeStage1(params: RolloutsCompleteStage1Params, options?: CallOptions): Promise<CompletedStage1> {
    return this.#caller.call("rollouts.completeStage1", params, options);
  }

  /**
   * Stores what a model made of a claimed session. `LeaseLost` if the claim is not the caller's
   * anymore: nothing is written.
   *
   * An output whose texts are all empty is a success: what was stored of the session is removed.
   * Secrets are redacted.
   */
  completeStage1Sync(params: RolloutsCompleteStage1Params, options?: CallOptions): CompletedStage1 {
    return this.#caller.callSync("rollouts.completeStage1", params, options);
  }

  /**
   * Records that the work on a claimed session failed. It is due again later, unless its attempts
   * are spent.
   */
  failStage1(params: RolloutsFailStage1Params, options?: CallOptions): Promise<FailedJob> {
    return this.#caller.call("rollouts.failStage1", params, options);
  }

  /**
   * Records that the work on a claimed session failed. It is due again later, unless its attempts
   * are spent.
   */
  failStage1Sync(params: RolloutsFailStage1Params, options?: CallOptions): FailedJob {
    return this.#caller.callSync("rollouts.failStage1", params, options);
  }

  /**
   * Brings the files under the memory root up to date: `rollout_summaries/` with a file a session,
   * and `raw_memories.md`.
   *
   * They are a function of what is stored: only files whose contents change are written. A file
   * that was changed is set aside before it is replaced. Files of these names that loopmem did not
   * write are a `Conflict`.
   */
  materialize(params: RolloutsMaterializeParams = {}, options?: CallOptions): Promise<MaterializedFiles> {
    return this.#caller.call("rollouts.materialize", params, options);
  }

  /**
   * Brings the files under the memory root up to date: `rollout_summaries/` with a file a session,
   * and `raw_memories.md`.
   *
   * They are a function of what is stored: only files whose contents change are written. A file
   * that was changed is set aside before it is replaced. Files of these names that loopmem did not
   * write are a `Conflict`.
   */
  materializeSync(params: RolloutsMaterializeParams = {}, options?: CallOptions): MaterializedFiles {
    return this.#caller.callSync("rollouts.materialize", params, options);
  }

  /**
   * Claims the consolidation of what sessions left, if there is anything new. One worker has it at
   * a time, for an hour unless it renews its claim.
   *
   * The claim comes with the inputs, what changed since the last consolidation, the files that were
   * edited since, and the instructions for the model. The files that it reads are up to date.
   */
  claimConsolidation(params: RolloutsClaimConsolidationParams, options?: CallOptions): Promise<ConsolidationClaim> {
    return this.#caller.call("rollouts.claimConsolidation", params, options);
  }

  /**
   * Claims the consolidation of what sessions left, if there is anything new. One worker has it at
   * a time, for an hour unless it renews its claim.
   *
   * The claim comes with the inputs, what changed since the last consolidation, the files that were
   * edited since, and the instructions for the model. The files that it reads are up to date.
   */
  claimConsolidationSync(params: RolloutsClaimConsolidationParams, options?: CallOptions): ConsolidationClaim {
    return this.#caller.callSync("rollouts.claimConsolidation", params, options);
  }

  /**
   * Ends a consolidation with success.
   */
  completeConsolidation(
    params: RolloutsCompleteConsolidationParams,
    options?: CallOptions,
  ): Promise<CompletedConsolidation> {
    return this.#caller.call("rollouts.completeConsolidation", params, options);
  }

  /**
   * Ends a consolidation with success.
   */
  completeConsolidationSync(
    params: RolloutsCompleteConsolidationParams,
    options?: CallOptions,
  ): CompletedConsolidation {
    return this.#caller.callSync("rollouts.completeConsolidation", params, options);
  }

  /**
   * Records that a consolidation failed. New work does not shorten the wait for the next attempt.
   */
  failConsolidation(params: RolloutsFailConsolidationParams, options?: CallOptions): Promise<FailedJob> {
    return this.#caller.call("rollouts.failConsolidation", params, options);
  }

  /**
   * Records that a consolidation failed. New work does not shorten the wait for the next attempt.
   */
  failConsolidationSync(params: RolloutsFailConsolidationParams, options?: CallOptions): FailedJob {
    return this.#caller.callSync("rollouts.failConsolidation", params, options);
  }

  /**
   * Works on every session that is due, and then consolidates, with external commands as the model.
   *
   * A command gets one JSON object on standard input and writes its answer to standard output;
   * `docs/ROLLOUTS.md` has the members. One that fails, takes too long or answers nonsense fails
   * its session, which is tried again later. After three failures in a row, the other sessions are
   * left for the next run. A command that cannot be started, or that ends with exit status 127, is
   * a `ValidationError` and spends no attempt.
   */
  run(params: RolloutsRunParams = {}, options?: CallOptions): Promise<RolloutsRun> {
    return this.#caller.call("rollouts.run", params, options);
  }

  /**
   * Works on every session that is due, and then consolidates, with external commands as the model.
   *
   * A command gets one JSON object on standard input and writes its answer to standard output;
   * `docs/ROLLOUTS.md` has the members. One that fails, takes too long or answers nonsense fails
   * its session, which is tried again later. After three failures in a row, the other sessions are
   * left for the next run. A command that cannot be started, or that ends with exit status 127, is
   * a `ValidationError` and spends no attempt.
   */
  runSync(params: RolloutsRunParams = {}, options?: CallOptions): RolloutsRun {
    return this.#caller.callSync("rollouts.run", params, options);
  }

  /**
   * Returns how many sessions and jobs are in which state, when the next one is due, and how the
   * consolidation is.
   */
  status(params: RolloutsStatusParams = {}, options?: CallOptions): Promise<RolloutsStatus> {
    return this.#caller.call("rollouts.status", params, options);
  }

  /**
   * Returns how many sessions and jobs are in which state, when the next one is due, and how the
   * consolidation is.
   */
  statusSync(params: RolloutsStatusParams = {}, options?: CallOptions): RolloutsStatus {
    return this.#caller.callSync("rollouts.status", params, options);
  }

  /**
   * Returns the registered sessions, the one that changed last first, each with why it is or is not
   * extracted.
   */
  list(params: RolloutsListParams = {}, options?: CallOptions): Promise<ThreadList> {
    return this.#caller.call("rollouts.list", params, options);
  }

  /**
   * Returns the registered sessions, the one that changed last first, each with why it is or is not
   * extracted.
   */
  listSync(params: RolloutsListParams = {}, options?: CallOptions): ThreadList {
    return this.#caller.callSync("rollouts.list", params, options);
  }

  /**
   * Returns the files of the memory root that agents may read, or one of them with its text:
   * `memory_summary.md`, `MEMORY.md` and `skills/NAME/SKILL.md`. What is about other projects is
   * left out, and so is what sessions left that were withdrawn. The list is empty if there is no
   * such file.
   */
  read(params: RolloutsReadParams = {}, options?: CallOptions): Promise<MemoryFiles> {
    return this.#caller.call("rollouts.read", params, options);
  }

  /**
   * Returns the files of the memory root that agents may read, or one of them with its text:
   * `memory_summary.md`, `MEMORY.md` and `skills/NAME/SKILL.md`. What is about other projects is
   * left out, and so is what sessions left that were withdrawn. The list is empty if there is no
   * such file.
   */
  readSync(params: RolloutsReadParams = {}, options?: CallOptions): MemoryFiles {
    return this.#caller.callSync("rollouts.read", params, options);
  }

  /**
   * Returns why a session is or is not extracted, with its job and its output.
   */
  explain(params: RolloutsExplainParams, options?: CallOptions): Promise<ThreadExplanation> {
    return this.#caller.call("rollouts.explain", params, options);
  }

  /**
   * Returns why a session is or is not extracted, with its job and its output.
   */
  explainSync(params: RolloutsExplainParams, options?: CallOptions): ThreadExplanation {
    return this.#caller.callSync("rollouts.explain", params, options);
  }

  /**
   * Makes sessions that failed due again: their attempts are refilled and their waits end.
   */
  retry(params: RolloutsRetryParams = {}, options?: CallOptions): Promise<RetriedRollouts> {
    return this.#caller.call("rollouts.retry", params, options);
  }

  /**
   * Makes sessions that failed due again: their attempts are refilled and their waits end.
   */
  retrySync(params: RolloutsRetryParams = {}, options?: CallOptions): RetriedRollouts {
    return this.#caller.callSync("rollouts.retry", params, options);
  }

  /**
   * Counts that the memory of sessions was used, such as when it is cited. What is used often and
   * recently is consolidated first.
   */
  recordUsage(params: RolloutsRecordUsageParams, options?: CallOptions): Promise<RecordedUsage> {
    return this.#caller.call("rollouts.recordUsage", params, options);
  }

  /**
   * Counts that the memory of sessions was used, such as when it is cited. What is used often and
   * recently is consolidated first.
   */
  recordUsageSync(params: RolloutsRecordUsageParams, options?: CallOptions): RecordedUsage {
    return this.#caller.callSync("rollouts.recordUsage", params, options);
  }

  /**
   * Sets whether the memory of a session may be extracted and shown. If something was extracted,
   * another consolidation is due, and the next `rollouts.materialize` adds or removes its files.
   */
  setMode(params: RolloutsSetModeParams, options?: CallOptions): Promise<Thread> {
    return this.#caller.call("rollouts.setMode", params, options);
  }

  /**
   * Sets whether the memory of a session may be extracted and shown. If something was extracted,
   * another consolidation is due, and the next `rollouts.materialize` adds or removes its files.
   */
  setModeSync(params: RolloutsSetModeParams, options?: CallOptions): Thread {
    return this.#caller.callSync("rollouts.setMode", params, options);
  }

  /**
   * Removes everything that is stored of a session, and its files. It is never extracted again. If
   * it was part of the last consolidation, another one is due.
   */
  forget(params: RolloutsForgetParams, options?: CallOptions): Promise<ForgottenThread> {
    return this.#caller.call("rollouts.forget", params, options);
  }

  /**
   * Removes everything that is stored of a session, and its files. It is never extracted again. If
   * it was part of the last consolidation, another one is due.
   */
  forgetSync(params: RolloutsForgetParams, options?: CallOptions): ForgottenThread {
    return this.#caller.callSync("rollouts.forget", params, options);
  }

  /**
   * Clears outputs and jobs, and the files made of them. Sessions, their modes and what was
   * forgotten stay. What a consolidation wrote stays too.
   */
  reset(params: RolloutsResetParams = {}, options?: CallOptions): Promise<ResetRollouts> {
    return this.#caller.call("rollouts.reset", params, options);
  }

  /**
   * Clears outputs and jobs, and the files made of them. Sessions, their modes and what was
   * forgotten stay. What a consolidation wrote stays too.
   */
  resetSync(params: RolloutsResetParams = {}, options?: CallOptions): ResetRollouts {
    return this.#caller.callSync("rollouts.reset", params, options);
  }

  /**
   * Moves the memory of an older program from `memories/user/memory` to the memory root, once, if
   * the root holds no other memory. Nothing is overwritten, and the folders for single working
   * folders stay where they are.
   */
  migrateLegacyRoot(params: RolloutsMigrateLegacyRootParams = {}, options?: CallOptions): Promise<MigratedLegacyRoot> {
    return this.#caller.call("rollouts.migrateLegacyRoot", params, options);
  }

  /**
   * Moves the memory of an older program from `memories/user/memory` to the memory root, once, if
   * the root holds no other memory. Nothing is overwritten, and the folders for single working
   * folders stay where they are.
   */
  migrateLegacyRootSync(params: RolloutsMigrateLegacyRootParams = {}, options?: CallOptions): MigratedLegacyRoot {
    return this.#caller.callSync("rollouts.migrateLegacyRoot", params, options);
  }
}

/** `branch.*` of a store. */
export class BranchApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Reads the configuration of memories and returns each with its folder, its branch and its
   * limits.
   *
   * Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name`
   * says otherwise.
   */
  parseConfig(params: BranchParseConfigParams = {}, options?: CallOptions): Promise<BranchMemories> {
    return this.#caller.call("branch.parseConfig", params, options);
  }

  /**
   * Reads the configuration of memories and returns each with its folder, its branch and its
   * limits.
   *
   * Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name`
   * says otherwise.
   */
  parseConfigSync(params: BranchParseConfigParams = {}, options?: CallOptions): BranchMemories {
    return this.#caller.callSync("branch.parseConfig", params, options);
  }

  /**
   * Brings the folder of a memory up to date with its branch, and returns the commit that its files
   * come from.
   *
   * Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges
   * them. If the branch does not exist, the folder is created, and the first push creates the
   * branch; if `create-orphan` is false, that is an error. The user's own git does the network
   * work. Reports its progress in two steps.
   */
  checkout(params: BranchCheckoutParams = {}, options?: CallOptions): Promise<BranchCheckout> {
    return this.#caller.call("branch.checkout", params, options);
  }

  /**
   * Brings the folder of a memory up to date with its branch, and returns the commit that its files
   * come from.
   *
   * Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges
   * them. If the branch does not exist, the folder is created, and the first push creates the
   * branch; if `create-orphan` is false, that is an error. The user's own git does the network
   * work. Reports its progress in two steps.
   */
  checkoutSync(params: BranchCheckoutParams = {}, options?: CallOptions): BranchCheckout {
    return this.#caller.callSync("branch.checkout", params, options);
  }

  /**
   * Checks the files in the folder of a memory against its rules, and returns every fault with its
   * path, rule and limit.
   *
   * `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and
   * checks the files together with those that others have pushed; so does this method if `merged`
   * is true.
   */
  validate(params: BranchValidateParams = {}, options?: CallOptions): Promise<BranchValidation> {
    return this.#caller.call("branch.validate", params, options);
  }

  /**
   * Checks the files in the folder of a memory against its rules, and returns every fault with its
   * path, rule and limit.
   *
   * `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and
   * checks the files together with those that others have pushed; so does this method if `merged`
   * is true.
   */
  validateSync(params: BranchValidateParams = {}, options?: CallOptions): BranchValidation {
    return this.#caller.callSync("branch.validate", params, options);
  }

  /**
   * Commits the files in the folder of a memory to its branch, merged with what others pushed
   * meanwhile, and brings the folder up to date.
   *
   * Removed and renamed files are removed and renamed on the branch too. Where both sides changed
   * the same thing, the folder wins, and `conflicts` says where the other version is. Secrets in
   * texts are redacted. Nothing is pushed if a file breaks a rule, alone or together with those of
   * others. If the repository cannot be reached or does not take the push, or others are faster
   * every time, the call fails with a `GitError`, and the commit waits beside the folder for the
   * next push. A cancelled call may have pushed (`mayBeStored`). Reports its progress in three
   * steps.
   */
  push(params: BranchPushParams = {}, options?: CallOptions): Promise<BranchPush> {
    return this.#caller.call("branch.push", params, options);
  }

  /**
   * Commits the files in the folder of a memory to its branch, merged with what others pushed
   * meanwhile, and brings the folder up to date.
   *
   * Removed and renamed files are removed and renamed on the branch too. Where both sides changed
   * the same thing, the folder wins, and `conflicts` says where the other version is. Secrets in
   * texts are redacted. Nothing is pushed if a file breaks a rule, alone or together with those of
   * others. If the repository cannot be reached or does not take the push, or others are faster
   * every time, the call fails with a `GitError`, and the commit waits beside the folder for the
   * next push. A cancelled call may have pushed (`mayBeStored`). Reports its progress in three
   * steps.
   */
  pushSync(params: BranchPushParams = {}, options?: CallOptions): BranchPush {
    return this.#caller.callSync("branch.push", params, options);
  }

  /**
   * Writes an artifact of the files in the folder of a memory: one file that passes them on to
   * another job or machine.
   *
   * It is a tar file that names the memory, the commit that its files come from, and every file
   * with its hash. Secrets in texts are redacted. The same files give the same bytes.
   */
  pack(params: BranchPackParams, options?: CallOptions): Promise<BranchPacked> {
    return this.#caller.call("branch.pack", params, options);
  }

  /**
   * Writes an artifact of the files in the folder of a memory: one file that passes them on to
   * another job or machine.
   *
   * It is a tar file that names the memory, the commit that its files come from, and every file
   * with its hash. Secrets in texts are redacted. The same files give the same bytes.
   */
  packSync(params: BranchPackParams, options?: CallOptions): BranchPacked {
    return this.#caller.callSync("branch.pack", params, options);
  }

  /**
   * Brings the files of an artifact to the folder of its memory.
   *
   * Files that are the same are not written, changes in the folder stay, and the next `branch.push`
   * knows the commit that the files come from. Everything in the artifact is checked before the
   * first file is written.
   */
  unpack(params: BranchUnpackParams, options?: CallOptions): Promise<BranchUnpacked> {
    return this.#caller.call("branch.unpack", params, options);
  }

  /**
   * Brings the files of an artifact to the folder of its memory.
   *
   * Files that are the same are not written, changes in the folder stay, and the next `branch.push`
   * knows the commit that the files come from. Everything in the artifact is checked before the
   * first file is written.
   */
  unpackSync(params: BranchUnpackParams, options?: CallOptions): BranchUnpacked {
    return this.#caller.callSync("branch.unpack", params, options);
  }

  /**
   * Makes a snapshot of the branch of a memory, as it is in its repository.
   *
   * It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.
   */
  snapshot(params: BranchSnapshotParams = {}, options?: CallOptions): Promise<BranchSnapshot> {
    return this.#caller.call("branch.snapshot", params, options);
  }

  /**
   * Makes a snapshot of the branch of a memory, as it is in its repository.
   *
   * It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.
   */
  snapshotSync(params: BranchSnapshotParams = {}, options?: CallOptions): BranchSnapshot {
    return this.#caller.callSync("branch.snapshot", params, options);
  }

  /**
   * Returns the snapshots of the branch of a memory, newest first.
   */
  snapshots(params: BranchSnapshotsParams = {}, options?: CallOptions): Promise<BranchSnapshots> {
    return this.#caller.call("branch.snapshots", params, options);
  }

  /**
   * Returns the snapshots of the branch of a memory, newest first.
   */
  snapshotsSync(params: BranchSnapshotsParams = {}, options?: CallOptions): BranchSnapshots {
    return this.#caller.callSync("branch.snapshots", params, options);
  }

  /**
   * Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the
   * branch has.
   *
   * Nothing is lost: the commits in between stay. The next checkout or push of the folder changes
   * its files.
   */
  rollback(params: BranchRollbackParams, options?: CallOptions): Promise<BranchRollback> {
    return this.#caller.call("branch.rollback", params, options);
  }

  /**
   * Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the
   * branch has.
   *
   * Nothing is lost: the commits in between stay. The next checkout or push of the folder changes
   * its files.
   */
  rollbackSync(params: BranchRollbackParams, options?: CallOptions): BranchRollback {
    return this.#caller.callSync("branch.rollback", params, options);
  }

  /**
   * Removes snapshots of the branch of a memory: all but the newest, or those of a certain age.
   * Without a limit, it removes none.
   */
  prune(params: BranchPruneParams = {}, options?: CallOptions): Promise<PrunedSnapshots> {
    return this.#caller.call("branch.prune", params, options);
  }

  /**
   * Removes snapshots of the branch of a memory: all but the newest, or those of a certain age.
   * Without a limit, it removes none.
   */
  pruneSync(params: BranchPruneParams = {}, options?: CallOptions): PrunedSnapshots {
    return this.#caller.callSync("branch.prune", params, options);
  }

  /**
   * Returns the section of a prompt that describes memories to an agent: folders, branches, limits
   * and patterns.
   */
  prompt(params: BranchPromptParams = {}, options?: CallOptions): Promise<BranchPrompt> {
    return this.#caller.call("branch.prompt", params, options);
  }

  /**
   * Returns the section of a prompt that describes memories to an agent: folders, branches, limits
   * and patterns.
   */
  promptSync(params: BranchPromptParams = {}, options?: CallOptions): BranchPrompt {
    return this.#caller.callSync("branch.prompt", params, options);
  }

  /**
   * Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs,
   * upload them after it, and validate and push them in a job of their own. They call the command
   * `loopmem`.
   */
  workflow(params: BranchWorkflowParams = {}, options?: CallOptions): Promise<BranchWorkflow> {
    return this.#caller.call("branch.workflow", params, options);
  }

  /**
   * Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs,
   * upload them after it, and validate and push them in a job of their own. They call the command
   * `loopmem`.
   */
  workflowSync(params: BranchWorkflowParams = {}, options?: CallOptions): BranchWorkflow {
    return this.#caller.callSync("branch.workflow", params, options);
  }

  /**
   * Returns whether a pattern matches the path of a file, which is relative to the folder of the
   * memory.
   *
   * The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**`
   * any text at all, and every other character stands for itself.
   */
  match(params: BranchMatchParams, options?: CallOptions): Promise<PatternMatch> {
    return this.#caller.call("branch.match", params, options);
  }

  /**
   * Returns whether a pattern matches the path of a file, which is relative to the folder of the
   * memory.
   *
   * The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**`
   * any text at all, and every other character stands for itself.
   */
  matchSync(params: BranchMatchParams, options?: CallOptions): PatternMatch {
    return this.#caller.callSync("branch.match", params, options);
  }

  /**
   * Merges what others changed in a file of records since both sides started from the same version,
   * as a push does: `.jsonl` and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem
   * merge-driver`.
   *
   * Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets
   * in what is written are redacted. A file with another ending is left as it is.
   */
  mergeFile(params: BranchMergeFileParams, options?: CallOptions): Promise<MergedFile> {
    return this.#caller.call("branch.mergeFile", params, options);
  }

  /**
   * Merges what others changed in a file of records since both sides started from the same version,
   * as a push does: `.jsonl` and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem
   * merge-driver`.
   *
   * Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets
   * in what is written are redacted. A file with another ending is left as it is.
   */
  mergeFileSync(params: BranchMergeFileParams, options?: CallOptions): MergedFile {
    return this.#caller.callSync("branch.mergeFile", params, options);
  }
}

/** `undo.*` of a store. */
export class UndoApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns what was removed or replaced, newest first: of the repository and, unless that is named
   * by its hash, of the branch that it inherits from, of the items that apply to its folder, and of
   * the contexts of jobs. The trash keeps it for `trash.keepDays` (30).
   *
   * What a call replaces is kept if the store was opened with `keepReplaced`, as the command line
   * does.
   */
  list(params: UndoListParams = {}, options?: CallOptions): Promise<UndoEntry[]> {
    return this.#caller.call("undo.list", params, options);
  }

  /**
   * Returns what was removed or replaced, newest first: of the repository and, unless that is named
   * by its hash, of the branch that it inherits from, of the items that apply to its folder, and of
   * the contexts of jobs. The trash keeps it for `trash.keepDays` (30).
   *
   * What a call replaces is kept if the store was opened with `keepReplaced`, as the command line
   * does.
   */
  listSync(params: UndoListParams = {}, options?: CallOptions): UndoEntry[] {
    return this.#caller.callSync("undo.list", params, options);
  }

  /**
   * Puts a record that was removed or replaced back as it was, and returns its entry of the trash,
   * which is removed.
   *
   * If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a
   * record with the id of a removed one exists again.
   */
  restore(params: UndoRestoreParams, options?: CallOptions): Promise<UndoEntry> {
    return this.#caller.call("undo.restore", params, options);
  }

  /**
   * Puts a record that was removed or replaced back as it was, and returns its entry of the trash,
   * which is removed.
   *
   * If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a
   * record with the id of a removed one exists again.
   */
  restoreSync(params: UndoRestoreParams, options?: CallOptions): UndoEntry {
    return this.#caller.callSync("undo.restore", params, options);
  }
}

/** `sync.*` of a store. */
export class SyncApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Brings the memory of a repository and that on a branch of its own remote together: conventions,
   * decisions and notes of all branches, items, and with `sync.summaries` step summaries.
   *
   * Nothing is sent unless it was switched on for the repository. Records are merged three-way
   * against what was last the same, removals included, and redacted. If the remote cannot be
   * reached, the changes wait for the next run.
   */
  run(params: SyncRunParams = {}, options?: CallOptions): Promise<SyncRun> {
    return this.#caller.call("sync.run", params, options);
  }

  /**
   * Brings the memory of a repository and that on a branch of its own remote together: conventions,
   * decisions and notes of all branches, items, and with `sync.summaries` step summaries.
   *
   * Nothing is sent unless it was switched on for the repository. Records are merged three-way
   * against what was last the same, removals included, and redacted. If the remote cannot be
   * reached, the changes wait for the next run.
   */
  runSync(params: SyncRunParams = {}, options?: CallOptions): SyncRun {
    return this.#caller.callSync("sync.run", params, options);
  }

  /**
   * Returns whether the memory of a repository is synchronized with its remote, and how many
   * changes wait.
   */
  status(params: SyncStatusParams = {}, options?: CallOptions): Promise<SyncStatus> {
    return this.#caller.call("sync.status", params, options);
  }

  /**
   * Returns whether the memory of a repository is synchronized with its remote, and how many
   * changes wait.
   */
  statusSync(params: SyncStatusParams = {}, options?: CallOptions): SyncStatus {
    return this.#caller.callSync("sync.status", params, options);
  }
}

/** `archive.*` of a store. */
export class ArchiveApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Writes what is stored to an archive: one file, to keep it or to move it to another machine. By
   * default, everything that is stored of the repository: of every branch, of the folders it was
   * moved from, and of its other clones, with the items in its folders.
   *
   * An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets,
   * nothing of past sessions and no caches. An older archive at the path is replaced; any other
   * file is not.
   */
  export(params: ArchiveExportParams, options?: CallOptions): Promise<ExportedArchive> {
    return this.#caller.call("archive.export", params, options);
  }

  /**
   * Writes what is stored to an archive: one file, to keep it or to move it to another machine. By
   * default, everything that is stored of the repository: of every branch, of the folders it was
   * moved from, and of its other clones, with the items in its folders.
   *
   * An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets,
   * nothing of past sessions and no caches. An older archive at the path is replaced; any other
   * file is not.
   */
  exportSync(params: ArchiveExportParams, options?: CallOptions): ExportedArchive {
    return this.#caller.callSync("archive.export", params, options);
  }

  /**
   * Brings what an archive has. A record that is here in another version is merged: the newer one
   * stays, and the other is kept in the trash and named; a working context that is here stays.
   *
   * All of the archive is checked before anything is written, and its texts are redacted again.
   * Importing it again changes nothing. Import only what you trust: agents will read it.
   */
  import(params: ArchiveImportParams, options?: CallOptions): Promise<ImportedArchive> {
    return this.#caller.call("archive.import", params, options);
  }

  /**
   * Brings what an archive has. A record that is here in another version is merged: the newer one
   * stays, and the other is kept in the trash and named; a working context that is here stays.
   *
   * All of the archive is checked before anything is written, and its texts are redacted again.
   * Importing it again changes nothing. Import only what you trust: agents will read it.
   */
  importSync(params: ArchiveImportParams, options?: CallOptions): ImportedArchive {
    return this.#caller.callSync("archive.import", params, options);
  }
}

/** `index.*` of a store. */
export class IndexApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by
   * themselves.
   *
   * The index covers the files that git tracks or would offer to track. A file that has not changed
   * is not read, and a content that another branch or work tree has had is not parsed again. Files
   * of more than 1 MiB and binary files are not read.
   */
  refresh(params: IndexRefreshParams = {}, options?: CallOptions): Promise<RefreshedIndex> {
    return this.#caller.call("index.refresh", params, options);
  }

  /**
   * Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by
   * themselves.
   *
   * The index covers the files that git tracks or would offer to track. A file that has not changed
   * is not read, and a content that another branch or work tree has had is not parsed again. Files
   * of more than 1 MiB and binary files are not read.
   */
  refreshSync(params: IndexRefreshParams = {}, options?: CallOptions): RefreshedIndex {
    return this.#caller.callSync("index.refresh", params, options);
  }

  /**
   * Returns a map of the repository: the files that matter, each with the signatures of its most
   * relevant definitions.
   *
   * Files are ranked by the words that they share with the prompt, in their text, their definitions
   * and their paths, and by what the files in focus refer to. Without either, the map is an
   * overview: entry points, and the definitions that most files refer to. The map never exceeds
   * `maxChars`, and the same state of the files gives the same bytes.
   */
  map(params: IndexMapParams = {}, options?: CallOptions): Promise<RepoMap> {
    return this.#caller.call("index.map", params, options);
  }

  /**
   * Returns a map of the repository: the files that matter, each with the signatures of its most
   * relevant definitions.
   *
   * Files are ranked by the words that they share with the prompt, in their text, their definitions
   * and their paths, and by what the files in focus refer to. Without either, the map is an
   * overview: entry points, and the definitions that most files refer to. The map never exceeds
   * `maxChars`, and the same state of the files gives the same bytes.
   */
  mapSync(params: IndexMapParams = {}, options?: CallOptions): RepoMap {
    return this.#caller.callSync("index.map", params, options);
  }

  /**
   * Returns definitions of the repository, the best matches first: those whose names match `query`,
   * or those of a file or folder in the order of the files.
   */
  symbols(params: IndexSymbolsParams = {}, options?: CallOptions): Promise<RepoSymbol[]> {
    return this.#caller.call("index.symbols", params, options);
  }

  /**
   * Returns definitions of the repository, the best matches first: those whose names match `query`,
   * or those of a file or folder in the order of the files.
   */
  symbolsSync(params: IndexSymbolsParams = {}, options?: CallOptions): RepoSymbol[] {
    return this.#caller.callSync("index.symbols", params, options);
  }
}

/** `safety.*` of a store. */
export class SafetyApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
   *
   * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without
   * the home's key, a tag cannot be used to verify a guess. All other characters stay as they are,
   * and redacting a redacted text does not change it. Nothing of the text is stored, but the first
   * secret found creates the home's key.
   */
  async redact(params: SafetyRedactParams, options?: CallOptions): Promise<Redacted> {
    const text = textOf(params, "text");
    const result = await this.#caller.call("safety.redact", params, options);
    inUnits(text, result.findings, ["start", "end"]);
    return result;
  }

  /**
   * Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
   *
   * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without
   * the home's key, a tag cannot be used to verify a guess. All other characters stay as they are,
   * and redacting a redacted text does not change it. Nothing of the text is stored, but the first
   * secret found creates the home's key.
   */
  redactSync(params: SafetyRedactParams, options?: CallOptions): Redacted {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.redact", params, options);
    inUnits(text, result.findings, ["start", "end"]);
    return result;
  }

  /**
   * Returns the positions of the secrets in a text, but never the secrets themselves. Nothing of
   * the text is stored, but the first secret found creates the home's key.
   */
  async scan(params: SafetyScanParams, options?: CallOptions): Promise<SecretFinding[]> {
    const text = textOf(params, "text");
    const result = await this.#caller.call("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns the positions of the secrets in a text, but never the secrets themselves. Nothing of
   * the text is stored, but the first secret found creates the home's key.
   */
  scanSync(params: SafetyScanParams, options?: CallOptions): SecretFinding[] {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns every rule that detects secrets: the built-in rules, then those of the configuration,
   * of the user's rule file and of the options.
   */
  rules(params: SafetyRulesParams = {}, options?: CallOptions): Promise<SecretRule[]> {
    return this.#caller.call("safety.rules", params, options);
  }

  /**
   * Returns every rule that detects secrets: the built-in rules, then those of the configuration,
   * of the user's rule file and of the options.
   */
  rulesSync(params: SafetyRulesParams = {}, options?: CallOptions): SecretRule[] {
    return this.#caller.callSync("safety.rules", params, options);
  }

  /**
   * Returns what a call would redact, without making it: nothing is written.
   *
   * A call that redacts also says so itself: the logger gets a warning, and the call's options can
   * ask for the list.
   */
  preview(params: SafetyPreviewParams, options?: CallOptions): Promise<Redaction[]> {
    return this.#caller.call("safety.preview", params, options);
  }

  /**
   * Returns what a call would redact, without making it: nothing is written.
   *
   * A call that redacts also says so itself: the logger gets a warning, and the call's options can
   * ask for the list.
   */
  previewSync(params: SafetyPreviewParams, options?: CallOptions): Redaction[] {
    return this.#caller.callSync("safety.preview", params, options);
  }

  /**
   * Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.
   *
   * A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is
   * at least one. Stores that are opened afterwards apply it.
   */
  allow(params: SafetyAllowParams, options?: CallOptions): Promise<Allowance> {
    return this.#caller.call("safety.allow", params, options);
  }

  /**
   * Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.
   *
   * A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is
   * at least one. Stores that are opened afterwards apply it.
   */
  allowSync(params: SafetyAllowParams, options?: CallOptions): Allowance {
    return this.#caller.callSync("safety.allow", params, options);
  }

  /**
   * Returns the declared false positives, of the home's `redaction.toml` and of the options of the
   * store.
   */
  allowances(params: SafetyAllowancesParams = {}, options?: CallOptions): Promise<Allowance[]> {
    return this.#caller.call("safety.allowances", params, options);
  }

  /**
   * Returns the declared false positives, of the home's `redaction.toml` and of the options of the
   * store.
   */
  allowancesSync(params: SafetyAllowancesParams = {}, options?: CallOptions): Allowance[] {
    return this.#caller.callSync("safety.allowances", params, options);
  }
}

/** `doctor.*` of a store. */
export class DoctorApi {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Checks every file of the home, the global items and those of the current workspace, and with
   * `fix` repairs what is wrong.
   *
   * Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file
   * beside the original, never deleted, and every intact record is recovered; file modes are
   * corrected, and what crashed writers left behind is removed. Files written by a newer version
   * are never changed. A file that cannot be read or repaired is reported as a finding, not as an
   * error.
   */
  check(params: DoctorCheckParams = {}, options?: CallOptions): Promise<DoctorReport> {
    return this.#caller.call("doctor.check", params, options);
  }

  /**
   * Checks every file of the home, the global items and those of the current workspace, and with
   * `fix` repairs what is wrong.
   *
   * Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file
   * beside the original, never deleted, and every intact record is recovered; file modes are
   * corrected, and what crashed writers left behind is removed. Files written by a newer version
   * are never changed. A file that cannot be read or repaired is reported as a finding, not as an
   * error.
   */
  checkSync(params: DoctorCheckParams = {}, options?: CallOptions): DoctorReport {
    return this.#caller.callSync("doctor.check", params, options);
  }
}

/** The methods of a store, grouped by module. */
export class StoreApi {
  /** `repo.*` */
  readonly repo: RepoApi;
  /** `memory.*` */
  readonly memory: MemoryApi;
  /** `summary.*` */
  readonly summary: SummaryApi;
  /** `context.*` */
  readonly context: ContextApi;
  /** `search.*` */
  readonly search: SearchApi;
  /** `status.*` */
  readonly status: StatusApi;
  /** `working.*` */
  readonly working: WorkingApi;
  /** `adapter.*` */
  readonly adapter: AdapterApi;
  /** `items.*` */
  readonly items: ItemsApi;
  /** `files.*` */
  readonly files: FilesApi;
  /** `rollouts.*` */
  readonly rollouts: RolloutsApi;
  /** `branch.*` */
  readonly branch: BranchApi;
  /** `undo.*` */
  readonly undo: UndoApi;
  /** `sync.*` */
  readonly sync: SyncApi;
  /** `archive.*` */
  readonly archive: ArchiveApi;
  /** `index.*` */
  readonly index: IndexApi;
  /** `safety.*` */
  readonly safety: SafetyApi;
  /** `doctor.*` */
  readonly doctor: DoctorApi;

  constructor(caller: Caller) {
    this.repo = new RepoApi(caller);
    this.memory = new MemoryApi(caller);
    this.summary = new SummaryApi(caller);
    this.context = new ContextApi(caller);
    this.search = new SearchApi(caller);
    this.status = new StatusApi(caller);
    this.working = new WorkingApi(caller);
    this.adapter = new AdapterApi(caller);
    this.items = new ItemsApi(caller);
    this.files = new FilesApi(caller);
    this.rollouts = new RolloutsApi(caller);
    this.branch = new BranchApi(caller);
    this.undo = new UndoApi(caller);
    this.sync = new SyncApi(caller);
    this.archive = new ArchiveApi(caller);
    this.index = new IndexApi(caller);
    this.safety = new SafetyApi(caller);
    this.doctor = new DoctorApi(caller);
  }
}
