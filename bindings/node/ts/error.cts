// The base class of all errors. The class of each kind is generated: see generated/errors.cts.

import { getSystemErrorName, inspect } from "node:util";

/** An error as JSON, the same in every language. */
export type ErrorDetails = {
  readonly code: string;
  readonly message: string;
  readonly operation?: string | undefined;
  readonly path?: string | undefined;
  readonly id?: string | undefined;
  readonly cause?: string | undefined;
  /** The operating system's error number of the cause, as a positive number. */
  readonly errno?: number | undefined;
  readonly retryable: boolean;
  /** Present only if true. */
  readonly mayBeStored?: boolean | undefined;
};

/**
 * The base class of every error that loopmem throws. Base decisions on the class, or on `code` and `retryable`. The
 * `message` is for people; it reads the same in every language: `operation: what happened (cause)`.
 */
export class LoopmemError extends Error {
  /** The kind of error, such as `ValidationError`; also the name of the class. */
  readonly code: string;
  /** The method that failed, such as `memory.get`. */
  readonly operation: string | undefined;
  /** The file concerned. */
  readonly path: string | undefined;
  /** The id of the record concerned. */
  readonly id: string | undefined;
  /** The operating system's error number, as a positive number; the `code` of `cause` is its name, such as `ENOSPC`. */
  readonly errno: number | undefined;
  /** Whether the same call may succeed if it is repeated later. */
  readonly retryable: boolean;
  /** Whether the change may have been stored although the call failed: check before you try again. */
  readonly mayBeStored: boolean;
  /** The message without operation and cause. */
  readonly #message: string;
  /** The text of the cause, redacted. */
  readonly #cause: string | undefined;

  /** `options.cause` replaces `details.cause` if the cause is more than a text. */
  constructor(details: ErrorDetails, options: ErrorOptions = causeOf(details)) {
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
    this.#cause = details.cause;
  }

  /** The error as JSON, the same in every language; absent members are unknown. */
  toJSON(): ErrorDetails {
    const { code, operation, path, id, cause, errno, retryable, mayBeStored } = this;
    const causeText = this.#cause ?? (cause === undefined ? undefined : textOf(cause));
    const details = { operation, path, id, cause: causeText, errno };
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

/** The cause of an error: a text or, for a system error, an `Error` with `errno` and `code` as Node sets them. */
function causeOf({ cause, errno }: ErrorDetails): ErrorOptions {
  if (cause === undefined) return {};
  if (errno === undefined) return { cause };
  const systemError: NodeJS.ErrnoException = new Error(cause);
  systemError.errno = -errno;
  systemError.code = getSystemErrorName(-errno);
  return { cause: systemError };
}

/** The message for people. */
function sentence({ operation, message, cause }: ErrorDetails): string {
  return `${operation === undefined ? "" : `${operation}: `}${message}${cause === undefined ? "" : ` (${cause})`}`;
}

/** Any thrown value as text. */
export function textOf(cause: unknown): string {
  if (typeof cause === "string") return cause;
  try {
    return cause instanceof Error ? String(cause) : inspect(cause);
  } catch {
    return "a value that cannot be shown";
  }
}
