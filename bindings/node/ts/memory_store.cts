// The memory store of the specification: working contexts, logs and checkpoints as plain functions on one store.

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

/** A working context: any JSON values by name. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the host knows what it stored.
export type Context = { [key: string]: any };

/** Working contexts, logs and checkpoints. The functions do not use `this`. */
export type MemoryStore = {
  /** Returns the context of a scope, or `{}` if it has none. */
  readonly getContext: (scopeId: string) => Promise<Context>;
  /**
   * Sets the values of `patch` by name and returns the new context. Each value replaces the whole previous one; null is
   * stored as null. The names in `remove` are removed first; `increment` adds to numbers and `append` to lists, so that no
   * other writer's change is lost; with `expect`, a value that is another one is a `Conflict`. `source` is recorded in the
   * trail.
   */
  readonly updateContext: (
    scopeId: string,
    patch?: Context,
    options?: Omit<WorkingUpdateContextParams, "scopeId" | "patch">,
  ) => Promise<Context>;
  /** Adds an entry to the log of a scope. */
  readonly addLog: (scopeId: string, entry: MemoryEntryDraft) => Promise<void>;
  /** Returns the log of a scope, oldest first: all of it, the last `limit` entries, or those after entry `after`. */
  readonly getLogs: (scopeId: string, options?: Omit<WorkingGetLogsParams, "scopeId">) => Promise<MemoryEntry[]>;
  /** Searches the log of a scope by `text` or by `embedding`, and returns the best matches first. */
  readonly searchLogs: (scopeId: string, query: Omit<WorkingSearchLogsParams, "scopeId">) => Promise<ScoredEntry[]>;
  /** Saves the context of a job as a checkpoint and returns the checkpoint's timestamp. */
  readonly saveCheckpoint: (jobId: string) => Promise<number>;
  /** Replaces the context of a job with the one saved in a checkpoint, and returns it. */
  readonly restoreCheckpoint: (jobId: string, timestamp: number) => Promise<Context>;
  /** Returns the timestamps of a job's checkpoints, oldest first. */
  readonly listCheckpoints: (jobId: string) => Promise<number[]>;
  /** Deletes a checkpoint and returns whether it existed. */
  readonly deleteCheckpoint: (jobId: string, timestamp: number) => Promise<boolean>;
  /** Returns the changes to the context of a scope, oldest first: all of them, or the last `limit`. */
  readonly history: (scopeId: string, options?: Omit<WorkingHistoryParams, "scopeId">) => Promise<TrailEntry[]>;
  /** Returns the ids of all scopes that have stored data, sorted. */
  readonly listScopes: () => Promise<string[]>;
  /** Deletes everything stored for a scope and returns whether there was anything. */
  readonly deleteScope: (scopeId: string) => Promise<boolean>;
  /** Closes the store. Calls in progress finish; later ones throw `Misuse`. Closing again does nothing. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
};

/**
 * Opens a memory store. Without the option `adapter`, contexts are stored where the configuration says. `openAdapter` opens a
 * built-in adapter as an object.
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
