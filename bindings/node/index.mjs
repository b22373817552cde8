// The one implementation is CommonJS: both module systems share its classes and errors.
export * from "./dist/index.cjs";
