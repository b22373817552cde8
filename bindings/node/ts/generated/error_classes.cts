// Generated from the method table by scripts/generate. Do not edit.

import type { LoopmemError } from "../error.cjs";
import * as errors from "./errors.cjs";

/** The class of each code. */
export const errorClasses: ReadonlyMap<string, typeof LoopmemError> = new Map([
  ["ValidationError", errors.ValidationError],
  ["ParseError", errors.ParseError],
  ["IOError", errors.IOError],
  ["RenameError", errors.RenameError],
  ["LockAcquisitionError", errors.LockAcquisitionError],
  ["SecretRefused", errors.SecretRefused],
  ["NotFound", errors.NotFound],
  ["Conflict", errors.Conflict],
  ["LeaseLost", errors.LeaseLost],
  ["AdapterError", errors.AdapterError],
  ["GitError", errors.GitError],
  ["Unsupported", errors.Unsupported],
  ["Cancelled", errors.Cancelled],
  ["FormatTooNew", errors.FormatTooNew],
  ["Misuse", errors.Misuse],
  ["Internal", errors.Internal],
]);
