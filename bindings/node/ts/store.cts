// A store: an open home, with its methods and `call`.

/// <reference types="node" preserve="true" />

import { Caller, promised, unwrap, type CallArguments, type CallResult, type MethodName } from "./caller.cjs";
import { Misuse } from "./generated/errors.cjs";
import { StoreApi } from "./generated/rooms.cjs";
import type { StoreOptions } from "./generated/types.cjs";
import { dispatcher, functionsOf, type CountTokens, type PersistenceAdapter } from "./host.cjs";
import { stringify } from "./json.cjs";
import type { MemoryLogger } from "./logger.cjs";
import { native, type NativeStore, type Opening } from "./native.cjs";
import { invalid } from "./refusal.cjs";

/** The options of a store, including an adapter, a logger and a tokenizer of your own. */
export type OpenOptions = Omit<StoreOptions, "adapter"> & {
  /**
   * Where working contexts are stored: `file`, `memory`, `sqlite`, the URL of a Redis server, an adapter from `openAdapter`,
   * whose options the store then has, or an object of your own. Default: `WORKING_ADAPTER`, else `file`.
   */
  readonly adapter?: string | PersistenceAdapter | null | undefined;
  /** The logger that receives each call when it is over. Default: none. */
  readonly logger?: MemoryLogger | null | undefined;
  /** The tokenizer that limits in tokens are checked with. Default: tokens are estimated, rather too many. */
  readonly countTokens?: CountTokens | null | undefined;
};

/** The stores of the adapters that were opened as objects. */
const LENDERS = new WeakMap<object, NativeStore>();

/** Makes `adapter` the adapter of `store` as an object. */
export let makeLender: (adapter: object, store: Store) => void;

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

  /** Makes `adapter` an object that lends the adapter of this store. */
  static {
    makeLender = (adapter, store) => void LENDERS.set(adapter, store.#native);
  }

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
    const { lender, opening, logger } = split(options);
    if (lender !== undefined) return new Store(borrow(lender, opening), logger);
    return new Store(unwrap(await promised(native.NativeStore.open(...opening))), logger);
  }

  /** As `open`, but blocks the event loop while the configuration is read. */
  static openSync(options: OpenOptions = {}): Store {
    const { lender, opening, logger } = split(options);
    return new Store(lender ? borrow(lender, opening) : unwrap(native.NativeStore.openSync(...opening)), logger);
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

/** Separates what the host provides from the options that are JSON. */
function split(options: OpenOptions): { opening: Opening; logger?: MemoryLogger | null; lender?: NativeStore } {
  const { adapter, logger, countTokens } = options ?? {};
  const lender = isObject(adapter) ? LENDERS.get(adapter) : undefined;
  const isOwn = isObject(adapter) && lender === undefined;
  if (!isObject(adapter) && logger === undefined && countTokens === undefined)
    return { opening: [stringify("open", options)] };
  if (isPresent(countTokens) && typeof countTokens !== "function") {
    throw invalid("countTokens must be a function from a text to its number of tokens", "open");
  }
  if (isPresent(logger) && !isObject(logger)) {
    throw invalid("logger must be an object with some of the functions debug, info, warn and error", "open");
  }
  const rest = {
    ...options,
    adapter: isObject(adapter) ? undefined : adapter,
    logger: undefined,
    countTokens: undefined,
  };
  const json = stringify("open", rest);
  const listens = isObject(logger);
  const counts = isPresent(countTokens);
  const host = { ...(isOwn && { adapter }), ...(counts && { countTokens }) };
  const functions = isOwn ? functionsOf(adapter) : undefined;
  const opening: Opening = [json, functions, isOwn || counts ? dispatcher(host) : undefined, listens, counts];
  return { opening, ...(listens && { logger }), ...(lender !== undefined && { lender }) };
}

/** A store on the adapter of another one, with its options. */
function borrow(lender: NativeStore, [options, , dispatch, listens, counts]: Opening): NativeStore {
  return unwrap(lender.lend(options, dispatch, listens, counts));
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function isObject<T>(value: T): value is T & object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
