// The implementation is CommonJS: both module systems share its classes, errors and default store.
//
// It is loaded with `require` and its exports are listed by name: for an import, Node would read the whole file a
// second time to find the names. A test fails if one is missing here.

import { createRequire } from "node:module";

const loopmem = createRequire(import.meta.url)("./dist/index.cjs");

export const {
  AdapterError,
  Cancelled,
  Conflict,
  FormatTooNew,
  GitError,
  IOError,
  Internal,
  LeaseLost,
  LockAcquisitionError,
  LoopmemError,
  Misuse,
  NotFound,
  ParseError,
  RenameError,
  SecretRefused,
  Store,
  Unsupported,
  ValidationError,
  appendSummary,
  buildContextFromMemory,
  createMemoryStore,
  getRepoMemory,
  openAdapter,
  upsertConvention,
  upsertDecision,
  upsertNote,
} = loopmem;
