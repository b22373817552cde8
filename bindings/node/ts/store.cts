// A store: an opened home, with its rooms and `call`.

/// <reference types="node" preserve="true" />

import { Caller, unwrap, type CallArguments, type CallResult, type MethodName } from "./caller.cjs";
import { Misuse } from "./generated/errors.cjs";
import { Rooms } from "./generated/rooms.cjs";
import type { StoreOptions } from "./generated/types.cjs";
import { stringify } from "./json.cjs";
import { native, type NativeStore } from "./native.cjs";

/**
 * An opened home. Any number of stores, in any number of processes and languages, may share one.
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
export class Store extends Rooms {
  readonly #native: NativeStore;
  readonly #caller: Caller;

  private constructor(store: NativeStore) {
    // `new Store()`, from where no types are checked.
    if ((store as NativeStore | undefined)?.callSync === undefined) {
      throw new Misuse({ code: "Misuse", message: "a store is opened by Store.open() or Store.openSync()", retryable: false });
    }
    const caller = new Caller(store);
    super(caller);
    this.#native = store;
    this.#caller = caller;
  }

  /** Opens a store; nothing is created until the first write. */
  static async open(options: StoreOptions = {}): Promise<Store> {
    return new Store(unwrap(await unwrap(native.NativeStore.open(stringify("open", options)))));
  }

  /** As `open`, holding the event loop while the configuration is read. */
  static openSync(options: StoreOptions = {}): Store {
    return new Store(unwrap(native.NativeStore.openSync(stringify("open", options))));
  }

  /** Calls a method by its name, such as `memory.get`. Offsets into a text are UTF-8 bytes here. */
  call<M extends string>(method: MethodName<M>, ...rest: CallArguments<M>): Promise<CallResult<M>> {
    return this.#caller.call(method, ...rest);
  }

  /** Calls a method by its name and waits for it, which holds the event loop. */
  callSync<M extends string>(method: MethodName<M>, ...rest: CallArguments<M>): CallResult<M> {
    return this.#caller.callSync(method, ...rest);
  }

  /** Closes the store. Calls that are under way finish; later ones throw `Misuse`. Closing again does nothing. */
  close(): void {
    unwrap(this.#native.close());
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
