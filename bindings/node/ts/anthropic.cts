// Anthropic's memory tool on the files that loopmem keeps, for Anthropic's SDK and for the AI SDK. Neither is imported.

import type { Store } from "./store.cjs";

/** Whose files they are. By default, those of the repository of the current folder. */
export type MemoryFolder = {
  /** Whether they belong to the user, and to no repository. Default: `false`. */
  readonly global?: boolean | undefined;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  readonly repoHash?: string | undefined;
  /** A folder in the repository. Default: the current folder. */
  readonly workspace?: string | undefined;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  readonly branchScope?: "perBranch" | "sharedRepo" | undefined;
};

/** A call of the tool, as a model makes it. */
export type MemoryCommand =
  | { command: "view"; path: string; view_range?: readonly number[] | undefined }
  | { command: "create"; path: string; file_text: string }
  | { command: "str_replace"; path: string; old_str: string; new_str?: string | undefined }
  | { command: "insert"; path: string; insert_line: number; insert_text: string }
  | { command: "delete"; path: string }
  | { command: "rename"; old_path: string; new_path: string };

/** A handler for each command. It returns the text for the model, or throws an `Error` with that text. */
export type MemoryHandlers = {
  [Name in MemoryCommand["command"]]: (command: Extract<MemoryCommand, { command: Name }>) => Promise<string>;
};

/**
 * The handlers for `betaMemoryTool` of Anthropic's SDK. They behave as those of its `BetaLocalFilesystemMemoryTool`.
 *
 * ```js
 * import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
 * const memory = betaMemoryTool(memoryHandlers(store));
 * ```
 */
export function memoryHandlers(store: Pick<Store, "files">, folder: MemoryFolder = {}): MemoryHandlers {
  const { files } = store;
  const of = { ...folder, sdk: "typescript" } as const;
  return {
    // The SDK ignores a range that does not have two numbers.
    view: ({ path, view_range: range }) =>
      said(files.view({ ...of, path, viewRange: range?.length === 2 ? [...range] : undefined })),
    create: ({ path, file_text: fileText }) => said(files.create({ ...of, path, fileText })),
    str_replace: ({ path, old_str: oldStr, new_str: newStr }) => said(files.replace({ ...of, path, oldStr, newStr })),
    insert: ({ path, insert_line: insertLine, insert_text: insertText }) =>
      said(files.insert({ ...of, path, insertLine, insertText })),
    delete: ({ path }) => said(files.remove({ ...of, path })),
    rename: ({ old_path: oldPath, new_path: newPath }) => said(files.rename({ ...of, oldPath, newPath })),
  };
}

/**
 * The `execute` for the memory tool of the AI SDK.
 *
 * ```js
 * import { anthropic } from "@ai-sdk/anthropic";
 * const memory = anthropic.tools.memory_20250818({ execute: memoryExecute(store) });
 * ```
 */
export function memoryExecute(
  store: Pick<Store, "files">,
  folder: MemoryFolder = {},
): (command: MemoryCommand) => Promise<string> {
  const handlers = memoryHandlers(store, folder);
  return (command) => {
    switch (command.command) {
      case "view":
        return handlers.view(command);
      case "create":
        return handlers.create(command);
      case "str_replace":
        return handlers.str_replace(command);
      case "insert":
        return handlers.insert(command);
      case "delete":
        return handlers.delete(command);
      case "rename":
        return handlers.rename(command);
      default:
        return Promise.reject(new Error(`${String((command as { command?: unknown }).command)} not implemented`));
    }
  };
}

/** The text of an answer; an error has the text alone, as the SDK's own. */
async function said(answer: Promise<{ readonly text: string }>): Promise<string> {
  try {
    return (await answer).text;
  } catch (error) {
    throw new Error(isOfLoopmem(error) ? error.toJSON().message : String(error), { cause: error });
  }
}

/** Its class is not imported: another copy of the package may have thrown it. */
function isOfLoopmem(error: unknown): error is { toJSON(): { message: string } } {
  return error instanceof Error && "retryable" in error && "toJSON" in error;
}
