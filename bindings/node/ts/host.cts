// The host's own adapter and tokenizer: calls their functions and passes the results to the threads that wait for them.

import { AsyncLocalStorage } from "node:async_hooks";

import { textOf } from "./error.cjs";
import type { JsonValue } from "./generated/types.cjs";
import { toJson } from "./json.cjs";
import { native } from "./native.cjs";

/** What a function may return: the value, or a promise of it. */
type Awaitable<T> = T | PromiseLike<T>;

/**
 * A storage backend of your own. Values and items are JSON, and each call receives its own copies. Within one store,
 * calls that change a scope run one after the other; calls that only read it run concurrently.
 *
 * With the five required functions, an update is atomic among the calls of one store. With `compareAndSet`, it is
 * atomic among all users of the storage.
 */
export interface PersistenceAdapter {
  /** Returns the value of `key`; null or undefined if there is none. */
  get(key: string): Awaitable<unknown>;
  /** Sets the value of `key`. The result is awaited and ignored. */
  set(key: string, value: JsonValue): Awaitable<unknown>;
  /** Deletes the value or the list of `key`. The result is awaited and ignored. */
  del(key: string): Awaitable<unknown>;
  /** Appends `item` to the list of `key`. The result is awaited and ignored. */
  push(key: string, item: JsonValue): Awaitable<unknown>;
  /** Returns the items of the list of `key`, in the order in which they were pushed; none if there is no list. */
  getList(key: string): Awaitable<readonly unknown[] | null | undefined>;
  /**
   * Optional: atomically sets the value of `key` if the current one equals `expected` (null: if there is none). Returns
   * whether it did.
   */
  compareAndSet?(key: string, expected: JsonValue, value: JsonValue): Awaitable<boolean>;
  /**
   * Optional: returns the items of the list from `start` on; a negative `start` counts from the end. Without it,
   * reading the end of a log reads all of it.
   */
  getRange?(key: string, start: number): Awaitable<readonly unknown[] | null | undefined>;
  /** Optional: returns the keys that begin with `prefix`; required by `working.listScopes`. */
  listKeys?(prefix: string): Awaitable<readonly string[]>;
}

/**
 * Counts the tokens of a text as a model's tokenizer does, for limits in tokens such as `maxTokens` of `items.recall`.
 * It runs on the JavaScript thread, a few times per call.
 */
export type CountTokens = (text: string) => Awaitable<number>;

/** What a host provides. */
export type HostObjects = {
  readonly adapter?: PersistenceAdapter | undefined;
  readonly countTokens?: CountTokens | undefined;
};

/** The functions, and whether their result is used. */
const FUNCTIONS = {
  get: true,
  set: false,
  del: false,
  push: false,
  getList: true,
  compareAndSet: true,
  getRange: true,
  listKeys: true,
  countTokens: true,
} as const;

type FunctionName = keyof typeof FUNCTIONS;
type HostFunction = (...values: unknown[]) => unknown;

/** Calls a function of the host; the answer is matched to the call by `number`. */
export type Dispatch = (number: number, name: FunctionName, parameters: string, call: number) => void;

/** The loopmem call that a function of the host runs for; it is preserved across awaits. */
const running = new AsyncLocalStorage<number>();
/** Values that functions of the host threw, by number, until the error of the call is thrown. */
const thrown = new Map<number, unknown>();
let last = 0;

/** The loopmem call that this code runs for, if it is a function of the host. */
export function within(): number | undefined {
  return running.getStore();
}

/** The names of the functions that `adapter` has. */
export function functionsOf(adapter: PersistenceAdapter): string[] {
  const offered = (name: string) => typeof adapter[name as keyof PersistenceAdapter] === "function";
  // The tokenizer is not part of the adapter.
  return Object.keys(FUNCTIONS).filter((name) => name !== "countTokens" && offered(name));
}

/** The function through which loopmem's threads call the host. It never throws. */
export function dispatcher(host: HostObjects): Dispatch {
  return (number, name, parameters, call) => {
    void running.run(call, answer, host, number, name, parameters);
  };
}

function call(host: HostObjects, name: FunctionName, parameters: unknown[]): unknown {
  if (name === "countTokens") return (host.countTokens as HostFunction)(...parameters);
  return (host.adapter as Record<typeof name, HostFunction>)[name](...parameters);
}

/** A function as an error calls it. */
function inErrors(name: FunctionName): string {
  return name === "countTokens" ? "the tokenizer's countTokens" : `the adapter's ${name}`;
}

/** Removes and returns a value that a function of the host threw. */
export function takeThrown(number: number): unknown {
  const value = thrown.get(number);
  thrown.delete(number);
  return value;
}

async function answer(host: HostObjects, number: number, name: FunctionName, parameters: string): Promise<void> {
  try {
    const value = await call(host, name, JSON.parse(parameters) as unknown[]);
    const { text, fault } = toJson(FUNCTIONS[name] ? (value ?? null) : null, "the answer");
    if (fault === undefined) native.answer(number, text);
    else native.refuse(number, `${inErrors(name)} did not return JSON: ${fault}`);
  } catch (error) {
    thrown.set(++last, error);
    if (!native.refuse(number, `${inErrors(name)} failed`, textOf(error), last)) thrown.delete(last);
  }
}
