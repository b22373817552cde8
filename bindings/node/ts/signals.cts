// Translates an AbortSignal into a cancel request of the core.

import { native, type NativeCancel } from "./native.cjs";

/** The calls that use one signal. They share a listener, since Node warns about more than ten. */
class Watch {
  readonly cancel: NativeCancel = new native.NativeCancel();
  readonly request = (): void => {
    this.cancel.request();
  };
  calls = 0;
}

const watches = new WeakMap<AbortSignal, Watch>();

/** Runs `call` with a cancel request that `signal` triggers. The listener is removed after the last call. */
export async function watching<T>(signal: AbortSignal, call: (cancel: NativeCancel) => Promise<T>): Promise<T> {
  const watch = watches.get(signal) ?? new Watch();
  watches.set(signal, watch);
  if (watch.calls++ === 0) signal.addEventListener("abort", watch.request, { once: true });
  try {
    return await call(watch.cancel);
  } finally {
    if (--watch.calls === 0) signal.removeEventListener("abort", watch.request);
  }
}
