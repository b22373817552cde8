// As index.mjs: both module systems share one implementation.

import { createRequire } from "node:module";

const anthropic = createRequire(import.meta.url)("./dist/anthropic.cjs");

export const { memoryExecute, memoryHandlers } = anthropic;
