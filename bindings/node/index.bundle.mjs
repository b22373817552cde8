// As index.mjs, for bundlers, which do not follow `createRequire`.

import loopmem from "./dist/index.cjs";

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
