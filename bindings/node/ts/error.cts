// What loopmem throws. The classes of the kinds are generated: see generated/errors.cts.

/** An error as every language tells it. */
export type ErrorDetails = {
  readonly code: string;
  readonly message: string;
  readonly operation?: string;
  readonly path?: string;
  readonly id?: string;
  readonly cause?: string;
  readonly retryable: boolean;
};

/** Anything that loopmem throws. Decide by the class, or by `code` and `retryable`. */
export class LoopmemError extends Error {
  /** The kind of error, such as `ValidationError`: the class's name. */
  readonly code: string;
  /** The method that failed, such as `memory.get`. */
  readonly operation: string | undefined;
  /** The file that this is about. */
  readonly path: string | undefined;
  /** The record that this is about. */
  readonly id: string | undefined;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean;

  constructor(details: ErrorDetails) {
    const prefix = details.operation === undefined ? "" : `${details.operation}: `;
    super(prefix + details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = details.code;
    this.code = details.code;
    this.operation = details.operation;
    this.path = details.path;
    this.id = details.id;
    this.retryable = details.retryable;
  }
}
