// Generated from the method table by scripts/generate. Do not edit.

import type * as t from "./types.cjs";
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
  identify(params: t.RepoIdentifyParams = {}, options?: CallOptions): Promise<t.Methods["repo.identify"]["result"]> {
    return this.#caller.call("repo.identify", params, options);
  }

  /**
   * Tells which repository a folder belongs to: the hash under which its memory is kept, and what
   * went into it.
   *
   * Outside a repository a folder is identified by its path. Memory that is kept by path does not
   * travel between machines.
   */
  identifySync(params: t.RepoIdentifyParams = {}, options?: CallOptions): t.Methods["repo.identify"]["result"] {
    return this.#caller.callSync("repo.identify", params, options);
  }

  /**
   * Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH
   * URL one form.
   */
  sanitizeRemoteUrl(params: t.RepoSanitizeRemoteUrlParams, options?: CallOptions): Promise<t.Methods["repo.sanitizeRemoteUrl"]["result"]> {
    return this.#caller.call("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH
   * URL one form.
   */
  sanitizeRemoteUrlSync(params: t.RepoSanitizeRemoteUrlParams, options?: CallOptions): t.Methods["repo.sanitizeRemoteUrl"]["result"] {
    return this.#caller.callSync("repo.sanitizeRemoteUrl", params, options);
  }

  /**
   * Lists the repositories that something is stored for, the last changed first.
   */
  list(params: t.RepoListParams = {}, options?: CallOptions): Promise<t.Methods["repo.list"]["result"]> {
    return this.#caller.call("repo.list", params, options);
  }

  /**
   * Lists the repositories that something is stored for, the last changed first.
   */
  listSync(params: t.RepoListParams = {}, options?: CallOptions): t.Methods["repo.list"]["result"] {
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
  migrate(params: t.RepoMigrateParams, options?: CallOptions): Promise<t.Methods["repo.migrate"]["result"]> {
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
  migrateSync(params: t.RepoMigrateParams, options?: CallOptions): t.Methods["repo.migrate"]["result"] {
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
  get(params: t.MemoryGetParams = {}, options?: CallOptions): Promise<t.Methods["memory.get"]["result"]> {
    return this.#caller.call("memory.get", params, options);
  }

  /**
   * Returns everything that is stored for a repository; empty when nothing is.
   */
  getSync(params: t.MemoryGetParams = {}, options?: CallOptions): t.Methods["memory.get"]["result"] {
    return this.#caller.callSync("memory.get", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * A draft with the id of a stored convention changes that one and keeps what the draft leaves
   * out; any other makes a new one. Secrets in it are redacted.
   */
  upsertConvention(params: t.MemoryUpsertConventionParams, options?: CallOptions): Promise<t.Methods["memory.upsertConvention"]["result"]> {
    return this.#caller.call("memory.upsertConvention", params, options);
  }

  /**
   * Stores a convention and returns it as stored.
   *
   * A draft with the id of a stored convention changes that one and keeps what the draft leaves
   * out; any other makes a new one. Secrets in it are redacted.
   */
  upsertConventionSync(params: t.MemoryUpsertConventionParams, options?: CallOptions): t.Methods["memory.upsertConvention"]["result"] {
    return this.#caller.callSync("memory.upsertConvention", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * A draft with the id of a stored decision changes that one and keeps what the draft leaves out;
   * any other makes a new one. Secrets in it are redacted.
   */
  upsertDecision(params: t.MemoryUpsertDecisionParams, options?: CallOptions): Promise<t.Methods["memory.upsertDecision"]["result"]> {
    return this.#caller.call("memory.upsertDecision", params, options);
  }

  /**
   * Stores a decision and returns it as stored.
   *
   * A draft with the id of a stored decision changes that one and keeps what the draft leaves out;
   * any other makes a new one. Secrets in it are redacted.
   */
  upsertDecisionSync(params: t.MemoryUpsertDecisionParams, options?: CallOptions): t.Methods["memory.upsertDecision"]["result"] {
    return this.#caller.callSync("memory.upsertDecision", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * A draft with the id of a stored note changes that one and keeps what the draft leaves out; any
   * other makes a new one. Secrets in it are redacted.
   */
  upsertNote(params: t.MemoryUpsertNoteParams, options?: CallOptions): Promise<t.Methods["memory.upsertNote"]["result"]> {
    return this.#caller.call("memory.upsertNote", params, options);
  }

  /**
   * Stores a note and returns it as stored.
   *
   * A draft with the id of a stored note changes that one and keeps what the draft leaves out; any
   * other makes a new one. Secrets in it are redacted.
   */
  upsertNoteSync(params: t.MemoryUpsertNoteParams, options?: CallOptions): t.Methods["memory.upsertNote"]["result"] {
    return this.#caller.callSync("memory.upsertNote", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that every given filter lets through, each kind
   * oldest first.
   */
  list(params: t.MemoryListParams = {}, options?: CallOptions): Promise<t.Methods["memory.list"]["result"]> {
    return this.#caller.call("memory.list", params, options);
  }

  /**
   * Returns the conventions, decisions and notes that every given filter lets through, each kind
   * oldest first.
   */
  listSync(params: t.MemoryListParams = {}, options?: CallOptions): t.Methods["memory.list"]["result"] {
    return this.#caller.callSync("memory.list", params, options);
  }

  /**
   * Removes the convention, decision or note with this id.
   */
  remove(params: t.MemoryRemoveParams, options?: CallOptions): Promise<t.Methods["memory.remove"]["result"]> {
    return this.#caller.call("memory.remove", params, options);
  }

  /**
   * Removes the convention, decision or note with this id.
   */
  removeSync(params: t.MemoryRemoveParams, options?: CallOptions): t.Methods["memory.remove"]["result"] {
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
  append(params: t.SummaryAppendParams, options?: CallOptions): Promise<t.Methods["summary.append"]["result"]> {
    return this.#caller.call("summary.append", params, options);
  }

  /**
   * Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
   *
   * A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`; beyond
   * either the oldest go, never the newest.
   */
  appendSync(params: t.SummaryAppendParams, options?: CallOptions): t.Methods["summary.append"]["result"] {
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
  endStep(params: t.SummaryEndStepParams, options?: CallOptions): Promise<t.Methods["summary.endStep"]["result"]> {
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
  endStepSync(params: t.SummaryEndStepParams, options?: CallOptions): t.Methods["summary.endStep"]["result"] {
    return this.#caller.callSync("summary.endStep", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first.
   */
  list(params: t.SummaryListParams = {}, options?: CallOptions): Promise<t.Methods["summary.list"]["result"]> {
    return this.#caller.call("summary.list", params, options);
  }

  /**
   * Returns a repository's step summaries, newest first.
   */
  listSync(params: t.SummaryListParams = {}, options?: CallOptions): t.Methods["summary.list"]["result"] {
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
  build(params: t.ContextBuildParams, options?: CallOptions): Promise<t.Methods["context.build"]["result"]> {
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
  buildSync(params: t.ContextBuildParams, options?: CallOptions): t.Methods["context.build"]["result"] {
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
  getContext(params: t.WorkingGetContextParams, options?: CallOptions): Promise<t.Methods["working.getContext"]["result"]> {
    return this.#caller.call("working.getContext", params, options);
  }

  /**
   * Returns the context of a scope; `{}` when there is none.
   */
  getContextSync(params: t.WorkingGetContextParams, options?: CallOptions): t.Methods["working.getContext"]["result"] {
    return this.#caller.callSync("working.getContext", params, options);
  }

  /**
   * Changes the context of a scope and returns the new one.
   *
   * Values are set by name, each in the place of the whole one before; null is stored as null.
   * Secrets in them are redacted. The change leaves an entry in the scope's trail.
   */
  updateContext(params: t.WorkingUpdateContextParams, options?: CallOptions): Promise<t.Methods["working.updateContext"]["result"]> {
    return this.#caller.call("working.updateContext", params, options);
  }

  /**
   * Changes the context of a scope and returns the new one.
   *
   * Values are set by name, each in the place of the whole one before; null is stored as null.
   * Secrets in them are redacted. The change leaves an entry in the scope's trail.
   */
  updateContextSync(params: t.WorkingUpdateContextParams, options?: CallOptions): t.Methods["working.updateContext"]["result"] {
    return this.#caller.callSync("working.updateContext", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets in it are redacted.
   */
  addLog(params: t.WorkingAddLogParams, options?: CallOptions): Promise<t.Methods["working.addLog"]["result"]> {
    return this.#caller.call("working.addLog", params, options);
  }

  /**
   * Adds an entry to the log of a scope and returns it as stored. Secrets in it are redacted.
   */
  addLogSync(params: t.WorkingAddLogParams, options?: CallOptions): t.Methods["working.addLog"]["result"] {
    return this.#caller.callSync("working.addLog", params, options);
  }

  /**
   * Returns the log of a scope, oldest entry first.
   */
  getLogs(params: t.WorkingGetLogsParams, options?: CallOptions): Promise<t.Methods["working.getLogs"]["result"]> {
    return this.#caller.call("working.getLogs", params, options);
  }

  /**
   * Returns the log of a scope, oldest entry first.
   */
  getLogsSync(params: t.WorkingGetLogsParams, options?: CallOptions): t.Methods["working.getLogs"]["result"] {
    return this.#caller.callSync("working.getLogs", params, options);
  }

  /**
   * Finds entries in the log of a scope, the best first: by their vectors, or by their words.
   *
   * Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries without
   * one, or with one of another length, are passed over. Texts are compared by BM25; entries that
   * share no word are passed over.
   */
  searchLogs(params: t.WorkingSearchLogsParams, options?: CallOptions): Promise<t.Methods["working.searchLogs"]["result"]> {
    return this.#caller.call("working.searchLogs", params, options);
  }

  /**
   * Finds entries in the log of a scope, the best first: by their vectors, or by their words.
   *
   * Give either `embedding` or `text`. Vectors are compared exactly, by the cosine; entries without
   * one, or with one of another length, are passed over. Texts are compared by BM25; entries that
   * share no word are passed over.
   */
  searchLogsSync(params: t.WorkingSearchLogsParams, options?: CallOptions): t.Methods["working.searchLogs"]["result"] {
    return this.#caller.callSync("working.searchLogs", params, options);
  }

  /**
   * Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.
   */
  saveCheckpoint(params: t.WorkingSaveCheckpointParams, options?: CallOptions): Promise<t.Methods["working.saveCheckpoint"]["result"]> {
    return this.#caller.call("working.saveCheckpoint", params, options);
  }

  /**
   * Saves the context of a job, to be restored later, and returns the checkpoint's timestamp.
   */
  saveCheckpointSync(params: t.WorkingSaveCheckpointParams, options?: CallOptions): t.Methods["working.saveCheckpoint"]["result"] {
    return this.#caller.callSync("working.saveCheckpoint", params, options);
  }

  /**
   * Puts the context that a checkpoint holds in the place of the job's, and returns it.
   *
   * The scope's trail keeps what it replaced (`replaced`), so that it can be undone.
   */
  restoreCheckpoint(params: t.WorkingRestoreCheckpointParams, options?: CallOptions): Promise<t.Methods["working.restoreCheckpoint"]["result"]> {
    return this.#caller.call("working.restoreCheckpoint", params, options);
  }

  /**
   * Puts the context that a checkpoint holds in the place of the job's, and returns it.
   *
   * The scope's trail keeps what it replaced (`replaced`), so that it can be undone.
   */
  restoreCheckpointSync(params: t.WorkingRestoreCheckpointParams, options?: CallOptions): t.Methods["working.restoreCheckpoint"]["result"] {
    return this.#caller.callSync("working.restoreCheckpoint", params, options);
  }

  /**
   * Returns the timestamps of a job's checkpoints, oldest first.
   */
  listCheckpoints(params: t.WorkingListCheckpointsParams, options?: CallOptions): Promise<t.Methods["working.listCheckpoints"]["result"]> {
    return this.#caller.call("working.listCheckpoints", params, options);
  }

  /**
   * Returns the timestamps of a job's checkpoints, oldest first.
   */
  listCheckpointsSync(params: t.WorkingListCheckpointsParams, options?: CallOptions): t.Methods["working.listCheckpoints"]["result"] {
    return this.#caller.callSync("working.listCheckpoints", params, options);
  }

  /**
   * Deletes a checkpoint.
   */
  deleteCheckpoint(params: t.WorkingDeleteCheckpointParams, options?: CallOptions): Promise<t.Methods["working.deleteCheckpoint"]["result"]> {
    return this.#caller.call("working.deleteCheckpoint", params, options);
  }

  /**
   * Deletes a checkpoint.
   */
  deleteCheckpointSync(params: t.WorkingDeleteCheckpointParams, options?: CallOptions): t.Methods["working.deleteCheckpoint"]["result"] {
    return this.#caller.callSync("working.deleteCheckpoint", params, options);
  }

  /**
   * Returns the trail of a scope: what changed its context, oldest first.
   */
  history(params: t.WorkingHistoryParams, options?: CallOptions): Promise<t.Methods["working.history"]["result"]> {
    return this.#caller.call("working.history", params, options);
  }

  /**
   * Returns the trail of a scope: what changed its context, oldest first.
   */
  historySync(params: t.WorkingHistoryParams, options?: CallOptions): t.Methods["working.history"]["result"] {
    return this.#caller.callSync("working.history", params, options);
  }

  /**
   * Returns the ids of the scopes of which something is kept, in their order.
   */
  listScopes(params: t.WorkingListScopesParams = {}, options?: CallOptions): Promise<t.Methods["working.listScopes"]["result"]> {
    return this.#caller.call("working.listScopes", params, options);
  }

  /**
   * Returns the ids of the scopes of which something is kept, in their order.
   */
  listScopesSync(params: t.WorkingListScopesParams = {}, options?: CallOptions): t.Methods["working.listScopes"]["result"] {
    return this.#caller.callSync("working.listScopes", params, options);
  }

  /**
   * Deletes everything of a scope: its context, its trail, its log and its checkpoints.
   */
  deleteScope(params: t.WorkingDeleteScopeParams, options?: CallOptions): Promise<t.Methods["working.deleteScope"]["result"]> {
    return this.#caller.call("working.deleteScope", params, options);
  }

  /**
   * Deletes everything of a scope: its context, its trail, its log and its checkpoints.
   */
  deleteScopeSync(params: t.WorkingDeleteScopeParams, options?: CallOptions): t.Methods["working.deleteScope"]["result"] {
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
  async redact(params: t.SafetyRedactParams, options?: CallOptions): Promise<t.Methods["safety.redact"]["result"]> {
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
  redactSync(params: t.SafetyRedactParams, options?: CallOptions): t.Methods["safety.redact"]["result"] {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.redact", params, options);
    inUnits(text, result.findings, ["start", "end"]);
    return result;
  }

  /**
   * Returns where secrets stand in a text, and never what they are.
   */
  async scan(params: t.SafetyScanParams, options?: CallOptions): Promise<t.Methods["safety.scan"]["result"]> {
    const text = textOf(params, "text");
    const result = await this.#caller.call("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns where secrets stand in a text, and never what they are.
   */
  scanSync(params: t.SafetyScanParams, options?: CallOptions): t.Methods["safety.scan"]["result"] {
    const text = textOf(params, "text");
    const result = this.#caller.callSync("safety.scan", params, options);
    inUnits(text, result, ["start", "end"]);
    return result;
  }

  /**
   * Returns every rule by which secrets are found: the built-in ones, then those of the
   * configuration, of the user's rule file and of the options.
   */
  rules(params: t.SafetyRulesParams = {}, options?: CallOptions): Promise<t.Methods["safety.rules"]["result"]> {
    return this.#caller.call("safety.rules", params, options);
  }

  /**
   * Returns every rule by which secrets are found: the built-in ones, then those of the
   * configuration, of the user's rule file and of the options.
   */
  rulesSync(params: t.SafetyRulesParams = {}, options?: CallOptions): t.Methods["safety.rules"]["result"] {
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
  check(params: t.DoctorCheckParams = {}, options?: CallOptions): Promise<t.Methods["doctor.check"]["result"]> {
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
  checkSync(params: t.DoctorCheckParams = {}, options?: CallOptions): t.Methods["doctor.check"]["result"] {
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
