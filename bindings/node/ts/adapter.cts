// A built-in adapter as an object: the five functions of the specification on a store of its own.

import type { JsonValue, StoreOptions } from "./generated/types.cjs";
import type { MemoryLogger } from "./logger.cjs";
import { makeLender, Store } from "./store.cjs";

/** The options of an adapter: those of a store. */
export type AdapterOptions = StoreOptions & {
  /** The logger that receives each call of the functions when it is over. Default: none. */
  readonly logger?: MemoryLogger | null | undefined;
};

/** A built-in adapter. Keys are those of working contexts, or your own. The functions do not use `this`. */
export type StoreAdapter = {
  /** Returns the value under a key; null if there is none. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the host knows what it stored.
  readonly get: (key: string) => Promise<any>;
  /** Sets the value under a key: any JSON, and an object under `context:SCOPE` and `checkpoint:JOB:TIMESTAMP`. */
  readonly set: (key: string, value: unknown) => Promise<void>;
  /** Deletes the value and the list under a key; a missing key is not an error. */
  readonly del: (key: string) => Promise<void>;
  /** Appends an item to the list under a key, which is created if it does not exist. */
  readonly push: (key: string, item: unknown) => Promise<void>;
  /** Returns the items of the list under a key in the order in which they were pushed; empty if there is no list. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the host knows what it stored.
  readonly getList: (key: string) => Promise<any[]>;
  /** Closes the adapter. Stores that were opened with it stay open. Closing again does nothing. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
};

/**
 * Opens a built-in adapter as an object: `file`, `sqlite`, `memory` or a Redis server, as the option `adapter` says.
 *
 * ```ts
 * const adapter = openAdapter({ adapter: "sqlite" });
 * await adapter.set("context:job-1", { step: "plan" });
 * const memory = createMemoryStore({ adapter, logger: console });
 * await memory.getContext("job-1"); // { step: "plan" }
 * ```
 */
export function openAdapter(options: AdapterOptions = {}): StoreAdapter {
  const store = Store.openSync(options);
  const { adapter } = store;
  const opened: StoreAdapter = {
    get: async (key) => (await adapter.get({ key })).value ?? null,
    set: async (key, value) => void (await adapter.set({ key, value: value as JsonValue })),
    del: async (key) => void (await adapter.del({ key })),
    push: async (key, item) => void (await adapter.push({ key, item: item as JsonValue })),
    getList: (key) => adapter.getList({ key }),
    close: () => store.close(),
    [Symbol.dispose]: () => store.close(),
  };
  makeLender(opened, store);
  return opened;
}
