// As index.mjs, for bundlers, which do not follow `createRequire`, and find the names themselves.

export * from "./dist/index.cjs";
