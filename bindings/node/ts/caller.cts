// A call: encodes the params, decodes the result, and throws an error of the right class.

import type { ErrorDetails } from "./error.cjs";
import { Misuse } from "./generated/errors.cjs";
import type { JsonValue, Methods, Redaction } from "./generated/types.cjs";
import { takeThrown, within } from "./host.cjs";
import { stringify } from "./json.cjs";
import { emit, type MemoryLogger } from "./logger.cjs";
import type { NativeCancel, NativeStore, Report, Returned, TextAnswer } from "./native.cjs";
import { cancelled, errorOf, invalid, type Scrubber } from "./refusal.cjs";
import { watching } from "./signals.cjs";

/** Options of a single call. */
export type CallOptions = {
  /**
   * Cancels the call while it waits for a lock or brings an index up to date: it throws `Cancelled`. A write that has
   * started is finished. In a `…Sync` call it has no effect once the call has begun.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The maximum time that the call waits in total, in milliseconds: for locks, and for a server, your own adapter or git.
   * Default: the configured time-outs. With 0 the call does not wait for locks.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called for each field of which the call redacted something, before the call returns or its promise settles. The
   * logger gets the same as warnings. An exception in it does not affect the call.
   */
  readonly onRedaction?: ((redaction: Redaction) => unknown) | undefined;
  /**
   * Called with the number of completed steps and the total while a long call runs. Calls that bring the index of a
   * repository up to date report the files that were read, out of those to read: at most 101 times, first 0, last all. It
   * is not called after the promise has settled. An exception in it does not affect the call. A `…Sync` call waits for
   * it; synchronous calls that it makes there throw `Misuse`.
   */
  readonly onProgress?: ((done: number, total: number) => unknown) | undefined;
};

/** The name of a method. A literal must name a known method; a computed string may be anything. */
export type MethodName<M extends string> = M extends keyof Methods ? M : string extends M ? M : keyof Methods;

/** The arguments after the method's name. `params` may be omitted if the method requires none. */
export type CallArguments<M extends string> = M extends keyof Methods
  ? Record<never, never> extends Methods[M]["params"]
    ? [params?: Methods[M]["params"] | undefined, options?: CallOptions | undefined]
    : [params: Methods[M]["params"], options?: CallOptions | undefined]
  : [params?: JsonValue | undefined, options?: CallOptions | undefined];

/** The result of a method. */
export type CallResult<M extends string> = M extends keyof Methods ? Methods[M]["result"] : JsonValue;

/** Calls methods by name. */
export class Caller {
  readonly #store: NativeStore;
  readonly #logger: MemoryLogger | undefined;
  /** The last result that the store also caches: while it is unchanged, the store does not send it again. */
  #kept: KeptText | undefined;

  constructor(store: NativeStore, logger?: MemoryLogger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Calls a method on one of loopmem's threads. Calls that are not awaited take effect in the order of the calls. */
  async call<M extends string>(method: MethodName<M>, ...[params, options]: CallArguments<M>): Promise<CallResult<M>> {
    const { timeoutMs, signal, onRedaction, onProgress } = checked(this.#store, method, options);
    const text = stringify(method, params === undefined ? {} : params, this.#store);
    const outer = within();
    const kept = this.#kept;
    const number = kept?.number;
    const reports = onProgress === undefined ? undefined : new Reports(onProgress);
    const made = (cancel?: NativeCancel) =>
      promised(this.#store.call(method, text, timeoutMs, cancel, outer, number, reports?.report));
    const answer = await (signal === undefined ? made() : watching(signal, made));
    reports?.end(answer?.progress);
    return this.#value<M>(answer, kept, onRedaction, signal && { signal, scrubber: this.#store });
  }

  /** Calls a method and blocks the event loop until it returns. */
  callSync<M extends string>(method: MethodName<M>, ...[params, options]: CallArguments<M>): CallResult<M> {
    const { timeoutMs, onRedaction, onProgress } = checked(this.#store, method, options);
    const text = stringify(method, params === undefined ? {} : params, this.#store);
    const kept = this.#kept;
    const report = onProgress === undefined ? undefined : new Reports(onProgress).report;
    const answer = this.#store.callSync(method, text, timeoutMs, within(), kept?.number, report);
    return this.#value<M>(answer, kept, onRedaction);
  }

  /** Passes the events and redactions of the call to the host. The type of the result follows from the method table. */
  #value<M extends string>(
    answer: TextAnswer | undefined,
    kept?: KeptText,
    onRedaction?: CallOptions["onRedaction"],
    cancelling?: Cancelling,
  ): CallResult<M> {
    if (this.#logger !== undefined && answer?.events !== undefined) emit(this.#logger, answer.events);
    if (onRedaction !== undefined && answer?.redactions !== undefined) tell(onRedaction, answer.redactions);
    return JSON.parse(this.#text(answer, kept, cancelling)) as CallResult<M>;
  }

  #text(answer: TextAnswer | undefined, kept?: KeptText, cancelling?: Cancelling): string {
    if (answer === undefined || !("kept" in answer)) return unwrap(answer, cancelling);
    if (answer.result !== undefined) this.#kept = { number: answer.kept, text: answer.result };
    else if (kept !== undefined) return kept.text;
    return answer.result ?? "";
  }
}

/** Passes each of the `redactions`, a JSON list, to the host. */
function tell(onRedaction: (redaction: Redaction) => unknown, redactions: string): void {
  for (const redaction of JSON.parse(redactions) as Redaction[]) harmless(() => onRedaction(redaction));
}

/** Calls back without effect on the call that is in progress. */
function harmless(callback: () => unknown): void {
  try {
    // An unhandled rejection would end the process.
    Promise.resolve(callback()).catch(() => {});
  } catch {}
}

/** Passes the reports of one call to the host. */
class Reports {
  #last: string | undefined;
  #ended = false;
  readonly report: Report;

  constructor(onProgress: NonNullable<CallOptions["onProgress"]>) {
    this.report = (done, total) => {
      if (this.#ended) return;
      this.#last = `${done}/${total}`;
      harmless(() => onProgress(done, total));
    };
  }

  /** Passes on the last report if the answer has overtaken it; later ones are ignored. */
  end(last: TextAnswer["progress"]): void {
    if (last !== undefined && this.#last !== last.join("/")) this.report(...last);
    this.#ended = true;
  }
}

/** A result that the store caches, and its number. */
type KeptText = { readonly number: number; readonly text: string };

/** The signal that may have cancelled a call, and the redactor for its reason. */
type Cancelling = { readonly signal: AbortSignal; readonly scrubber: Scrubber };

/** Returns the result of an answer, or throws its error. */
export function unwrap<T>(answer: Returned<T>, cancelling?: Cancelling): T {
  if (answer === undefined) {
    throw new Misuse({
      code: "Misuse",
      message: "the call cannot complete: this environment is shutting down",
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
 * The promise that a native call returned. In an environment that is shutting down, the promise never settles: Node may
 * lose a worker's termination during such a call, and code that retries at once after an error would then run forever.
 */
export function promised<T>(answer: Returned<Promise<T>>): Promise<T> {
  return answer === undefined ? new Promise(() => {}) : unwrap(answer);
}

/** Checks argument types at run time, for callers without type checking. */
function checked(scrubber: Scrubber, method: unknown, options: unknown = {}): CallOptions {
  if (typeof method !== "string") throw invalid("the method must be a name, such as memory.get", undefined, scrubber);
  if (options === null || typeof options !== "object")
    throw invalid("the options of a call must be an object", method, scrubber);
  const { timeoutMs, signal, onRedaction, onProgress } = options as CallOptions;
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= 0xffffffff)) {
    throw invalid("timeoutMs must be a whole number of milliseconds", method, scrubber);
  }
  if (onRedaction !== undefined && typeof onRedaction !== "function") {
    throw invalid("onRedaction must be a function", method, scrubber);
  }
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw invalid("onProgress must be a function", method, scrubber);
  }
  if (signal === undefined) return { timeoutMs, onRedaction, onProgress };
  // No `instanceof`: a signal from another realm is valid too.
  if (typeof signal?.addEventListener !== "function" || typeof signal.aborted !== "boolean") {
    throw invalid("signal must be an AbortSignal", method, scrubber);
  }
  if (signal.aborted) {
    throw cancelled("the call was cancelled before it began", method, signal, scrubber);
  }
  return { timeoutMs, signal, onRedaction, onProgress };
}
