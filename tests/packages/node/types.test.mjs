// The types of the installed package in each way that TypeScript resolves modules, and what the linters of packages say.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { devTools, installed, lend, main, platform, tarball } from "./project.mjs";

const project = await installed();
const tsc = join(devTools, "typescript/bin/tsc");

const PROGRAM = `import { LoopmemError, Store, type Convention, type MemoryLogger } from "loopmem";
  import { memoryHandlers } from "loopmem/anthropic";
  const logger: MemoryLogger = {};
  export async function run(signal: AbortSignal): Promise<readonly Convention[]> {
    const store = await Store.open({ home: "home", logger });
    try {
      await store.memory.upsertConvention({ repoHash: "x", convention: { title: "t", content: "c" } }, { signal });
      memoryHandlers(store);
      return (await store.memory.get({ repoHash: "x" })).conventions;
    } catch (error) {
      if (error instanceof LoopmemError && error.retryable) return [];
      throw error;
    }
  }
  // @ts-expect-error: a parameter that does not exist.
  void Store.open().then((store) => store.memory.get({ nonsense: 1 }));
`;

const compile = (files, options) => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    ...options,
  };
  project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  for (const file of files) project.write(file, PROGRAM);
  return project.run("node", tsc, "-p", "tsconfig.json");
};

test("without @types/node, the error of the compiler says what to install", async () => {
  const { status, stdout } = await compile(["app.mts"], { module: "node16" });
  assert.notEqual(status, 0);
  assert.match(stdout, /loopmem\/dist\/store\.d\.cts.*TS2688: Cannot find type definition file for 'node'/);
});

for (const [files, options] of [
  [["app.mts", "app.cts"], { module: "node16" }],
  [["app.mts", "app.cts"], { module: "nodenext" }],
  [["app.ts"], { module: "esnext", moduleResolution: "bundler", exactOptionalPropertyTypes: true }],
  [["app.ts"], { module: "commonjs", moduleResolution: "node10" }],
]) {
  const { module, moduleResolution = module } = options;
  test(`a program compiles under strict: ${files.join(" and ")} with the resolution ${moduleResolution}`, async () => {
    lend(project, "@types/node", "undici-types");
    const { status, stdout } = await compile(files, { types: [], ...options });
    assert.equal(status, 0, stdout);
  });
}

test("publint and attw find nothing", async () => {
  const tools = (name, ...args) => project.run("node", join(devTools, name), ...args);
  for (const path of [tarball, main, platform]) {
    const { status, stdout, stderr } = await tools("publint/src/cli.js", "--strict", path);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /All good!/);
  }
  for (const path of [tarball, main]) {
    const { status, stdout, stderr } = await tools("@arethetypeswrong/cli/dist/index.js", "--quiet", path);
    assert.equal(status, 0, stdout + stderr);
  }
});
