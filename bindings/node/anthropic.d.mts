export * from "./dist/anthropic.cjs";
