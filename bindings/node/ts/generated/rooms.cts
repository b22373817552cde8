// Generated from the method table by scripts/generate. Do not edit.

import type {
  Checkpoint,
  ContextBuildParams,
  ContextPack,
  Convention,
  Decision,
  DoctorCheckParams,
  DoctorReport,
  JsonValue,
  KnownRepo,
  MemoryEntry,
  MemoryGetParams,
  MemoryListParams,
  MemoryRecord,
  MemoryRemoveParams,
  MemoryUpsertConventionParams,
  MemoryUpsertDecisionParams,
  MemoryUpsertNoteParams,
  Migration,
  Note,
  Redacted,
  Removed,
  RepoIdentifyParams,
  RepoIdentity,
  RepoListParams,
  RepoMemory,
  RepoMigrateParams,
  RepoSanitizeRemoteUrlParams,
  SafetyRedactParams,
  SafetyRulesParams,
  SafetyScanParams,
  SanitizedUrl,
  ScoredEntry,
  SecretFinding,
  SecretRule,
  Summary,
  SummaryAppendParams,
  SummaryEndStepParams,
  SummaryListParams,
  TrailEntry,
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
export class RepoRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Tells which repository a folder belongs to: the hash under which its memory is kept, and what
   * went into it.
   *
   * Outside a repository a folder is identified by its path. Memory that is kept by path does not
   * travel between machines.
   */
  identify(params: RepoIdentifyParams = {}, options?: CallOptions): Promise<RepoIdentity> {
    return this.#caller.call("repo.identify", params, options);
  }

  /**
   * Tells which repository a folder belongs to: the hash under which its memory is kept, and what
   * went into it.
   *
   * Outside a repository a folder is identified by its path. Memory that is kept by path does not
   * travel between machines.
   */
  identifySync(params: RepoIdentifyParams = {}, options?: CallOptions): RepoIdentity {
    return this.#caller.callSync("repo.identify", params, options);
  }

  /**
   * Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH
   * URL one form.
   */
  sanitizeRemoteUrl(params: RepoSanitizeRemoteUrlParams, options?: CallOptions): Promise<SanitizedUrl> {
    return this.#caller.call("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH
   * URL one form.
   */
  sanitizeRemoteUrlSync(params: RepoSanitizeRemoteUrlParams, options?: CallOptions): SanitizedUrl {
    return this.#caller.callSync("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Lists the repositories that something is stored for, the last changed first.
   */
  list(params: RepoListParams = {}, options?: CallOptions): Promise<KnownRepo[]> {
    return this.#caller.call("repo.list", params, options);
  }

  /**
   * Lists the repositories that something is stored for, the last changed first.
   */
  listSync(params: RepoListParams = {}, options?: CallOptions): KnownRepo[] {
    return this.#caller.callSync("repo.list", params, options);
  }

  /**
   * Copies what one repository hash remembers to another: after a branch was renamed, a folder
   * moved or a remote changed.
   *
   * Records whose id, and summaries whose run, step and time are there already stay as they are
   * there. The source stays as it was. The target keeps its limits: of all summaries the oldest
   * beyond them are left behind or go, and are counted. When anything is in the way, nothing is
   * copied.
   */
  migrate(params: RepoMigrateParams, options?: CallOptions): Promise<Migration> {
    return this.#caller.call("repo.migrate", params, options);
  }

  /**
   * Copies what one repository hash remembers to another: after a branch was renamed, a folder
   * moved or a remote changed.
   *
   * Records whose id, and summaries whose run, step and time are there already stay as they are
   * there. The source stays as it was. The target keeps its limits: of all summaries the oldest
   * beyond them are left behind or go, and are counted. When anything is in the way, nothing is
   * copied.
   */
  migrateSync(params: RepoMigrateParams, options?: CallOptions): Migration {
    return this.#caller.callSync("repo.migrate", params, options);
  }
}

/** `memory.*` of a store. */
export class MemoryRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns everything that is stored for a repository; empty when nothing is.
   */
  get(params: MemoryGetParams = {}, options?: CallOptions): Promise<RepoMemory> {
    return this.#caller.call("memory.get", params, options);
  }

  /**
   * Returns everything that is stored for a repository; empty when nothing is.
   */
  getSync(params: MemoryGetParams = {}, options?: CallOptions): RepoMemory {
    return this.#caller.callSync("memory.get", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * A draft with the id of a stored convention changes that one and keeps what the draft leaves
   * out; any other makes a new one. Secrets in it are redacted.
   */
  upsertConvention(params: MemoryUpsertConventionParams, options?: CallOptions): Promise<Convention> {
    return this.#caller.call("memory.upsertConvention", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * A draft with the id of a stored convention changes that one and keeps what the draft leaves
   * out; any other makes a new one. Secrets in it are redacted.
   */
  upsertConventionSync(params: MemoryUpsertConventionParams, options?: CallOptions): Convention {
    return this.#caller.callSync("memory.upsertConvention", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * A draft with the id of a stored decision changes that one and keeps what the draft leaves out;
   * any other makes a new one. Secrets in it are redacted.
   */
  upsertDecision(params: MemoryUpsertDecisionParams, options?: CallOptions): Promise<Decision> {
    return this.#caller.call("memory.upsertDecision", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * A draft with the id of a stored decision changes that one and keeps what the draft leaves out;
   * any other makes a new one. Secrets in it are redacted.
   */
  upsertDecisionSync(params: MemoryUpsertDecisionParams, options?: CallOptions): Decision {
    return this.#caller.callSync("memory.upsertDecision", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * A draft with the id of a stored note changes that one and keeps what the draft leaves out; any
   * other makes a new one. Secrets in it are redacted.
   */
  upsertNote(params: MemoryUpsertNoteParams, options?: CallOptions): Promise<Note> {
    return this.#caller.call("memory.upsertNote", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * A draft with the id of a stored note changes that one and keeps what the draft leaves out; any
   * other makes a new one. Secrets in it are redacted.
   */
  upsertNoteSync(params: MemoryUpsertNoteParams, options?: CallOptions): Note {
    return this.#caller.callSync("memory.upsertNote", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that every given filter lets through, each kind
   * oldest first.
   */
  list(params: MemoryListParams = {}, options?: CallOptions): Promise<MemoryRecord[]> {
    return this.#caller.call("memory.list", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that every given filter lets through, each kind
   * oldest first.
   */
  listSync(params: MemoryListParams = {}, options?: CallOptions): MemoryRecord[] {
    return this.#caller.callSync("memory.list", params, options);
  }

  /**
   * Removes the convention, decision or note with this id.
   */
  remove(params: MemoryRemoveParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("memory.remove", params, options);
  }

  /**
   * Removes the convention, decision or note with this id.
   */
  removeSync(params: MemoryRemoveParams, options?: CallOptions): Removed {
    return this.#caller.callSync("memory.remove", params, options);
  }
}

/** `summary.*` of a store. */
export class SummaryRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
   *
   * A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`; beyond
   * either the oldest go, never the newest.
   */
  append(params: SummaryAppendParams, options?: CallOptions): Promise<Summary> {
    return this.#caller.call("summary.append", params, options);
  }

  /**
   * Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
   *
   * A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`; beyond
   * either the oldest go, never the newest.
   */
  appendSync(params: SummaryAppendParams, options?: CallOptions): Summary {
    return this.#caller.callSync("summary.append", params, options);
  }

  /**
   * Ends a workflow step: makes one paragraph of its events, without a model, and appends it as
   * `summary.append` does.
   *
   * What happened, important outputs, what went wrong, what is to follow: each event once, in at
   * most 4,000 bytes. What has no room is counted in the text. The same events give the same
   * paragraph.
   */
  endStep(params: SummaryEndStepParams, options?: CallOptions): Promise<Summary> {
    return this.#caller.call("summary.endStep", params, options);
  }

  /**
   * Ends a workflow step: makes one paragraph of its events, without a model, and appends it as
   * `summary.append` does.
   *
   * What happened, important outputs, what went wrong, what is to follow: each event once, in at
   * most 4,000 bytes. What has no room is counted in the text. The same events give the same
   * paragraph.
   */
  endStepSync(params: SummaryEndStepParams, options?: CallOptions): Summary {
    return this.#caller.callSync("summary.endStep", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first.
   */
  list(params: SummaryListParams = {}, options?: CallOptions): Promise<Summary[]> {
    return this.#caller.call("summary.list", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first.
   */
  listSync(params: SummaryListParams = {}, options?: CallOptions): Summary[] {
    return this.#caller.callSync("summary.list", params, options);
  }
}

/** `context.*` of a store. */
export class ContextRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
   *
   * Conventions, decisions and notes come first, each oldest first, then the newest steps, newest
   * first. When there are steps, 40 of 100 characters are kept for them, or more when the newest
   * needs it; the other kinds share the rest, each its equal part and then what is left in their
   * order. Records are taken whole or named as dropped. The same state gives the same bytes in
   * every language.
   */
  build(params: ContextBuildParams, options?: CallOptions): Promise<ContextPack> {
    return this.#caller.call("context.build", params, options);
  }

  /**
   * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
   *
   * Conventions, decisions and notes come first, each oldest first, then the newest steps, newest
   * first. When there are steps, 40 of 100 characters are kept for them, or more when the newest
   * needs it; the other kinds share the rest, each its equal part and then what is left in their
   * order. Records are taken whole or named as dropped. The same state gives the same bytes in
   * every language.
   */
  buildSync(params: ContextBuildParams, options?: CallOptions): ContextPack {
    return this.#caller.callSync("context.build", params, options);
  }
}

/** `working.*` of a store. */
export class WorkingRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns the context of a scope; `{}` when there is none.
   */
  getContext(params: WorkingGetContextParams, options?: CallOptions): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.getContext", params, options);
  }

  /**
   * Returns the context of a scope; `{}` when there is none.
   */
  getContextSync(params: WorkingGetContextParams, options?: CallOptions): { [key: string]: JsonValue } {
    return this.#caller.callSync("working.getContext", params, options);
  }

  /**
   * Changes the context of a scope and returns the new one.
   *
   * Values are set by name, each in the place of the whole one before; null is stored as null.
   * Secrets in them are redacted. The change leaves an entry in the scope's trail.
   */
  updateContext(params: WorkingUpdateContextParams, options?: CallOptions): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.updateContext", params, options);
  }

  /**
   * Changes the context of a scope and returns the new one.
   *
   * Values are set by name, each in the place of the whole one before; null is stored as null.
   * Secrets in them are redacted. The change leaves an entry in the scope's trail.
   */
  updateContextSync(params: WorkingUpdateContextParams, options?: CallOptions): { [key: string]: JsonValue } {
    return this.#caller.callSync("working.updateContext", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets in it are redacted.
   */
  addLog(params: WorkingAddLogParams, options?: CallOptions): Promise<MemoryEntry> {
    return this.#caller.call("working.addLog", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets in it are redacted.
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
   * Finds entries in the log of a scope, the best first: by their vectors, or by their words.
   *
   * Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries without
   * one, or with one of another length, are passed over. Texts are compared by BM25; entries that
   * share no word are passed over.
   */
  searchLogs(params: WorkingSearchLogsParams, options?: CallOptions): Promise<ScoredEntry[]> {
    return this.#caller.call("working.searchLogs", params, options);
  }

  /**
   * Finds entries in the log of a scope, the best first: by their vectors, or by their words.
   *
   * Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries without
   * one, or with one of another length, are passed over. Texts are compared by BM25; entries that
   * share no word are passed over.
   */
  searchLogsSync(params: WorkingSearchLogsParams, options?: CallOptions): ScoredEntry[] {
    return this.#caller.callSync("working.searchLogs", params, options);
  }

  /**
   * Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.
   */
  saveCheckpoint(params: WorkingSaveCheckpointParams, options?: CallOptions): Promise<Checkpoint> {
    return this.#caller.call("working.saveCheckpoint", params, options);
  }

  /**
   * Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.
   */
  saveCheckpointSync(params: WorkingSaveCheckpointParams, options?: CallOptions): Checkpoint {
    return this.#caller.callSync("working.saveCheckpoint", params, options);
  }

  /**
   * Puts the context that a checkpoint holds in the place of the job's, and returns it.
   *
   * The scope's trail keeps what it replaced (`replaced`), so that it can be undone.
   */
  restoreCheckpoint(
    params: WorkingRestoreCheckpointParams,
    options?: CallOptions,
  ): Promise<{ [key: string]: JsonValue }> {
    return this.#caller.call("working.restoreCheckpoint", params, options);
  }

  /**
   * Puts the context that a checkpoint holds in the place of the job's, and returns it.
   *
   * The scope's trail keeps what it replaced (`replaced`), so that it can be undone.
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
   * Returns the trail of a scope: what changed its context, oldest first.
   */
  history(params: WorkingHistoryParams, options?: CallOptions): Promise<TrailEntry[]> {
    return this.#caller.call("working.history", params, options);
  }

  /**
   * Returns the trail of a scope: what changed its context, oldest first.
   */
  historySync(params: WorkingHistoryParams, options?: CallOptions): TrailEntry[] {
    return this.#caller.callSync("working.history", params, options);
  }

  /**
   * Returns the ids of the scopes of which something is kept, in their order.
   */
  listScopes(params: WorkingListScopesParams = {}, options?: CallOptions): Promise<string[]> {
    return this.#caller.call("working.listScopes", params, options);
  }

  /**
   * Returns the ids of the scopes of which something is kept, in their order.
   */
  listScopesSync(params: WorkingListScopesParams = {}, options?: CallOptions): string[] {
    return this.#caller.callSync("working.listScopes", params, options);
  }

  /**
   * Deletes everything of a scope: its context, its trail, its log and its checkpoints.
   */
  deleteScope(params: WorkingDeleteScopeParams, options?: CallOptions): Promise<Removed> {
    return this.#caller.call("working.deleteScope", params, options);
  }

  /**
   * Deletes everything of a scope: its context, its trail, its log and its checkpoints.
   */
  deleteScopeSync(params: WorkingDeleteScopeParams, options?: CallOptions): Removed {
    return this.#caller.callSync("working.deleteScope", params, options);
  }
}

/** `safety.*` of a store. */
export class SafetyRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns a text with every secret replaced by its placeholder, and where the secrets stood.
   *
   * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags in one home; who has the
   * text alone cannot test guesses. All other characters stay as they are, and a text that was
   * redacted stays so too. Nothing of the text is stored; the first secret that is found makes the
   * home's key.
   */
  async redact(params: SafetyRedactParams, options?: CallOptions): Promise<Redacted> {
    const text = textOf(params, "text");
    const result = await this.#caller.call("safety.redact", params, options);
    inUnits(text, result.findings, ["start", "end"]);
    return result;
  }

  /**
   * Returns a text with every secret replaced by its placeholder, and where the secrets stood.
   *
   * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags in one home; who has the
   * text alone cannot test guesses. All other characters stay as they are, and a text that was
   * redacted stays so too. Nothing of the text is stored; the first secret that is found makes the
   * home's key.
   */
  redactSync(params: SafetyRedactParams, options?: CallOptions): Redacted {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.redact", params, options);
    inUnits(text, result.findings, ["start", "end"]);
    return result;
  }

  /**
   * Returns where secrets stand in a text, and never what they are.
   */
  async scan(params: SafetyScanParams, options?: CallOptions): Promise<SecretFinding[]> {
    const text = textOf(params, "text");
    const result = await this.#caller.call("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns where secrets stand in a text, and never what they are.
   */
  scanSync(params: SafetyScanParams, options?: CallOptions): SecretFinding[] {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns every rule by which secrets are found: the built-in ones, then those of the
   * configuration, of the user's rule file and of the options.
   */
  rules(params: SafetyRulesParams = {}, options?: CallOptions): Promise<SecretRule[]> {
    return this.#caller.call("safety.rules", params, options);
  }

  /**
   * Returns every rule by which secrets are found: the built-in ones, then those of the
   * configuration, of the user's rule file and of the options.
   */
  rulesSync(params: SafetyRulesParams = {}, options?: CallOptions): SecretRule[] {
    return this.#caller.callSync("safety.rules", params, options);
  }
}

/** `doctor.*` of a store. */
export class DoctorRoom {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Looks at every file of the home, and with `fix` mends what is wrong.
   *
   * Without `fix` nothing is changed and nothing is created. With it what is damaged is set aside
   * beside the file, never deleted, and every record that is whole is brought back; modes are set
   * to what they should be, and what a writer that died left unfinished is removed. A file of a
   * newer version is never touched. What cannot be read or mended is a finding and no error.
   */
  check(params: DoctorCheckParams = {}, options?: CallOptions): Promise<DoctorReport> {
    return this.#caller.call("doctor.check", params, options);
  }

  /**
   * Looks at every file of the home, and with `fix` mends what is wrong.
   *
   * Without `fix` nothing is changed and nothing is created. With it what is damaged is set aside
   * beside the file, never deleted, and every record that is whole is brought back; modes are set
   * to what they should be, and what a writer that died left unfinished is removed. A file of a
   * newer version is never touched. What cannot be read or mended is a finding and no error.
   */
  checkSync(params: DoctorCheckParams = {}, options?: CallOptions): DoctorReport {
    return this.#caller.callSync("doctor.check", params, options);
  }
}

/** The rooms of a store. */
export class Rooms {
  /** `repo.*` */
  readonly repo: RepoRoom;
  /** `memory.*` */
  readonly memory: MemoryRoom;
  /** `summary.*` */
  readonly summary: SummaryRoom;
  /** `context.*` */
  readonly context: ContextRoom;
  /** `working.*` */
  readonly working: WorkingRoom;
  /** `safety.*` */
  readonly safety: SafetyRoom;
  /** `doctor.*` */
  readonly doctor: DoctorRoom;

  constructor(caller: Caller) {
    this.repo = new RepoRoom(caller);
    this.memory = new MemoryRoom(caller);
    this.summary = new SummaryRoom(caller);
    this.context = new ContextRoom(caller);
    this.working = new WorkingRoom(caller);
    this.safety = new SafetyRoom(caller);
    this.doctor = new DoctorRoom(caller);
  }
}
