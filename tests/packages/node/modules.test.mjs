// The installed package in one process and in many: both module systems, reloaded modules, other realms, workers and child
// processes, with each version of Node at hand.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { installed, nodes, version } from "./project.mjs";

const project = await installed();
const hash = "a".repeat(64);
const shared = `const repoHash = "${hash}"; const convention = (title) => ({ repoHash, convention: { title, content: "c" } });\n`;

/** The titles that another process reads. */
async function titles(home) {
  const printed = await project.node(
    "titles.cjs",
    `const { conventions } = require("loopmem").Store.openSync({ home: process.argv[2] }).memory.getSync({ repoHash: "${hash}" });
     console.log(JSON.stringify(conventions.map(({ title }) => title).sort()));`,
    join(project.root, home),
  );
  return JSON.parse(printed);
}

for (const node of nodes) {
  const major = node.match(/node-(\d+)/)?.[1] ?? process.versions.node;
  const run = async (name, text) => {
    project.write(name, text);
    const { status, stdout, stderr } = await project.run(node, name);
    assert.equal(status, 0, stderr);
    // No warning either.
    assert.equal(stderr, "");
    return stdout;
  };

  test(`Node ${major}: import and require share the classes and the default store`, async () => {
    const printed = await run(
      "both.mjs",
      `import { createRequire } from "node:module";
       import * as imported from "loopmem";
       import * as anthropic from "loopmem/anthropic";
       const require = createRequire(import.meta.url);
       const required = require("loopmem");
       for (const [name, value] of Object.entries(required)) if (imported[name] !== value) console.log("differs", name);
       for (const [name, value] of Object.entries(require("loopmem/anthropic"))) if (anthropic[name] !== value) console.log("differs", name);
       const store = required.Store.openSync({ home: "home-both" });
       try { await store.memory.get({ repoHash: "x" }); } catch (error) { console.log(error instanceof imported.ValidationError, error instanceof imported.LoopmemError); }
       console.log(require("loopmem/package.json").version, Object.keys(required).length > 20);`,
    );
    assert.equal(printed, `true true\n${version} true\n`);
  });

  test(`Node ${major}: the command has its output and its exit status`, async () => {
    const command = join(project.root, "node_modules/loopmem/dist/command.cjs");
    assert.equal((await project.run(node, command, "--version")).stdout, `loopmem ${version}\n`);
    assert.equal((await project.run(node, command, "nonsense")).status, 2);
  });

  test(`Node ${major}: a process that is idle ends, although its stores are open`, async () => {
    const printed = await run(
      "idle.mjs",
      `import { Store, createMemoryStore } from "loopmem";
       ${shared}
       const adapter = { get: () => null, set() {}, del() {}, push() {}, getList: () => [] };
       const logger = { debug() {} };
       const open = [await Store.open({ home: "home-idle", logger, countTokens: (text) => text.length, adapter }), createMemoryStore({ home: "home-idle" })];
       const { signal } = new AbortController();
       await open[0].memory.upsertConvention(convention("one"), { signal, timeoutMs: 600_000 });
       await open[0].working.getContext({ scopeId: "s" });
       process.on("exit", () => console.log("ended", open.length));`,
    );
    assert.equal(printed, "ended 2\n");
  });
}

test("a module that is loaded again after its cache was cleared works beside the first one", async () => {
  const printed = await project.node(
    "again.cjs",
    `${shared}
     const load = () => {
       for (const path of Object.keys(require.cache)) delete require.cache[path];
       return require("loopmem");
     };
     const loaded = Array.from({ length: 5 }, load);
     const stores = loaded.map(({ Store }) => Store.openSync({ home: "home-again" }));
     (async () => {
       await Promise.all(stores.map((store, at) => store.memory.upsertConvention(convention("title " + at))));
       const errors = await Promise.all(stores.map((store) => store.memory.get({ repoHash: "x" }).catch((error) => error)));
       console.log(errors.map((error) => loaded.map(({ ValidationError }) => Number(error instanceof ValidationError)).join("")).join());
       const seen = await stores[0].memory.get({ repoHash });
       console.log(seen.conventions.length);
     })();`,
  );
  assert.equal(printed, "10000,01000,00100,00010,00001\n5\n");
});

test("values and signals of another realm are accepted", async () => {
  const printed = await project.node(
    "realm.cjs",
    `${shared}
     const vm = require("node:vm");
     const context = vm.createContext({ require, console, AbortController });
     vm.runInContext(\`
       const { Store, ValidationError } = require("loopmem");
       const store = Store.openSync({ home: "home-realm" });
       const { signal } = new AbortController();
       (async () => {
         await store.memory.upsertConvention({ repoHash: "${hash}", convention: { title: "t", content: "c", tags: ["a", "b"] } }, { signal });
         const { conventions } = await store.memory.get({ repoHash: "${hash}" });
         const error = await store.memory.get({ repoHash: "x" }).catch((error) => error);
         console.log(conventions[0].tags.join(), error instanceof ValidationError);
       })();\`, context);`,
  );
  assert.equal(printed, "a,b true\n");
});

test("workers that write with stores of their own lose nothing, and may be terminated", async () => {
  const printed = await project.node(
    "workers.cjs",
    `const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");
     const { Store } = require("loopmem");
     ${shared}
     const store = Store.openSync({ home: "home-workers" });
     if (isMainThread) main();
     else work();
     async function work() {
       for (let at = 0; at < 5; at++) await store.memory.upsertConvention(convention(workerData + "-" + at));
       parentPort.postMessage("written");
       // Until it is terminated.
       for (;;) await store.memory.get({ repoHash });
     }
     async function main() {
       const workers = ["a", "b", "c", "d"].map((workerData) => new Worker(__filename, { workerData }));
       await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))));
       console.log((await Promise.all(workers.map((worker) => worker.terminate()))).join());
       await store.memory.upsertConvention(convention("main"));
     }`,
  );
  assert.equal(printed, "1,1,1,1\n");
  const written = ["a", "b", "c", "d"].flatMap((worker) => [0, 1, 2, 3, 4].map((at) => `${worker}-${at}`));
  assert.deepEqual(await titles("home-workers"), [...written, "main"].sort());
});

for (const [name, fork] of [
  ["child_process.fork", 'require("node:child_process").fork(__filename, [String(at)])'],
  ["cluster", 'require("node:cluster").fork({ AT: at }).process'],
]) {
  test(`processes of ${name} share a home and lose nothing`, async () => {
    const home = `home-${name}`;
    await project.node(
      "forks.cjs",
      `const { Store } = require("loopmem");
       ${shared}
       const store = Store.openSync({ home: "${home}" });
       const at = process.env.AT ?? process.argv[2];
       const write = async (at) => {
         for (let nth = 0; nth < 5; nth++) await store.memory.upsertConvention(convention(at + "-" + nth));
       };
       if (at !== undefined) write(at).then(() => process.disconnect());
       else for (let at = 0; at < 3; at++) ${fork}.once("exit", (status) => { if (status !== 0) process.exitCode = 1; });
       if (at === undefined) write("main");`,
    );
    const written = ["0", "1", "2", "main"].flatMap((process) => [0, 1, 2, 3, 4].map((nth) => `${process}-${nth}`));
    assert.deepEqual(await titles(home), written.sort());
  });
}

test("the test runner of Node ends when the tests have ended", async () => {
  project.write(
    "own.test.mjs",
    `import assert from "node:assert";
     import { test } from "node:test";
     import { Store } from "loopmem";
     ${shared}
     test("of a user", async () => {
       const store = await Store.open({ home: "home-test" });
       await store.memory.upsertConvention(convention("t"));
       assert.equal((await store.memory.get({ repoHash })).conventions.length, 1);
     });`,
  );
  assert.match(await project.succeeds("node", "--test", "own.test.mjs"), /pass 1/);
});
