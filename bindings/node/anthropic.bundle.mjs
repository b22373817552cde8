// As anthropic.mjs, for bundlers, which do not follow `createRequire`.

import anthropic from "./dist/anthropic.cjs";

export const { memoryExecute, memoryHandlers } = anthropic;
