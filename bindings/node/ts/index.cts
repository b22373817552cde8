// loopmem for Node: durable, local-first memory for coding agents.

export { openAdapter, type AdapterOptions, type StoreAdapter } from "./adapter.cjs";
export { LoopmemError, type ErrorDetails } from "./error.cjs";
export * from "./generated/errors.cjs";
export type * from "./generated/types.cjs";
export type { CallArguments, CallOptions, CallResult, MethodName } from "./caller.cjs";
export type * from "./generated/rooms.cjs";
export {
  appendSummary,
  buildContextFromMemory,
  getRepoMemory,
  upsertConvention,
  upsertDecision,
  upsertNote,
  type AppendOptions,
  type BranchScope,
  type FunctionOptions,
} from "./functions.cjs";
export type { CountTokens, PersistenceAdapter } from "./host.cjs";
export type { LogPayload, MemoryLogger } from "./logger.cjs";
export { createMemoryStore, type Context, type MemoryStore } from "./memory_store.cjs";
export { Store, type OpenOptions } from "./store.cjs";
