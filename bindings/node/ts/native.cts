// The module that Rust makes: strings of JSON in, strings of JSON out.

/** What a call came to: one of the two. */
export type Answer<T> = { readonly result: T; readonly error?: never } | { readonly error: string; readonly result?: never };

export interface NativeCancel {
  request(): void;
}

export interface NativeStore {
  callSync(method: string, params: string, timeoutMs?: number, cancel?: NativeCancel): Answer<string>;
  call(method: string, params: string, timeoutMs?: number, cancel?: NativeCancel): Promise<Answer<string>>;
  close(): void;
}

type Native = {
  readonly NativeStore: {
    open(options: string): Promise<Answer<NativeStore>>;
    openSync(options: string): Answer<NativeStore>;
  };
  readonly NativeCancel: new () => NativeCancel;
};

export const native = require("../loopmem.node") as Native;
