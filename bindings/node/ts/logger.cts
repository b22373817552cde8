// The host's logger: what happened in a call, told when the call is over and before its promise settles.

import type { JsonValue } from "./generated/types.cjs";

/** What is told beside the sentence: what it is about, by name; of a failed call, its error. */
export type LogPayload = { readonly [key: string]: JsonValue };

/** A logger of your own, such as `console`. Whatever goes wrong in it changes nothing. */
export interface MemoryLogger {
  /** What happened, for somebody who looks closely, such as `Context updated for job-1`. */
  debug(message: string, payload: LogPayload): unknown;
  /** What is done rarely, such as `Checkpoint saved for job-1 at 1767225600000`. */
  info(message: string, payload: LogPayload): unknown;
  /** What a person should know and that stops nothing. */
  warn(message: string, payload: LogPayload): unknown;
  /** A call failed. */
  error(message: string, payload: LogPayload): unknown;
}

/** Tells `logger` what `events` hold: a level, a sentence and a JSON object each. */
export function tell(logger: MemoryLogger, events: readonly string[]): void {
  for (let at = 0; at + 2 < events.length; at += 3) {
    try {
      const [level, message, text] = events.slice(at, at + 3) as [keyof MemoryLogger, string, string];
      // The number under which an adapter's error is kept says nothing to anybody.
      const { thrown: _, ...payload } = JSON.parse(text) as LogPayload;
      const told = logger[level](message, payload);
      // A rejection that nobody handles would end the process.
      Promise.resolve(told).catch(() => {});
    } catch {}
  }
}
