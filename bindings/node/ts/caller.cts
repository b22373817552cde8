// One call: params to text, text to result, error text to the class of its kind.

import type { ErrorDetails } from "./error.cjs";
import { Misuse } from "./generated/errors.cjs";
import type { JsonValue, Methods } from "./generated/types.cjs";
import { takeThrown, within } from "./host.cjs";
import { stringify } from "./json.cjs";
import { tell, type MemoryLogger } from "./logger.cjs";
import type { NativeStore, Returned, TextAnswer } from "./native.cjs";
import { cancelled, errorOf, invalid, type Scrubber } from "./refusal.cjs";
import { watching } from "./signals.cjs";

/** What travels beside the params of a call. */
export type CallOptions = {
  /** Ends a wait for a lock: the call then throws `Cancelled`. What has begun to be written is finished. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The longest that the call waits, for locks and for answers of a server or of an adapter of your own, all of them together,
   * in milliseconds, instead of the configured ones. 0 waits for nobody.
   */
  readonly timeoutMs?: number | undefined;
};

/** A method's name: a literal must be a known one; any text that is computed may be passed. */
export type MethodName<M extends string> = M extends keyof Methods ? M : string extends M ? M : keyof Methods;

/** What a call takes behind the name. Params may be left out where the method needs none. */
export type CallArguments<M extends string> = M extends keyof Methods
  ? Record<never, never> extends Methods[M]["params"]
    ? [params?: Methods[M]["params"] | undefined, options?: CallOptions | undefined]
    : [params: Methods[M]["params"], options?: CallOptions | undefined]
  : [params?: JsonValue | undefined, options?: CallOptions | undefined];

/** What a call returns. */
export type CallResult<M extends string> = M extends keyof Methods ? Methods[M]["result"] : JsonValue;

/** Calls methods by name. */
export class Caller {
  readonly #store: NativeStore;
  readonly #logger: MemoryLogger | undefined;
  /** The last text that the store keeps as well: while nothing changes, it does not come again. */
  #kept: KeptText | undefined;

  constructor(store: NativeStore, logger?: MemoryLogger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Calls a method on a thread of loopmem's own. Calls that are not awaited keep their order. */
  async call<M extends string>(method: MethodName<M>, ...[params, options]: CallArguments<M>): Promise<CallResult<M>> {
    const { timeoutMs, signal } = checked(this.#store, method, options);
    const text = stringify(method, params === undefined ? {} : params, this.#store);
    const outer = within();
    const kept = this.#kept;
    const number = kept?.number;
    if (signal === undefined)
      return this.#value<M>(await promised(this.#store.call(method, text, timeoutMs, undefined, outer, number)), kept);
    const answer = await watching(signal, (cancel) =>
      promised(this.#store.call(method, text, timeoutMs, cancel, outer, number)),
    );
    return this.#value<M>(answer, kept, { signal, scrubber: this.#store });
  }

  /** Calls a method and waits for it, which holds the event loop. */
  callSync<M extends string>(method: MethodName<M>, ...[params, options]: CallArguments<M>): CallResult<M> {
    const { timeoutMs } = checked(this.#store, method, options);
    const text = stringify(method, params === undefined ? {} : params, this.#store);
    const kept = this.#kept;
    return this.#value<M>(this.#store.callSync(method, text, timeoutMs, within(), kept?.number), kept);
  }

  /** The result of a call, when the logger was told of it. Its type is what the method table says. */
  #value<M extends string>(answer: TextAnswer | undefined, kept?: KeptText, cancelling?: Cancelling): CallResult<M> {
    if (this.#logger !== undefined && answer?.events !== undefined) tell(this.#logger, answer.events);
    return JSON.parse(this.#text(answer, kept, cancelling)) as CallResult<M>;
  }

  #text(answer: TextAnswer | undefined, kept?: KeptText, cancelling?: Cancelling): string {
    if (answer === undefined || !("kept" in answer)) return unwrap(answer, cancelling);
    if (answer.result !== undefined) this.#kept = { number: answer.kept, text: answer.result };
    else if (kept !== undefined) return kept.text;
    return answer.result ?? "";
  }
}

/** A text that the store keeps, and its number. */
type KeptText = { readonly number: number; readonly text: string };

/** What may have cancelled a call, and what scrubs its reason. */
type Cancelling = { readonly signal: AbortSignal; readonly scrubber: Scrubber };

/** What an answer holds, or its error thrown. */
export function unwrap<T>(answer: Returned<T>, cancelling?: Cancelling): T {
  if (answer === undefined) {
    throw new Misuse({
      code: "Misuse",
      message: "this environment is ending; no answer reaches it any more",
      retryable: false,
    });
  }
  if (answer.error === undefined) return answer.result;
  const details = JSON.parse(answer.error) as ErrorDetails & { readonly thrown?: number };
  if (details.code === "Cancelled" && cancelling?.signal.aborted === true) {
    throw cancelled(details.message, details.operation, cancelling.signal, cancelling.scrubber);
  }
  throw errorOf(answer.error, details.thrown === undefined ? undefined : { cause: takeThrown(details.thrown) });
}

/**
 * The promise that a native call returned. In an environment that is ending it never settles: Node may have lost the
 * worker's termination within that call, and whoever is told of an error and retries at once would then run for ever.
 */
export function promised<T>(answer: Returned<Promise<T>>): Promise<T> {
  return answer === undefined ? new Promise(() => {}) : unwrap(answer);
}

/** Refuses what has not the type that it should, for hosts that check no types. */
function checked(scrubber: Scrubber, method: unknown, options: unknown = {}): CallOptions {
  if (typeof method !== "string")
    throw invalid("a method is called by its name, such as memory.get", undefined, scrubber);
  if (options === null || typeof options !== "object")
    throw invalid("the options of a call must be an object", method, scrubber);
  const { timeoutMs, signal } = options as CallOptions;
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= 0xffffffff)) {
    throw invalid("timeoutMs must be a whole number of milliseconds", method, scrubber);
  }
  if (signal === undefined) return { timeoutMs };
  // Of any realm: an AbortSignal of another one is no instance of ours.
  if (typeof signal?.addEventListener !== "function" || typeof signal.aborted !== "boolean") {
    throw invalid("signal must be an AbortSignal", method, scrubber);
  }
  if (signal.aborted) {
    throw cancelled("the call was cancelled before it began", method, signal, scrubber);
  }
  return { timeoutMs, signal };
}
