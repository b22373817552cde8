// One call: params to text, text to result, error text to the class of its kind.

import { LoopmemError, type ErrorDetails } from "./error.cjs";
import { errorClasses } from "./generated/error_classes.cjs";
import { Cancelled, ValidationError } from "./generated/errors.cjs";
import type { JsonValue, Methods } from "./generated/types.cjs";
import { native, type Answer, type NativeCancel, type NativeStore } from "./native.cjs";

/** What travels beside the params of a call. */
export type CallOptions = {
  /** Ends a wait for a lock: the call then throws `Cancelled`. What has begun to be written is finished. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for any lock, in milliseconds, instead of the configured one. */
  readonly timeoutMs?: number | undefined;
};

/** Calls methods by name. */
export class Caller {
  readonly #store: NativeStore;

  constructor(store: NativeStore) {
    this.#store = store;
  }

  /** Calls a method on a thread of loopmem's own. Calls that are not awaited keep their order. */
  call<M extends keyof Methods>(method: M, params: Methods[M]["params"], options?: CallOptions): Promise<Methods[M]["result"]>;
  call(method: string, params?: JsonValue, options?: CallOptions): Promise<JsonValue>;
  async call(method: string, params: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    const text = stringify(method, params);
    const { timeoutMs, signal } = checked(method, options);
    if (signal === undefined) return value(await this.#store.call(method, text, timeoutMs));
    const cancel: NativeCancel = new native.NativeCancel();
    const request = (): void => cancel.request();
    signal.addEventListener("abort", request, { once: true });
    try {
      return value(await this.#store.call(method, text, timeoutMs, cancel));
    } finally {
      signal.removeEventListener("abort", request);
    }
  }

  /** Calls a method and waits for it, which holds the event loop. */
  callSync<M extends keyof Methods>(method: M, params: Methods[M]["params"], options?: CallOptions): Methods[M]["result"];
  callSync(method: string, params?: JsonValue, options?: CallOptions): JsonValue;
  callSync(method: string, params: unknown = {}, options: CallOptions = {}): unknown {
    const text = stringify(method, params);
    return value(this.#store.callSync(method, text, checked(method, options).timeoutMs));
  }
}

/** The result of an answer, or its error thrown. */
export function value(answer: Answer<string>): unknown {
  if (answer.error !== undefined) throw errorOf(answer.error);
  return JSON.parse(answer.result);
}

/** The error of the class of its kind. */
export function errorOf(json: string): LoopmemError {
  const details = JSON.parse(json) as ErrorDetails;
  return new (errorClasses.get(details.code) ?? LoopmemError)(details);
}

/** `params` as JSON text. What JSON cannot tell is refused and never dropped. */
export function stringify(operation: string, params: unknown): string {
  const refuse = (message: string): never => {
    throw new ValidationError({ code: "ValidationError", message, operation, retryable: false });
  };
  const check = (key: string, value: unknown): unknown => {
    const isJson =
      typeof value === "number" ? Number.isFinite(value) : !["function", "symbol", "bigint"].includes(typeof value);
    return isJson ? value : refuse(`${key}: a value of type ${typeof value} that JSON cannot tell`);
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(params, check);
  } catch (cause) {
    if (cause instanceof LoopmemError) throw cause;
    refuse("the params are no JSON: they hold themselves, or cannot be read");
  }
  return text ?? refuse("the params are no JSON value");
}

function checked(operation: string, options: CallOptions): { timeoutMs: number | undefined; signal: AbortSignal | undefined } {
  const { timeoutMs, signal } = options;
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= 0xffffffff)) {
    const message = "timeoutMs must be a whole number of milliseconds";
    throw new ValidationError({ code: "ValidationError", message, operation, retryable: false });
  }
  if (signal?.aborted === true) {
    const message = "the call was cancelled before it began";
    throw new Cancelled({ code: "Cancelled", message, operation, retryable: true });
  }
  return { timeoutMs, signal };
}
