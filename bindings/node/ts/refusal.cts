// What the package refuses by itself. The one place where such errors are made: their texts may hold what the caller passed,
// such as the path to a value, and go through the core's redactor first.

import { LoopmemError, textOf, type ErrorDetails } from "./error.cjs";
import { errorClasses } from "./generated/error_classes.cjs";
import type { Cancelled, ValidationError } from "./generated/errors.cjs";
import { native } from "./native.cjs";

/** What scrubs the texts of an error and returns it as JSON: a store with its own rules, else the native module. */
export type Scrubber = {
  refusal(code: string, message: string, operation?: string, cause?: string): string;
};

/** The error for a value that a host passed; its class tells the host what to mend. */
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

/** The error that JSON of the core's describes, of the class of its kind. */
export function errorOf(json: string, options?: ErrorOptions): LoopmemError {
  const details = JSON.parse(json) as ErrorDetails;
  return new (errorClasses.get(details.code) ?? LoopmemError)(details, options);
}
