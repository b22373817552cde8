// A process that ends in the middle of a call, and calls that are cancelled: nothing waits for a lock that another process
// holds.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { holding, somebodyWaits } from "../../../bindings/node/test/processes.mjs";
import { installed } from "./project.mjs";

const project = await installed();
const repoHash = "a".repeat(64);
const home = join(project.root, "shared-home");
const opens = `const { Store, Cancelled, LockAcquisitionError } = require("loopmem");
  const repoHash = "${repoHash}";
  const store = Store.openSync({ home: "${home}", lockTimeoutMs: 600_000 });
  const write = (options) => store.memory.upsertConvention({ repoHash, convention: { title: "t", content: "c" } }, options);\n`;

await project.node("fills.cjs", `${opens} write();`);
// As long as all tests run.
const holder = await holding(home, repoHash);
after(() => holder.kill("SIGKILL"));

/** A program that waits for the lock; it goes on when it gets a line on its standard input. */
async function waiting(name, text) {
  project.write(name, `${opens} const go = new Promise((resolve) => process.stdin.once("data", resolve));\n${text}`);
  const running = project.start("node", [name], { input: null });
  while (!somebodyWaits(home, repoHash)) {
    // Lets this process see that the other one has ended.
    await turn();
    assert.equal(running.child.exitCode, null, running.output.stderr);
  }
  running.child.stdin.write("go\n");
  const ended = await running.ended;
  // Nothing of it waits any longer, and the lock is held as before.
  assert(!somebodyWaits(home, repoHash));
  assert.equal(holder.exitCode, null);
  return ended;
}

test("process.exit ends a process whose calls wait for a lock, with its status", async () => {
  const { status, signal, stdout, stderr } = await waiting(
    "exit.cjs",
    `for (let call = 0; call < 20; call++) write().then(console.log, console.log);
     go.then(() => process.exit(7));`,
  );
  assert.deepEqual({ status, signal, stdout, stderr }, { status: 7, signal: null, stdout: "", stderr: "" });
});

test("process.exit ends a process in whose workers calls wait for a lock", async () => {
  const { status, stdout, stderr } = await waiting(
    "worker-exit.cjs",
    `const { Worker, isMainThread } = require("node:worker_threads");
     if (isMainThread) { new Worker(__filename); go.then(() => process.exit(7)); }
     else write().then(console.log, console.log);`,
  );
  assert.deepEqual({ status, stdout, stderr }, { status: 7, stdout: "", stderr: "" });
});

test("process.exit ends a process in whose workers synchronous calls wait for a lock", async () => {
  const { status, stdout, stderr } = await waiting(
    "worker-exit-sync.cjs",
    `const { Worker, isMainThread } = require("node:worker_threads");
     if (isMainThread) { new Worker(__filename); go.then(() => process.exit(7)); }
     else store.memory.upsertConventionSync({ repoHash, convention: { title: "t", content: "c" } });`,
  );
  assert.deepEqual({ status, stdout, stderr }, { status: 7, stdout: "", stderr: "" });
});

test("an uncaught exception ends a process in the middle of a call", async () => {
  const { status, signal, stderr } = await waiting(
    "throws.cjs",
    `write().then(console.log, console.log);
     go.then(() => setImmediate(() => { throw new Error("uncaught"); }));`,
  );
  assert.match(stderr, /Error: uncaught/);
  assert.deepEqual([status, signal], [1, null]);
});

test("a signal of the system ends a process in the middle of a call", async () => {
  const { status, signal } = await waiting(
    "killed.cjs",
    `write().then(console.log, console.log);
     go.then(() => process.kill(process.pid, "SIGTERM"));`,
  );
  assert.deepEqual([status, signal], [null, "SIGTERM"]);
});

test("an AbortSignal ends the wait for a lock that stays held", async () => {
  const { status, stdout, stderr } = await waiting(
    "aborts.cjs",
    `const abort = new AbortController();
     const why = new Error("why");
     let from;
     write({ signal: abort.signal }).catch((error) => {
       console.log(error instanceof Cancelled, error.cause === why);
       console.error((performance.now() - from).toFixed(1));
     });
     go.then(() => { from = performance.now(); abort.abort(why); process.stdin.unref(); });`,
  );
  assert.equal(stdout, "true true\n");
  assert.equal(status, 0);
  console.log(`a wait for a lock ended ${stderr.trim()} ms after the abort; goal: 50 ms`);
});

test("AbortSignal.timeout ends the wait for a lock, and its timer is no reason to wait", async () => {
  const printed = await project.node(
    "timeout.cjs",
    `${opens}
     const signal = AbortSignal.timeout(50);
     Promise.allSettled([write({ signal }), write({ signal: AbortSignal.any([signal, AbortSignal.timeout(600_000)]) })]).then((all) => {
       console.log(all.map(({ reason }) => [reason instanceof Cancelled, reason.cause.name].join()).join("|"));
     });`,
  );
  assert.equal(printed, "true,TimeoutError|true,TimeoutError\n");
});

test("timeoutMs ends the wait for a lock with an error that says to try again", async () => {
  const printed = await project.node(
    "late.cjs",
    `${opens} write({ timeoutMs: 20 }).catch((error) => console.log(error instanceof LockAcquisitionError, error.retryable));`,
  );
  assert.equal(printed, "true true\n");
});
