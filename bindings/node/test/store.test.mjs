// What only Node can get wrong: error classes, panics, the order of promises.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import * as loopmem from "loopmem";

import { convention, folder, repoHash } from "./fixtures.mjs";

const { Internal, LoopmemError, Store } = loopmem;

test("every kind of error has its class", () => {
  for (const code of [
    "ValidationError",
    "ParseError",
    "IOError",
    "RenameError",
    "LockAcquisitionError",
    "SecretRefused",
    "NotFound",
    "Conflict",
    "LeaseLost",
    "AdapterError",
    "GitError",
    "Unsupported",
    "Cancelled",
    "FormatTooNew",
    "Misuse",
    "Internal",
  ]) {
    assert(loopmem[code].prototype instanceof LoopmemError, code);
    assert(loopmem[code].prototype instanceof Error, code);
  }
});

test("a panic stops at the boundary and its payload is not told", async () => {
  const store = await Store.open({ home: folder() });
  for (const call of [async () => store.callSync("debug.panic"), () => store.call("debug.panic")]) {
    const error = await call().then(
      () => assert.fail("it did not panic"),
      (error) => error,
    );
    assert(error instanceof Internal);
    assert.doesNotMatch(JSON.stringify([error.message, error.cause, error.stack]), /payload of a panic/);
  }
});

test("calls that are not awaited keep their order", async () => {
  const store = await Store.open({ home: folder() });
  await Promise.all(
    Array.from({ length: 40 }, (_, step) =>
      store.summary.append({ repoHash, runId: "r", stepId: String(step), summary: "s" }),
    ),
  );
  const steps = (await store.summary.list({ repoHash })).map((summary) => Number(summary.stepId));
  assert.deepEqual(
    steps,
    Array.from({ length: 40 }, (_, step) => 39 - step),
  );
});

test("a reader creates nothing", async () => {
  const home = join(folder(), "home");
  const store = await Store.open({ home });
  await store.memory.get({ repoHash });
  await store.context.build({ repoHash, maxChars: 100 });
  assert.throws(() => statSync(home));
  await store.memory.upsertConvention({ repoHash, convention });
  assert.deepEqual(readdirSync(join(home, "repos", repoHash)).sort(), [
    "memory.json",
    "memory.json.gate",
    "memory.json.lock",
  ]);
});

test("a store that nobody opened is refused with the way to open one", () => {
  assert.throws(
    () => new Store(),
    (error) => error.code === "Misuse" && error.message.includes("Store.open()"),
  );
});
