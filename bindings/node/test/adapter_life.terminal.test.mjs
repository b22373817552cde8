// What keeps a process alive while the host's own adapter is called, how it ends, and what calls leave behind.

import assert from "node:assert/strict";
import { test } from "node:test";

import { folder } from "./fixtures.mjs";
import { program } from "./processes.mjs";

/** A program that begins by opening a store with an adapter. */
const withStore = (text, ...flags) =>
  program(
    `import { createMemoryStore, Store } from "loopmem";
   import { mapAdapter } from "./test/adapters.mjs";
   const home = process.argv[1];
   const adapter = mapAdapter();
   const never = () => new Promise(() => {});
   const lines = [];
   const logger = { debug: (line) => lines.push(line), error: (line) => lines.push(line) };
   ${text}`,
    folder(),
    ...flags,
  ).ended;

test("a store with an adapter and a logger keeps no process alive", async () => {
  const ended = await withStore(
    `const memory = createMemoryStore({ home, adapter, logger, adapterTimeoutMs: 600_000 });
     await memory.updateContext("job-1", { a: 1 });
     const other = await Store.open({ home, adapter, logger });
     await other.working.getContext({ scopeId: "job-1" });
     console.log(lines.join());`,
  );
  assert.deepEqual(ended, { printed: "Context updated for job-1\n", status: 0, signal: null });
});

test("a call in progress finishes before the process exits", async () => {
  const ended = await withStore(
    `import { readFile } from "node:fs/promises";
     const memory = createMemoryStore({ home, logger, adapter: { ...adapter,
       get: async (key) => (await readFile("package.json"), adapter.get(key)),
       // The timer does not keep the process alive, so the call must.
       set: (key, value) => new Promise((resolve) => setTimeout(resolve, 20).unref()).then(() => adapter.set(key, value)),
     } });
     memory.updateContext("job-1", { a: 1 }).then((context) => console.log(JSON.stringify([context, lines])));`,
  );
  assert.deepEqual(ended, { printed: '[{"a":1},["Context updated for job-1"]]\n', status: 0, signal: null });
});

test("a process may exit in the middle of an adapter's function, and while one never answers", async () => {
  for (const get of [
    "() => process.exit(7)",
    "async () => { await null; process.exit(7); }",
    "() => { setImmediate(() => process.exit(7)); return never(); }",
  ]) {
    const ended = await withStore(
      `const memory = createMemoryStore({ home, logger, adapter: { ...adapter, get: ${get} }, adapterTimeoutMs: 600_000 });
       for (let call = 0; call < 20; call++) memory.getContext("job-" + call).then(console.log, console.log);`,
    );
    assert.deepEqual(ended, { printed: "", status: 7, signal: null });
  }
});

test("a call that begins while the process exits does not delay it", async () => {
  const ended = await withStore(
    `const memory = createMemoryStore({ home, logger, adapter, adapterTimeoutMs: 600_000 });
     process.on("exit", () => {
       for (let call = 0; call < 20; call++) memory.updateContext("job-" + call, {}).then(console.log, console.log);
       console.log("exit");
     });`,
  );
  assert.deepEqual(ended, { printed: "exit\n", status: 0, signal: null });
});

test("an uncaught exception during an adapter's function ends the process as usual", async () => {
  const ended = await withStore(
    `process.on("uncaughtException", (error) => { console.log(error.message); process.exit(3); });
     const memory = createMemoryStore({ home, adapter: { ...adapter, get: () => { setImmediate(() => { throw new Error("mine"); }); return never(); } } });
     memory.getContext("job-1");`,
  );
  assert.deepEqual(ended, { printed: "mine\n", status: 3, signal: null });
});

test("a worker may be terminated in the middle of its adapter's functions", async () => {
  const bodies = [
    // One that never answers, and one that never returns.
    `get: () => { parentPort.postMessage("called"); return new Promise(() => {}); }`,
    `get: () => { parentPort.postMessage("called"); for (;;); }`,
    // A continuous stream of answers.
    `get: async (key) => { parentPort.postMessage("called"); await new Promise(setImmediate); return null; }`,
  ];
  const ended = await withStore(
    `import { Worker } from "node:worker_threads";
     for (const body of ${JSON.stringify(bodies)}) {
       for (let round = 0; round < 3; round++) {
         const text = \`
           import { parentPort, workerData } from "node:worker_threads";
           import { createMemoryStore } from "loopmem";
           import { mapAdapter } from "./test/adapters.mjs";
           const adapter = { ...mapAdapter(), \${body} };
           const memory = createMemoryStore({ home: workerData, adapter, logger: console, adapterTimeoutMs: 600_000 });
           const call = (name) => memory.updateContext(name, {}).then(() => call(name), () => {});
           for (let job = 0; job < 10; job++) call("job-" + job);\`;
         const worker = new Worker(text, { eval: true, workerData: home, stdout: true });
         await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
         await worker.terminate();
       }
     }
     // The threads that waited are free again: this makes more calls than there are threads.
     const memory = createMemoryStore({ home, logger, adapter });
     await Promise.all(Array.from({ length: 300 }, (_, step) => memory.updateContext("job-1", { ["k" + step]: 1 })));
     console.log(Object.keys(await memory.getContext("job-1")).length);`,
  );
  assert.deepEqual(ended, { printed: "300\n", status: 0, signal: null });
});

test("a worker that ends normally leaves nothing behind", async () => {
  const ended = await withStore(
    `import { Worker } from "node:worker_threads";
     const text = \`
       import { workerData } from "node:worker_threads";
       import { createMemoryStore } from "loopmem";
       import { mapAdapter } from "./test/adapters.mjs";
       const memory = createMemoryStore({ home: workerData, adapter: mapAdapter(), logger: { debug() {} } });
       await memory.updateContext("job-1", { a: 1 });\`;
     for (let round = 0; round < 10; round++) {
       const worker = new Worker(text, { eval: true, workerData: home });
       console.log(await new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject)));
     }`,
  );
  assert.deepEqual(ended, { printed: "0\n".repeat(10), status: 0, signal: null });
});

test("calls and stores do not leak memory", async () => {
  const ended = await withStore(
    `import { setFlagsFromString } from "node:v8";
     import { runInNewContext } from "node:vm";
     setFlagsFromString("--expose-gc");
     const gc = runInNewContext("gc");
     const failing = createMemoryStore({ home, logger, adapter: { ...adapter, get: () => { throw new Array(1_000).fill("x"); } } });
     const memory = createMemoryStore({ home, logger, adapter });
     const calls = async (count) => {
       for (let call = 0; call < count; call += 20) {
         const names = Array.from({ length: 10 }, (_, job) => "job-" + job);
         await Promise.all(names.map((name) => memory.getContext(name)));
         await Promise.allSettled(names.map((name) => failing.getContext(name)));
         lines.length = 0;
       }
     };
     const stores = async (count) => {
       for (let store = 0; store < count; store++) {
         const own = createMemoryStore({ home, logger, adapter: { ...mapAdapter(), ballast: new Array(10_000).fill(store) } });
         await own.getContext("job-1");
         own.close();
       }
     };
     const used = async () => {
       for (let round = 0; round < 5; round++) {
         await new Promise(setImmediate);
         gc();
       }
       const { heapUsed, rss } = process.memoryUsage();
       return { heapUsed, rss };
     };
     await calls(2_000);
     await stores(20);
     const before = await used();
     const handles = process.getActiveResourcesInfo().length;
     await calls(20_000);
     await stores(500);
     const after = await used();
     console.log(JSON.stringify([after.heapUsed - before.heapUsed, after.rss - before.rss, process.getActiveResourcesInfo().length - handles]));`,
  );
  assert.deepEqual([ended.status, ended.signal], [0, null]);
  const [heap, resident, handles] = JSON.parse(ended.printed);
  // Leaked errors would take 80 MB, leaked adapters 40 MB.
  assert(heap < 4e6, `the heap grew by ${heap} bytes`);
  assert(resident < 64e6, `the process grew by ${resident} bytes`);
  assert.equal(handles, 0);
});
