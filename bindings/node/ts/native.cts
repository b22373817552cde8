// The module that Rust makes: strings of JSON in, strings of JSON out.

import { Unsupported } from "./generated/errors.cjs";
import type { Dispatch } from "./host.cjs";

/** What a call came to: one of the two. `events` is for the logger: a level, a sentence and a JSON object each. */
export type Answer<T> = { readonly events?: readonly string[] } & (
  { readonly result: T; readonly error?: never } | { readonly error: string; readonly result?: never }
);

/** What a native call returns: an answer, or nothing in an environment that is ending, such as a terminated worker's. */
export type Returned<T> = Answer<T> | undefined;

export interface NativeCancel {
  request(): Returned<undefined>;
}

/**
 * The text that a method returned. One that the store keeps has a number; it is left out when the caller said that it has the
 * text of this number.
 */
export type TextAnswer =
  | Answer<string>
  | {
      readonly events?: readonly string[];
      readonly kept: number;
      readonly result?: string;
      readonly error?: never;
    };

export interface NativeStore {
  callSync(method: string, params: string, timeoutMs?: number, within?: number, kept?: number): TextAnswer | undefined;
  call(
    method: string,
    params: string,
    timeoutMs?: number,
    cancel?: NativeCancel,
    within?: number,
    kept?: number,
  ): Returned<Promise<TextAnswer>>;
  close(): Returned<undefined>;
  refusal(code: string, message: string, operation?: string, cause?: string): string;
}

/** The options of a store as JSON, and what the host lends to it. */
export type Opening = [
  options: string,
  functions?: readonly string[] | undefined,
  dispatch?: Dispatch | undefined,
  listens?: boolean,
];

type Native = {
  readonly VERSION: string;
  readonly DEBUG: boolean;
  /** What input is refused for that is nested too deeply, in whatever language. */
  readonly TOO_DEEP: string;
  readonly NativeStore: {
    open(...opening: Opening): Returned<Promise<Answer<NativeStore>>>;
    openSync(...opening: Opening): Returned<NativeStore>;
  };
  answer(number: number, json: string): boolean;
  refuse(number: number, message: string, cause?: string, thrown?: number): boolean;
  refusal(code: string, message: string, operation?: string, cause?: string): string;
  readonly NativeCancel: new () => NativeCancel;
};

export const native = load();

function load(): Native {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a native module has no other way in.
    return require("../loopmem.node") as Native;
  } catch (cause) {
    const here = `${process.platform} on ${process.arch}`;
    const message = `loopmem's native module does not load here (${here}); it is built for one platform, by scripts/build node`;
    throw new Unsupported({ code: "Unsupported", message, retryable: false }, { cause });
  }
}
