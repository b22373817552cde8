// The native module: strings of JSON in, strings of JSON out.

import type { Dispatch } from "./host.cjs";
import { load } from "./platform.cjs";

/** The outcome of a call: a result or an error. `events` has a level, a message and a JSON object per log event. */
export type Answer<T> = { readonly events?: readonly string[] } & (
  { readonly result: T; readonly error?: never } | { readonly error: string; readonly result?: never }
);

/** What a native call returns: an answer, or nothing if the environment is shutting down, as in a terminated worker. */
export type Returned<T> = Answer<T> | undefined;

export interface NativeCancel {
  request(): Returned<undefined>;
}

/**
 * The text that a method returned. A text that the store caches has a number, and is omitted if the caller said that it
 * has the text with this number.
 */
export type TextAnswer = {
  /** What the call redacted, as a JSON list; absent if it redacted nothing. */
  readonly redactions?: string;
  /** The last report of the call's progress, which its callback may not have got yet. */
  readonly progress?: readonly [done: number, total: number];
} & (
  | Answer<string>
  | {
      readonly events?: readonly string[];
      readonly kept: number;
      readonly result?: string;
      readonly error?: never;
    }
);

/** Receives the progress of a call. It must not throw. */
export type Report = (done: number, total: number) => void;

export interface NativeStore {
  callSync(
    method: string,
    params: string,
    timeoutMs?: number,
    within?: number,
    kept?: number,
    progress?: Report,
  ): TextAnswer | undefined;
  call(
    method: string,
    params: string,
    timeoutMs?: number,
    cancel?: NativeCancel,
    within?: number,
    kept?: number,
    progress?: Report,
  ): Returned<Promise<TextAnswer>>;
  /** A store on the adapter of this one. */
  lend(options: string, dispatch?: Dispatch, listens?: boolean, counts?: boolean): Returned<NativeStore>;
  close(): Returned<undefined>;
  refusal(code: string, message: string, operation?: string, cause?: string): string;
}

/** The options of a store as JSON, and what the host provides: an adapter, and whether there are a logger and a tokenizer. */
export type Opening = [
  options: string,
  functions?: readonly string[] | undefined,
  dispatch?: Dispatch | undefined,
  listens?: boolean,
  counts?: boolean,
];

export type Native = {
  readonly VERSION: string;
  readonly DEBUG: boolean;
  /** The error message for input that is nested too deeply, the same in every language. */
  readonly TOO_DEEP: string;
  readonly NativeStore: {
    open(...opening: Opening): Returned<Promise<Answer<NativeStore>>>;
    openSync(...opening: Opening): Returned<NativeStore>;
  };
  answer(number: number, json: string): boolean;
  refuse(number: number, message: string, cause?: string, thrown?: number): boolean;
  refusal(code: string, message: string, operation?: string, cause?: string): string;
  readonly NativeCancel: new () => NativeCancel;
  runCommand(program: readonly string[], args: readonly string[]): number;
};

export const native = load() as Native;
