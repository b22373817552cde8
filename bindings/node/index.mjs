// The one implementation is CommonJS: both module systems share its classes, errors and default store.
//
// By require and by name: importing it would make Node read the whole of it once more, to find the names. A test tells when
// one is missing here.

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
  upsertConvention,
  upsertDecision,
  upsertNote,
} = loopmem;
