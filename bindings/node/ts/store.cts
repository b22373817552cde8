// A store: an open home, with its methods and `call`.

/// <reference types="node" preserve="true" />

import { Caller, promised, unwrap, type CallArguments, type CallResult, type MethodName } from "./caller.cjs";
import { Misuse } from "./generated/errors.cjs";
import { StoreApi } from "./generated/rooms.cjs";
import type { StoreOptions } from "./generated/types.cjs";
import { dispatcher, functionsOf, type PersistenceAdapter } from "./host.cjs";
import { stringify } from "./json.cjs";
import type { MemoryLogger } from "./logger.cjs";
import { native, type NativeStore, type Opening } from "./native.cjs";
import { invalid } from "./refusal.cjs";

/** The options of a store, including an adapter and a logger of your own. */
export type OpenOptions = Omit<StoreOptions, "adapter"> & {
  /**
   * Where working contexts are stored: `file`, `memory`, `sqlite`, the URL of a Redis server, or an object of your own.
   * Default: `WORKING_ADAPTER`, else `file`.
   */
  readonly adapter?: string | PersistenceAdapter | null | undefined;
  /** The logger that receives each call when it is over. Default: none. */
  readonly logger?: MemoryLogger | null | undefined;
};

/**
 * An open home. Any number of stores, in any number of processes and languages, may share one home.
 *
 * ```ts
 * const store = await Store.open();
 * const { repoHash } = await store.repo.identify();
 * await store.memory.upsertConvention({
 *   repoHash,
 *   convention: { title: "Use pnpm workspaces", content: "All packages live under packages/." },
 * });
 * const { text } = await store.context.build({ repoHash, maxChars: 8_000 });
 * ```
 */
export class Store extends StoreApi {
  readonly #native: NativeStore;
  readonly #caller: Caller;

  private constructor(store: NativeStore, logger?: MemoryLogger | null) {
    // `new Store()`, which only code without type checking can write.
    if ((store as NativeStore | undefined)?.callSync === undefined) {
      throw new Misuse({
        code: "Misuse",
        message: "open a store with Store.open() or Store.openSync()",
        retryable: false,
      });
    }
    const caller = new Caller(store, logger ?? undefined);
    super(caller);
    this.#native = store;
    this.#caller = caller;
  }

  /** Opens a store; nothing is created until the first write. */
  static async open(options: OpenOptions = {}): Promise<Store> {
    const { opening, logger } = split(options);
    return new Store(unwrap(await promised(native.NativeStore.open(...opening))), logger);
  }

  /** As `open`, but blocks the event loop while the configuration is read. */
  static openSync(options: OpenOptions = {}): Store {
    const { opening, logger } = split(options);
    return new Store(unwrap(native.NativeStore.openSync(...opening)), logger);
  }

  /** Calls a method by its name, such as `memory.get`. Offsets into a text are UTF-8 bytes here. */
  call<M extends string>(method: MethodName<M>, ...rest: CallArguments<M>): Promise<CallResult<M>> {
    return this.#caller.call(method, ...rest);
  }

  /** Calls a method by its name and blocks the event loop until it returns. */
  callSync<M extends string>(method: MethodName<M>, ...rest: CallArguments<M>): CallResult<M> {
    return this.#caller.callSync(method, ...rest);
  }

  /** Closes the store. Calls in progress finish; later ones throw `Misuse`. Closing again does nothing. */
  close(): void {
    unwrap(this.#native.close());
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Separates the adapter and the logger from the options that are JSON. */
function split(options: OpenOptions): { opening: Opening; logger?: MemoryLogger | null } {
  const { adapter, logger } = options ?? {};
  const isOwn = isObject(adapter);
  if (!isOwn && logger === undefined) return { opening: [stringify("open", options)] };
  if (logger !== null && logger !== undefined && !isObject(logger)) {
    throw invalid("logger must be an object with the functions debug, info, warn and error", "open");
  }
  const json = stringify("open", { ...options, adapter: isOwn ? undefined : adapter, logger: undefined });
  const listens = isObject(logger);
  const opening: Opening = isOwn
    ? [json, functionsOf(adapter), dispatcher(adapter), listens]
    : [json, undefined, undefined, listens];
  return { opening, ...(listens && { logger }) };
}

function isObject<T>(value: T): value is T & object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
