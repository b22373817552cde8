// The host's logger. It is called when a call is over, before the call's promise settles.

import type { JsonValue } from "./generated/types.cjs";

/** The data of a log message; for a failed call, its error. */
export type LogPayload = { readonly [key: string]: JsonValue };

/** A logger of your own, such as `console`; what it has no function for is not logged. An exception in it does not affect the call. */
export interface MemoryLogger {
  /** Routine changes, such as `Context updated for job-1`. */
  debug?(message: string, payload: LogPayload): unknown;
  /** Rarer changes, such as `Checkpoint saved for job-1 at 1767225600000`. */
  info?(message: string, payload: LogPayload): unknown;
  /** Conditions that someone should know about but that stop nothing. */
  warn?(message: string, payload: LogPayload): unknown;
  /** Failed calls. */
  error?(message: string, payload: LogPayload): unknown;
}

/** Passes `events` to `logger`: a level, a message and a JSON object each. */
export function emit(logger: MemoryLogger, events: readonly string[]): void {
  for (let at = 0; at + 2 < events.length; at += 3) {
    try {
      const [level, message, text] = events.slice(at, at + 3) as [keyof MemoryLogger, string, string];
      // The number of a value that an adapter threw is internal.
      const { thrown: _, ...payload } = JSON.parse(text) as LogPayload;
      const result = logger[level]?.(message, payload);
      // An unhandled rejection would end the process.
      Promise.resolve(result).catch(() => {});
    } catch {}
  }
}
