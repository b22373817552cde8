// The module that Rust makes: strings of JSON in, strings of JSON out.

import { Unsupported } from "./generated/errors.cjs";

/** What a call came to: one of the two. */
export type Answer<T> = { readonly result: T; readonly error?: never } | { readonly error: string; readonly result?: never };

export interface NativeCancel {
  request(): Answer<undefined>;
}

export interface NativeStore {
  callSync(method: string, params: string, timeoutMs?: number): Answer<string>;
  call(method: string, params: string, timeoutMs?: number, cancel?: NativeCancel): Answer<Promise<Answer<string>>>;
  close(): Answer<undefined>;
}

type Native = {
  readonly VERSION: string;
  readonly DEBUG: boolean;
  readonly NativeStore: {
    open(options: string): Answer<Promise<Answer<NativeStore>>>;
    openSync(options: string): Answer<NativeStore>;
  };
  readonly NativeCancel: new () => NativeCancel;
};

export const native = load();

function load(): Native {
  try {
    return require("../loopmem.node") as Native;
  } catch (cause) {
    const here = `${process.platform} on ${process.arch}`;
    const message = `loopmem's native module does not load here (${here}); it is built for one platform, by scripts/build node`;
    throw new Unsupported({ code: "Unsupported", message, retryable: false }, { cause });
  }
}
