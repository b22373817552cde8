// loopmem for Node: durable, local-first memory for coding agents.

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
} from "./functions.cjs";
export { Store } from "./store.cjs";
