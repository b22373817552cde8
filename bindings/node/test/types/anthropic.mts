// The handlers have the types that Anthropic's SDK asks for.

import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { type Store } from "loopmem";
import { memoryExecute, memoryHandlers, type MemoryCommand } from "loopmem/anthropic";

export function tool(store: Store): ReturnType<typeof betaMemoryTool> {
  return betaMemoryTool(memoryHandlers(store, { workspace: ".", branchScope: "sharedRepo" }));
}

export const executes = (store: Store): ((command: MemoryCommand) => Promise<string>) =>
  memoryExecute(store, { global: true });
