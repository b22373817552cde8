// What only Node can get wrong: both module systems, promises, signals, panics, bad values, closed stores.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import * as loopmem from "loopmem";

const { Store, ValidationError, LoopmemError, Cancelled, LockAcquisitionError, Misuse, Panic } = loopmem;
const repoHash = "b".repeat(64);
const convention = { title: "t", content: "c" };
const folders = [];
const folder = () => {
  folders.push(mkdtempSync(join(tmpdir(), "loopmem-")));
  return folders.at(-1);
};
after(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

test("require and import give one implementation", () => {
  const required = createRequire(import.meta.url)("loopmem");
  assert.equal(required.Store, Store);
  const interop = ["default", "module.exports", "__esModule"];
  assert.deepEqual(Object.keys(required).sort(), Object.keys(loopmem).filter((name) => !interop.includes(name)).sort());
});

test("every kind of error has its class", () => {
  for (const code of ["ValidationError", "ParseError", "IOError", "RenameError", "LockAcquisitionError", "SecretRefused", "NotFound", "Conflict",
    "LeaseLost", "AdapterError", "GitError", "Unsupported", "Cancelled", "FormatTooNew", "Misuse", "Panic"]) {
    assert(loopmem[code].prototype instanceof LoopmemError, code);
    assert(loopmem[code].prototype instanceof Error, code);
  }
});

test("an error tells its code, operation, path and whether to try again", async () => {
  const store = await Store.open({ home: folder() });
  const error = await store.memory.get({ repoHash: "x" }).catch((error) => error);
  assert(error instanceof ValidationError);
  assert.deepEqual([error.name, error.code, error.operation, error.retryable], ["ValidationError", "ValidationError", "memory.get", false]);
  assert.match(error.message, /^memory\.get: repoHash: expected 64 hex digits/);
});

test("a panic stops at the boundary and its payload is not told", async () => {
  const store = await Store.open({ home: folder() });
  for (const call of [async () => store.callSync("debug.panic"), () => store.call("debug.panic")]) {
    const error = await call().then(() => assert.fail("it did not panic"), (error) => error);
    assert(error instanceof Panic);
    assert.doesNotMatch(JSON.stringify([error.message, error.cause, error.stack]), /payload of a panic/);
  }
});

test("what JSON cannot tell is refused and never dropped", async () => {
  const store = await Store.open({ home: folder() });
  const circle = {};
  circle.circle = circle;
  for (const value of [NaN, Infinity, 1n, () => 1, Symbol("s"), circle, { get bad() { throw new Error("no"); } }]) {
    const params = { repoHash, convention: { ...convention, value } };
    await assert.rejects(store.call("memory.upsertConvention", params), ValidationError);
    assert.throws(() => store.callSync("memory.upsertConvention", params), ValidationError);
  }
  for (const params of [undefined, null, 5, "x", [], () => 1]) {
    await assert.rejects(store.call("memory.upsertConvention", params), ValidationError);
  }
  for (const text of ["\ud800", "a\0b"]) {
    await assert.rejects(store.memory.upsertConvention({ repoHash, convention: { title: text, content: "c" } }), ValidationError);
  }
  await assert.rejects(store.memory.get({ repoHash }, { timeoutMs: -1 }), ValidationError);
  await assert.rejects(Store.open({ home: 5 }), ValidationError);
  assert.throws(() => Store.openSync({ nothing: 1 }), ValidationError);
  assert.deepEqual((await store.memory.get({ repoHash })).conventions, []);
});

test("a closed store is Misuse, and closing it again is not", async () => {
  const store = Store.openSync({ home: folder() });
  store.close();
  store.close();
  await assert.rejects(store.memory.get({ repoHash }), Misuse);
  assert.throws(() => store.memory.getSync({ repoHash }), Misuse);
});

test("calls that are not awaited keep their order", async () => {
  const store = await Store.open({ home: folder() });
  await Promise.all(Array.from({ length: 40 }, (_, step) => store.summary.append({ repoHash, runId: "r", stepId: String(step), summary: "s" })));
  const steps = (await store.summary.list({ repoHash })).map((summary) => Number(summary.stepId));
  assert.deepEqual(steps, Array.from({ length: 40 }, (_, step) => 39 - step));
});

test("a wait for a lock holds neither the event loop nor libuv's pool, and a signal or a time-out ends it", async () => {
  const home = folder();
  const store = await Store.open({ home, lockTimeoutMs: 60_000 });
  await store.memory.upsertConvention({ repoHash, convention });
  const holder = await holding(join(home, "repos", repoHash, "memory.json.lock"));
  try {
    const abort = new AbortController();
    const waiting = Array.from({ length: 8 }, () => store.memory.upsertConvention({ repoHash, convention }, { signal: abort.signal }));
    const settled = Promise.allSettled(waiting);
    // Eight waiting calls would fill libuv's four threads: this read would never come back.
    const { readFile } = await import("node:fs/promises");
    await readFile(new URL(import.meta.url));
    const late = await store.memory.get({ repoHash }, { timeoutMs: 50 }).catch((error) => error);
    assert(late instanceof LockAcquisitionError, String(late));
    assert(late.retryable);
    abort.abort();
    for (const { reason } of await settled) assert(reason instanceof Cancelled, String(reason));
    await assert.rejects(store.memory.get({ repoHash }, { signal: abort.signal }), Cancelled);
  } finally {
    holder.kill("SIGKILL");
  }
  assert.equal((await store.memory.get({ repoHash })).conventions.length, 1);
});

test("a consumer of either module system compiles under strict", () => {
  const root = new URL("..", import.meta.url).pathname;
  for (const project of ["cjs", "esm"]) execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", `test/types/tsconfig.${project}.json`], { cwd: root, stdio: "inherit" });
});

test("a reader creates nothing", async () => {
  const home = join(folder(), "home");
  const store = await Store.open({ home });
  await store.memory.get({ repoHash });
  await store.context.build({ repoHash, maxChars: 100 });
  assert.throws(() => statSync(home));
  await store.memory.upsertConvention({ repoHash, convention });
  assert.deepEqual(readdirSync(join(home, "repos", repoHash)).sort(), ["memory.json", "memory.json.gate", "memory.json.lock"]);
});

/** Another process that holds the lock of `path` until it is killed. */
async function holding(path) {
  closeSync(openSync(path, "r+"));
  const holder = spawn("flock", ["--exclusive", path, "sh", "-c", "echo held; exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    holder.stdout.once("data", resolve);
    holder.once("error", reject);
  });
  return holder;
}
