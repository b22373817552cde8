// Errors that the package raises itself. All are created here: their texts may contain what the caller passed, such as
// the path to a value, and must pass through the core's redactor.

import { LoopmemError, textOf, type ErrorDetails } from "./error.cjs";
import { errorClasses } from "./generated/error_classes.cjs";
import type { Cancelled, ValidationError } from "./generated/errors.cjs";
import { native } from "./native.cjs";

/** Redacts the texts of an error and returns it as JSON: a store with its rules, else the native module. */
export type Scrubber = {
  refusal(code: string, message: string, operation?: string, cause?: string): string;
};

/** The error for an invalid value that the caller passed. */
export function invalid(message: string, operation?: string, scrubber: Scrubber = native): ValidationError {
  return errorOf(scrubber.refusal("ValidationError", message, operation));
}

/** The error for a call that `signal` has cancelled. Its `cause` is the signal's reason. */
export function cancelled(
  message: string,
  operation: string | undefined,
  signal: AbortSignal,
  scrubber: Scrubber,
): Cancelled {
  return errorOf(scrubber.refusal("Cancelled", message, operation, textOf(signal.reason)), { cause: signal.reason });
}

/** The error for JSON from the core, of the class for its code. */
export function errorOf(json: string, options?: ErrorOptions): LoopmemError {
  const details = JSON.parse(json) as ErrorDetails;
  return new (errorClasses.get(details.code) ?? LoopmemError)(details, options);
}
