// The host's own adapter: calls its functions, and carries their answers back to the threads that wait for them.

import { AsyncLocalStorage } from "node:async_hooks";

import { textOf } from "./error.cjs";
import type { JsonValue } from "./generated/types.cjs";
import { toJson } from "./json.cjs";
import { native } from "./native.cjs";

/** What a function may return: the value, or a promise of it. */
type Awaitable<T> = T | PromiseLike<T>;

/**
 * A storage backend of your own. Values and items are JSON; each call gets its own copies. Of calls that change one scope
 * of a store one begins when the last has ended; those that read it run side by side.
 *
 * With the five functions alone an update is atomic among the calls of one store. With `compareAndSet` it is among
 * everybody who uses the same storage.
 */
export interface PersistenceAdapter {
  /** The value under `key`; null or undefined when there is none. */
  get(key: string): Awaitable<unknown>;
  /** Puts `value` under `key`. What is returned is awaited and not looked at. */
  set(key: string, value: JsonValue): Awaitable<unknown>;
  /** Takes away what is under `key`, a value or a list. What is returned is awaited and not looked at. */
  del(key: string): Awaitable<unknown>;
  /** Puts `item` behind the others of the list under `key`. What is returned is awaited and not looked at. */
  push(key: string, item: JsonValue): Awaitable<unknown>;
  /** The items of the list under `key`, in the order in which they were pushed; none when there is no list. */
  getList(key: string): Awaitable<readonly unknown[] | null | undefined>;
  /**
   * Optional: puts `value` under `key` if what stands there is still `expected` (null: nothing), in one step; tells whether
   * it did.
   */
  compareAndSet?(key: string, expected: JsonValue, value: JsonValue): Awaitable<boolean>;
  /**
   * Optional: the items of the list from `start` on, counted from the end when it is negative. Without it the last few of
   * a log cost a reading of all.
   */
  getRange?(key: string, start: number): Awaitable<readonly unknown[] | null | undefined>;
  /** Optional: the keys that begin with `prefix`, for `working.listScopes`. */
  listKeys?(prefix: string): Awaitable<readonly string[]>;
}

/** The functions, and whether their answer is looked at. */
const FUNCTIONS = {
  get: true,
  set: false,
  del: false,
  push: false,
  getList: true,
  compareAndSet: true,
  getRange: true,
  listKeys: true,
} as const;

/** Calls a function of the adapter; the answer goes by the number. */
export type Dispatch = (number: number, name: keyof PersistenceAdapter, parameters: string, call: number) => void;

/** The call of loopmem that an adapter's function runs for, also behind its awaits. */
const running = new AsyncLocalStorage<number>();
/** What adapters have thrown, by number, until the errors of their calls are thrown. */
const thrown = new Map<number, unknown>();
let last = 0;

/** The call of loopmem that this code runs for, when it is an adapter's. */
export function within(): number | undefined {
  return running.getStore();
}

/** The names of the functions that `adapter` has. */
export function functionsOf(adapter: PersistenceAdapter): string[] {
  return Object.keys(FUNCTIONS).filter((name) => typeof adapter[name as keyof PersistenceAdapter] === "function");
}

/** What loopmem's threads call in place of the adapter. It never throws. */
export function dispatcher(adapter: PersistenceAdapter): Dispatch {
  return (number, name, parameters, call) => {
    void running.run(call, answer, adapter, number, name, parameters);
  };
}

/** What an adapter has thrown; it is kept no longer. */
export function takeThrown(number: number): unknown {
  const value = thrown.get(number);
  thrown.delete(number);
  return value;
}

async function answer(
  adapter: PersistenceAdapter,
  number: number,
  name: keyof PersistenceAdapter,
  parameters: string,
): Promise<void> {
  try {
    const functions = adapter as Record<typeof name, (...values: unknown[]) => unknown>;
    const value = await functions[name](...(JSON.parse(parameters) as unknown[]));
    const { text, fault } = toJson(FUNCTIONS[name] ? (value ?? null) : null, "the answer");
    if (fault === undefined) native.answer(number, text);
    else native.refuse(number, `the adapter's ${name} did not answer with JSON: ${fault}`);
  } catch (error) {
    thrown.set(++last, error);
    if (!native.refuse(number, `the adapter's ${name} failed`, textOf(error), last)) thrown.delete(last);
  }
}
