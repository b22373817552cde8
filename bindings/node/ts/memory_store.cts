// The memory store of the specification: contexts, logs and checkpoints as plain functions over one store.

import type {
  MemoryEntry,
  MemoryEntryDraft,
  ScoredEntry,
  TrailEntry,
  WorkingGetLogsParams,
  WorkingHistoryParams,
  WorkingSearchLogsParams,
  WorkingUpdateContextParams,
} from "./generated/types.cjs";
import { Store, type OpenOptions } from "./store.cjs";

/** A key-value store: any JSON by name. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a host knows what it stored, and reads it as that.
export type Context = { [key: string]: any };

/** Contexts, logs and checkpoints. The functions need no `this`. */
export type MemoryStore = {
  /** The context of a scope; `{}` when there is none. */
  readonly getContext: (scopeId: string) => Promise<Context>;
  /**
   * Sets the values of `patch` by name, each in the place of the whole one before, and returns the new context. Null is
   * stored as null. The names in `remove` are taken away first; `source` tells the trail who changes it.
   */
  readonly updateContext: (
    scopeId: string,
    patch: Context,
    options?: Omit<WorkingUpdateContextParams, "scopeId" | "patch">,
  ) => Promise<Context>;
  /** Adds an entry to the log of a scope. */
  readonly addLog: (scopeId: string, entry: MemoryEntryDraft) => Promise<void>;
  /** The log of a scope, oldest entry first: all of it, the last `limit`, or those that follow the entry `after`. */
  readonly getLogs: (scopeId: string, options?: Omit<WorkingGetLogsParams, "scopeId">) => Promise<MemoryEntry[]>;
  /** Finds entries in the log of a scope by `text` or by `embedding`, the best first. */
  readonly searchLogs: (scopeId: string, query: Omit<WorkingSearchLogsParams, "scopeId">) => Promise<ScoredEntry[]>;
  /** Saves the context of a job, and returns the checkpoint's timestamp. */
  readonly saveCheckpoint: (jobId: string) => Promise<number>;
  /** Puts the context that a checkpoint holds in the place of the job's, and returns it. */
  readonly restoreCheckpoint: (jobId: string, timestamp: number) => Promise<Context>;
  /** The timestamps of a job's checkpoints, oldest first. */
  readonly listCheckpoints: (jobId: string) => Promise<number[]>;
  /** Deletes a checkpoint; tells whether there was one. */
  readonly deleteCheckpoint: (jobId: string, timestamp: number) => Promise<boolean>;
  /** What changed the context of a scope, oldest first: all of it, or the last `limit` changes. */
  readonly history: (scopeId: string, options?: Omit<WorkingHistoryParams, "scopeId">) => Promise<TrailEntry[]>;
  /** The ids of the scopes of which something is kept, in their order. */
  readonly listScopes: () => Promise<string[]>;
  /** Deletes everything of a scope; tells whether there was anything. */
  readonly deleteScope: (scopeId: string) => Promise<boolean>;
  /** Closes the store. Calls that are under way finish; later ones throw `Misuse`. Closing again does nothing. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
};

/**
 * Opens a memory store. Without an adapter contexts are kept where the configuration says.
 *
 * ```ts
 * const memory = createMemoryStore({ adapter, logger: console });
 * await memory.updateContext("job-1", { step: "plan" });
 * ```
 */
export function createMemoryStore(options: OpenOptions = {}): MemoryStore {
  const store = Store.openSync(options);
  const { working } = store;
  return {
    getContext: (scopeId) => working.getContext({ scopeId }),
    updateContext: (scopeId, patch, options) => working.updateContext({ ...options, scopeId, patch }),
    addLog: async (scopeId, entry) => void (await working.addLog({ scopeId, entry })),
    getLogs: (scopeId, options) => working.getLogs({ ...options, scopeId }),
    searchLogs: (scopeId, query) => working.searchLogs({ ...query, scopeId }),
    saveCheckpoint: async (jobId) => (await working.saveCheckpoint({ jobId })).timestamp,
    restoreCheckpoint: (jobId, timestamp) => working.restoreCheckpoint({ jobId, timestamp }),
    listCheckpoints: (jobId) => working.listCheckpoints({ jobId }),
    deleteCheckpoint: async (jobId, timestamp) => (await working.deleteCheckpoint({ jobId, timestamp })).removed,
    history: (scopeId, options) => working.history({ ...options, scopeId }),
    listScopes: () => working.listScopes(),
    deleteScope: async (scopeId) => (await working.deleteScope({ scopeId })).removed,
    close: () => store.close(),
    [Symbol.dispose]: () => store.close(),
  };
}
