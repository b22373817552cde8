// Built-in adapters as objects.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { Misuse, SecretRefused, Store, ValidationError, createMemoryStore, openAdapter } from "loopmem";

import { folder } from "./fixtures.mjs";

for (const kind of ["file", "sqlite", "memory"]) {
  test(`the functions of a built-in adapter: ${kind}`, async () => {
    const { get, set, del, push, getList, close } = openAdapter({ adapter: kind, home: folder() });
    assert.deepEqual([await get("plan"), await getList("queue")], [null, []]);
    assert.equal(await set("plan", { steps: [1, "two", null] }), undefined);
    assert.equal(await push("queue", "a"), undefined);
    await push("queue", { b: [2] });
    assert.deepEqual(await get("plan"), { steps: [1, "two", null] });
    assert.deepEqual(await getList("queue"), ["a", { b: [2] }]);
    for (const key of ["plan", "queue", "plan"]) assert.equal(await del(key), undefined);
    assert.deepEqual([await get("plan"), await getList("queue")], [null, []]);
    await assert.rejects(get(`ghp_${"a1B2".repeat(9)}`), SecretRefused);
    await assert.rejects(set("plan", undefined), ValidationError);
    close();
    await assert.rejects(get("plan"), Misuse);
  });

  test(`a store on a built-in adapter has what the adapter has: ${kind}`, async () => {
    const home = folder();
    const adapter = openAdapter({ adapter: kind, home });
    const lines = [];
    await adapter.set("context:job", { step: "plan" });
    const memory = createMemoryStore({ adapter, logger: { debug: (line) => lines.push(line) }, home });
    assert.deepEqual(await memory.getContext("job"), { step: "plan" });
    assert.deepEqual(await memory.updateContext("job", { tries: 1 }), { step: "plan", tries: 1 });
    await memory.addLog("job", { content: "Began." });
    const timestamp = await memory.saveCheckpoint("job");
    // Each change once, and none by halves.
    const patches = (await memory.history("job")).map(({ patch }) => patch);
    assert.deepEqual(patches, [{ step: "plan" }, { tries: 1 }]);
    assert.deepEqual(await adapter.get("context:job"), { step: "plan", tries: 1 });
    assert.deepEqual(
      (await adapter.getList("logs:job")).map(({ content }) => content),
      ["Began."],
    );
    assert.deepEqual(await adapter.get(`checkpoint:job:${timestamp}`), { step: "plan", tries: 1 });
    adapter.close();
    assert.deepEqual(await memory.listScopes(), ["job"]);
    assert.deepEqual(lines, ["Context updated for job", "Log entry added for job"]);
    memory.close();
  });
}

test("what is stored survives a restart, and each home has its own", async () => {
  const home = folder();
  const first = openAdapter({ home });
  await first.set("context:job", { a: 1 });
  await first.push("queue", 1);
  first.close();
  const adapter = openAdapter({ home });
  assert.deepEqual([await adapter.get("context:job"), await adapter.getList("queue")], [{ a: 1 }, [1]]);
  const other = openAdapter({ home: folder() });
  assert.equal(await other.get("context:job"), null);
});

test("a store on a built-in adapter has the options of the adapter", async () => {
  const home = folder();
  const adapter = openAdapter({ adapter: "memory", home, redactionPatterns: ["CORP-[0-9]+"] });
  const store = await Store.open({ adapter });
  assert.ok(
    !JSON.stringify(store.working.updateContextSync({ scopeId: "job", patch: { a: "CORP-1" } })).includes("CORP-1"),
  );
  for (const options of [{ home: join(home, "other") }, { lockTimeoutMs: 5 }]) {
    const refused = { name: "ValidationError", message: /pass it when you open the adapter/ };
    assert.throws(() => createMemoryStore({ adapter, ...options }), refused);
    await assert.rejects(Store.open({ adapter, ...options }), refused);
  }
  adapter.close();
  assert.throws(() => createMemoryStore({ adapter }), Misuse);
});

test("an adapter of one's own may be on top of a built-in one", async () => {
  const keys = [];
  const inner = openAdapter({ home: folder() });
  const adapter = { ...inner, get: async (key) => (keys.push(key), inner.get(key)) };
  const memory = createMemoryStore({ adapter, home: folder() });
  assert.deepEqual(await memory.updateContext("job", { a: 1 }), { a: 1 });
  assert.deepEqual(await memory.updateContext("job", { b: 2 }, { source: "me" }), { a: 1, b: 2 });
  await memory.addLog("job", { content: "Began." });
  const timestamp = await memory.saveCheckpoint("job");
  await memory.updateContext("job", { a: 3 }, { remove: ["b"] });
  assert.deepEqual(await memory.restoreCheckpoint("job", timestamp), { a: 1, b: 2 });
  assert.deepEqual(await memory.listCheckpoints("job"), [timestamp]);
  assert.equal((await memory.history("job")).at(-1).operation, "restoreCheckpoint");
  assert.ok(await memory.deleteCheckpoint("job", timestamp));
  assert.ok(await memory.deleteScope("job"));
  assert.deepEqual([await memory.getContext("job"), await memory.getLogs("job")], [{}, []]);
  assert.ok(keys.includes("context:job"));
});
