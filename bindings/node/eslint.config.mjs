// ESLint's rules for all TypeScript and JavaScript of the repository: the package, the examples, the interop tests and those of the
// package as installed.
//
// ESLint checks only files below its working directory, so `npm run lint` runs it at the top of the repository.

import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

const typescript = ["**/*.cts", "**/*.mts"];
const javascript = ["**/*.mjs"];
const unused = { varsIgnorePattern: "^_$", argsIgnorePattern: "^_" };

export default defineConfig(
  { ignores: ["**/dist/"] },
  {
    files: [...typescript, ...javascript],
    extends: [js.configs.recommended, tseslint.configs.base],
    languageOptions: {
      parserOptions: { project: "tsconfig.all.json", tsconfigRootDir: import.meta.dirname },
      // Node's own globals, taken from the running Node.
      globals: Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, "readonly"])),
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "prefer-const": "error",
      // An empty `catch` is fine where the error does not matter.
      "no-empty": ["error", { allowEmptyCatch: true }],
      "no-unused-vars": ["error", unused],
      "@typescript-eslint/no-floating-promises": [
        "error",
        // The test runner awaits its tests itself.
        { allowForKnownSafeCalls: [{ from: "package", name: ["test", "after"], package: "node:test" }] },
      ],
    },
  },
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    rules: {
      "no-unused-vars": "off",
      "@typescript-eslint/no-unused-vars": ["error", unused],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // A function may be `async` only to return a promise, or to reject instead of throwing.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    // Host code may use `any`, and some expressions exist only to show that they do not compile.
    files: ["**/test/types/*"],
    rules: {
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unused-expressions": "off",
    },
  },
);
