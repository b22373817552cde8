// A store: an opened home, with its rooms and `call`.

import { Caller, errorOf, stringify, type CallOptions } from "./caller.cjs";
import { Rooms } from "./generated/rooms.cjs";
import type { JsonValue, Methods, StoreOptions } from "./generated/types.cjs";
import { native, type Answer, type NativeStore } from "./native.cjs";

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
    const caller = new Caller(store);
    super(caller);
    this.#native = store;
    this.#caller = caller;
  }

  /** Opens a store; nothing is created until the first write. */
  static async open(options: StoreOptions = {}): Promise<Store> {
    return Store.#of(await native.NativeStore.open(stringify("open", options)));
  }

  /** As `open`, holding the event loop while the configuration is read. */
  static openSync(options: StoreOptions = {}): Store {
    return Store.#of(native.NativeStore.openSync(stringify("open", options)));
  }

  static #of(answer: Answer<NativeStore>): Store {
    if (answer.error !== undefined) throw errorOf(answer.error);
    return new Store(answer.result);
  }

  /** Calls a method by its name, such as `memory.get`. */
  call<M extends keyof Methods>(method: M, params: Methods[M]["params"], options?: CallOptions): Promise<Methods[M]["result"]>;
  call(method: string, params?: JsonValue, options?: CallOptions): Promise<JsonValue>;
  call(method: string, params?: JsonValue, options?: CallOptions): Promise<JsonValue> {
    return this.#caller.call(method, params, options);
  }

  /** Calls a method by its name and waits for it, which holds the event loop. */
  callSync<M extends keyof Methods>(method: M, params: Methods[M]["params"], options?: CallOptions): Methods[M]["result"];
  callSync(method: string, params?: JsonValue, options?: CallOptions): JsonValue;
  callSync(method: string, params?: JsonValue, options?: CallOptions): JsonValue {
    return this.#caller.callSync(method, params, options);
  }

  /** Closes the store. Calls that are under way finish; later ones throw `Misuse`. Closing again does nothing. */
  close(): void {
    this.#native.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
