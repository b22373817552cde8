// What loopmem throws. The classes of the kinds are generated: see generated/errors.cts.

import { getSystemErrorName, inspect } from "node:util";

/** An error as every language tells it. */
export type ErrorDetails = {
  readonly code: string;
  readonly message: string;
  readonly operation?: string | undefined;
  readonly path?: string | undefined;
  readonly id?: string | undefined;
  readonly cause?: string | undefined;
  /** The operating system's number for what lies beneath, above zero. */
  readonly errno?: number | undefined;
  readonly retryable: boolean;
  /** Present when it is true. */
  readonly mayBeStored?: boolean | undefined;
};

/**
 * Anything that loopmem throws. Decide by the class, or by `code` and `retryable`. The `message` is for people, as in every
 * language: `operation: what happened (cause)`.
 */
export class LoopmemError extends Error {
  /** The kind of error, such as `ValidationError`: the class's name. */
  readonly code: string;
  /** The method that failed, such as `memory.get`. */
  readonly operation: string | undefined;
  /** The file that this is about. */
  readonly path: string | undefined;
  /** The record that this is about. */
  readonly id: string | undefined;
  /** The operating system's number for what lies beneath, above zero; `cause` has its name, such as `ENOSPC`, as `code`. */
  readonly errno: number | undefined;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** Whether the change may have been stored although the call failed: look before trying again. */
  readonly mayBeStored: boolean;
  /** What happened, without operation and cause. */
  readonly #message: string;
  /** What lies beneath, without a secret. */
  readonly #told: string | undefined;

  /** `options.cause` stands for `details.cause` where what lies beneath is more than a text. */
  constructor(details: ErrorDetails, options: ErrorOptions = beneath(details)) {
    super(sentence(details), options);
    this.name = details.code;
    this.code = details.code;
    this.operation = details.operation;
    this.path = details.path;
    this.id = details.id;
    this.errno = details.errno;
    this.retryable = details.retryable;
    this.mayBeStored = details.mayBeStored === true;
    this.#message = details.message;
    this.#told = details.cause;
  }

  /** The shape that an error has in every language; what is not known is left out. */
  toJSON(): ErrorDetails {
    const { code, operation, path, id, cause, errno, retryable, mayBeStored } = this;
    const told = this.#told ?? (cause === undefined ? undefined : textOf(cause));
    const details = { operation, path, id, cause: told, errno };
    const known = Object.entries(details).filter(([, value]) => value !== undefined);
    return {
      code,
      message: this.#message,
      ...Object.fromEntries(known),
      retryable,
      ...(mayBeStored && { mayBeStored }),
    };
  }
}

/** What lies beneath an error: a text, or what the operating system says, as errors of Node tell it. */
function beneath({ cause, errno }: ErrorDetails): ErrorOptions {
  if (cause === undefined) return {};
  if (errno === undefined) return { cause };
  const fault: NodeJS.ErrnoException = new Error(cause);
  fault.errno = -errno;
  fault.code = getSystemErrorName(-errno);
  return { cause: fault };
}

/** What an error says to people. */
function sentence({ operation, message, cause }: ErrorDetails): string {
  return `${operation === undefined ? "" : `${operation}: `}${message}${cause === undefined ? "" : ` (${cause})`}`;
}

/** Anything that may be thrown, as a text. */
export function textOf(cause: unknown): string {
  if (typeof cause === "string") return cause;
  try {
    return cause instanceof Error ? String(cause) : inspect(cause);
  } catch {
    return "something that cannot be shown";
  }
}
