// What is specific to Node: error classes, panics, the order of promises.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import * as loopmem from "loopmem";

import { convention, folder, repoHash } from "./fixtures.mjs";

const { Internal, LoopmemError, Store } = loopmem;

test("every kind of error has a class", () => {
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

test("a panic stops at the boundary and its payload is not shown", async () => {
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

test("`new Store()` is refused with a hint how to open one", () => {
  assert.throws(
    () => new Store(),
    (error) => error.code === "Misuse" && error.message.includes("Store.open()"),
  );
});

test("reading unchanged data again returns a new value from the same text", async () => {
  const store = Store.openSync({ home: folder() });
  const content = "long ".repeat(2_000).trimEnd();
  store.memory.upsertConventionSync({ repoHash, convention: { ...convention, content } });
  const first = store.memory.getSync({ repoHash });
  first.conventions[0].content = "changed by the caller";
  first.conventions.length = 0;
  for (const again of [store.memory.getSync({ repoHash }), await store.memory.get({ repoHash })]) {
    assert.equal(again.conventions[0].content, content);
    assert.equal(again.conventions.length, 1);
  }
  const other = Store.openSync({ home: folder() });
  other.memory.upsertConventionSync({ repoHash, convention: { ...convention, content: `${content}of another store` } });
  assert.match(other.memory.getSync({ repoHash }).conventions[0].content, /of another store/);
  assert.doesNotMatch(store.memory.getSync({ repoHash }).conventions[0].content, /of another store/);
  store.memory.upsertConventionSync({ repoHash, convention: { ...convention, content: `${content}and more` } });
  assert.match((await store.memory.get({ repoHash })).conventions[1].content, /and more/);
  store.close();
  other.close();
});
