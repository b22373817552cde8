// The memory store of the specification, with the host's own adapters and loggers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AdapterError, NotFound, Store, ValidationError, createMemoryStore } from "loopmem";

import { TextAdapter, mapAdapter, slowAdapter } from "./adapters.mjs";
import { folder } from "./fixtures.mjs";

const entry = (id) => ({ id, content: `entry ${id}`, metadata: { source: "user", timestamp: 5 } });

/** A memory store with the adapter, and a logger that records its calls. */
function memoryOver(adapter, options = {}) {
  const lines = [];
  const level = (name) => (message, payload) => lines.push([name, message, payload]);
  const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
  return { lines, memory: createMemoryStore({ home: folder(), adapter, logger, ...options }) };
}

const adapters = {
  "five functions": () => mapAdapter(),
  "a slow one": () => slowAdapter(),
  "a class with all functions": () => new TextAdapter(),
  memory: () => "memory",
};

for (const [name, make] of Object.entries(adapters)) {
  test(`updateContext merges keys: ${name}`, async () => {
    const { memory } = memoryOver(make());
    assert.deepEqual(await memory.getContext("job-1"), {});
    assert.deepEqual(await memory.updateContext("job-1", { a: { deep: 1, kept: 2 }, b: 1 }), {
      a: { deep: 1, kept: 2 },
      b: 1,
    });
    assert.deepEqual(await memory.updateContext("job-1", { a: { deep: 3 }, c: null }), {
      a: { deep: 3 },
      b: 1,
      c: null,
    });
    assert.deepEqual(await memory.updateContext("job-1", { d: 4 }, { remove: ["b", "c"], source: "agent-x" }), {
      a: { deep: 3 },
      d: 4,
    });
    assert.deepEqual(await memory.getContext("job-1"), { a: { deep: 3 }, d: 4 });
    const last = (await memory.history("job-1", { limit: 1 }))[0];
    assert.deepEqual(
      [last.operation, last.patch, last.remove, last.source],
      ["updateContext", { d: 4 }, ["b", "c"], "agent-x"],
    );
    assert.equal((await memory.history("job-1")).length, 3);
  });

  test(`scopes do not overlap: ${name}`, async () => {
    const { memory } = memoryOver(make());
    await memory.updateContext("A", { of: "A" });
    await memory.updateContext("B", { of: "B" });
    await memory.updateContext("global", { of: "all" });
    await memory.addLog("A", entry("1"));
    assert.deepEqual(await Promise.all(["A", "B", "global", "a"].map(memory.getContext)), [
      { of: "A" },
      { of: "B" },
      { of: "all" },
      {},
    ]);
    assert.deepEqual(
      (await Promise.all(["A", "B"].map(memory.getLogs))).map((logs) => logs.length),
      [1, 0],
    );
    assert.equal(await memory.deleteScope("A"), true);
    assert.equal(await memory.deleteScope("A"), false);
    assert.deepEqual(await Promise.all(["A", "B"].map(memory.getContext)), [{}, { of: "B" }]);
    assert.deepEqual(await memory.getLogs("A"), []);
  });

  test(`logs are appended to: ${name}`, async () => {
    const { memory } = memoryOver(make());
    assert.deepEqual(await memory.getLogs("job-1"), []);
    assert.equal(await memory.addLog("job-1", entry("1")), undefined);
    await memory.addLog("job-1", { ...entry("2"), metadata: { source: "agent-x", timestamp: 6, embedding: [0, 1] } });
    await memory.addLog("job-1", { ...entry("3"), metadata: { source: "agent-x", timestamp: 7, embedding: [1, 0] } });
    const logs = await memory.getLogs("job-1");
    assert.deepEqual(logs[0], entry("1"));
    const ids = (entries) => entries.map(({ id }) => id);
    assert.deepEqual(ids(logs), ["1", "2", "3"]);
    assert.deepEqual(ids(await memory.getLogs("job-1", { limit: 2 })), ["2", "3"]);
    assert.deepEqual(ids(await memory.getLogs("job-1", { after: "1", limit: 1 })), ["2"]);
    const found = await memory.searchLogs("job-1", { embedding: [1, 0], limit: 1 });
    assert.deepEqual([found[0].entry.id, found[0].score], ["3", 1]);
    assert.deepEqual((await memory.searchLogs("job-1", { text: "entry 2" }))[0].entry.id, "2");
  });

  test(`a checkpoint restores a context: ${name}`, async () => {
    const { memory } = memoryOver(make());
    await memory.updateContext("job-1", { a: 1 });
    const first = await memory.saveCheckpoint("job-1");
    const second = await memory.saveCheckpoint("job-1");
    assert(Number.isSafeInteger(first) && second > first);
    await memory.updateContext("job-1", { a: 2, b: 3 });
    assert.deepEqual(await memory.restoreCheckpoint("job-1", first), { a: 1 });
    assert.deepEqual(await memory.getContext("job-1"), { a: 1 });
    assert.deepEqual((await memory.history("job-1")).at(-1).replaced, { a: 2, b: 3 });
    assert.deepEqual(await memory.listCheckpoints("job-1"), [first, second]);
    assert.equal(await memory.deleteCheckpoint("job-1", first), true);
    assert.equal(await memory.deleteCheckpoint("job-1", first), false);
    assert.deepEqual(await memory.listCheckpoints("job-1"), [second]);
    await assert.rejects(
      memory.restoreCheckpoint("job-1", first),
      (error) => error instanceof NotFound && error.message.includes("job-1") && error.message.includes(String(first)),
    );
  });

  test(`a context can be rebuilt from its trail: ${name}`, async () => {
    const { memory } = memoryOver(make());
    await memory.updateContext("job-1", { a: { deep: 1 }, b: 1 });
    await memory.updateContext("job-1", { a: { other: 2 }, c: null }, { remove: ["b"] });
    const timestamp = await memory.saveCheckpoint("job-1");
    await memory.updateContext("job-1", { d: [1] }, { remove: ["a"] });
    await memory.restoreCheckpoint("job-1", timestamp);
    await memory.updateContext("job-1", { e: 5 }, { remove: ["e", "none"] });

    let context = {};
    for (const { operation, patch, remove } of await memory.history("job-1")) {
      if (operation === "restoreCheckpoint") context = {};
      for (const name of remove) delete context[name];
      context = { ...context, ...patch };
    }
    assert.deepEqual(context, { a: { other: 2 }, c: null, e: 5 });
    assert.deepEqual(await memory.getContext("job-1"), context);
  });

  test(`a restore can be undone from the trail: ${name}`, async () => {
    const { memory } = memoryOver(make());
    await memory.updateContext("job-1", { a: 1, gone: true });
    const timestamp = await memory.saveCheckpoint("job-1");
    // Never saved.
    const unsaved = await memory.updateContext("job-1", { a: 2, b: { deep: null } }, { remove: ["gone"] });
    await memory.restoreCheckpoint("job-1", timestamp);

    const trail = await memory.history("job-1");
    const restored = trail.findLast((entry) => entry.operation === "restoreCheckpoint");
    assert.equal(restored.timestamp, timestamp);
    const now = await memory.getContext("job-1");
    assert.notDeepEqual(now, unsaved);
    await memory.updateContext("job-1", restored.replaced, { remove: Object.keys(now), source: "undo" });
    assert.deepEqual(await memory.getContext("job-1"), unsaved);
  });

  test(`no concurrent update is lost: ${name}`, async () => {
    const { memory } = memoryOver(make());
    const names = Array.from({ length: 8 }, (_, step) => `key${step}`);
    await Promise.all(names.map((key) => memory.updateContext("job-1", { [key]: true })));
    assert.deepEqual(Object.keys(await memory.getContext("job-1")).sort(), names);
  });

  test(`calls that are not awaited keep their order: ${name}`, async () => {
    const { memory } = memoryOver(make());
    const calls = Array.from({ length: 20 }, (_, step) => [
      memory.addLog("job-1", entry(String(step))),
      memory.updateContext("job-1", { step }),
    ]);
    const seen = memory.getContext("job-1");
    await Promise.all(calls.flat());
    assert.deepEqual(await seen, { step: 19 });
    assert.deepEqual(
      (await memory.getLogs("job-1")).map(({ id }) => Number(id)),
      Array.from({ length: 20 }, (_, step) => step),
    );
    assert.deepEqual(
      (await memory.history("job-1")).map(({ patch }) => patch.step),
      Array.from({ length: 20 }, (_, step) => step),
    );
  });

  test(`a result is a copy: ${name}`, async () => {
    const { memory } = memoryOver(make());
    const patch = { list: [1] };
    const stored = await memory.updateContext("job-1", patch);
    await memory.addLog("job-1", entry("1"));
    const read = await memory.getContext("job-1");
    const [log] = await memory.getLogs("job-1");
    for (const { list } of [patch, stored, read]) list.push("changed");
    log.metadata.source = "changed";
    assert.deepEqual(await memory.getContext("job-1"), { list: [1] });
    assert.deepEqual(await memory.getLogs("job-1"), [entry("1")]);
  });
}

test("an adapter receives the specification's keys, and copies of the values", async () => {
  const data = new Map();
  const { memory } = memoryOver(mapAdapter(data));
  const patch = { list: [1] };
  await memory.updateContext("job:1", patch);
  patch.list.push(2);
  await memory.addLog("job:1", entry("1"));
  const timestamp = await memory.saveCheckpoint("job:1");
  assert.deepEqual(
    [...data.keys()].sort(),
    ["context:job:1", "logs:job:1", "trail:job:1", "checkpoints:job:1", `checkpoint:job:1:${timestamp}`].sort(),
  );
  assert.deepEqual(data.get("context:job:1"), { list: [1] });
  assert.deepEqual(data.get(`checkpoint:job:1:${timestamp}`), { list: [1] });
  assert.deepEqual(data.get("logs:job:1"), [entry("1")]);
});

test("what an adapter stored is found after a restart", async () => {
  const data = new Map();
  const before = memoryOver(mapAdapter(data)).memory;
  await before.updateContext("job-1", { a: 1 });
  await before.addLog("job-1", entry("1"));
  const timestamp = await before.saveCheckpoint("job-1");
  before.close();
  await assert.rejects(before.getContext("job-1"), { code: "Misuse" });
  const { memory } = memoryOver(mapAdapter(data));
  assert.deepEqual(await memory.getContext("job-1"), { a: 1 });
  assert.deepEqual(await memory.getLogs("job-1"), [entry("1")]);
  assert.deepEqual(await memory.restoreCheckpoint("job-1", timestamp), { a: 1 });
});

test("secrets do not reach an adapter", async () => {
  const data = new Map();
  const { memory, lines } = memoryOver(mapAdapter(data));
  const secret = ["ghp", Array.from({ length: 36 }, (_, at) => "aZ3kQ9xW"[(at * 5) % 8]).join("")].join("_");
  assert.match((await memory.updateContext("job-1", { token: secret })).token, /^\[REDACTED:/);
  await memory.addLog("job-1", { content: `it is ${secret}` });
  await assert.rejects(memory.getContext(secret), { code: "SecretRefused" });
  assert(!JSON.stringify([[...data], lines]).includes(secret));
});

test("an adapter's optional functions are used", async () => {
  const adapter = new TextAdapter();
  const { memory } = memoryOver(adapter);
  await memory.updateContext("b", { a: 1 });
  assert(adapter.calls.includes("compareAndSet") && !adapter.calls.includes("set"), String(adapter.calls));
  for (const id of ["1", "2", "3"]) await memory.addLog("a", entry(id));
  adapter.calls.length = 0;
  assert.equal((await memory.getLogs("a", { limit: 2 })).length, 2);
  assert.deepEqual(adapter.calls, ["getRange"]);
  assert.deepEqual(await memory.listScopes(), ["a", "b"]);
  await assert.rejects(
    memoryOver(mapAdapter()).memory.listScopes(),
    (error) => error.code === "Unsupported" && error.message.includes("listKeys"),
  );
});

test("with compareAndSet two stores over one adapter lose no update", async () => {
  const adapter = new TextAdapter();
  const compareAndSet = adapter.compareAndSet.bind(adapter);
  // Lets the other store write in between.
  adapter.get = async (key) => {
    const value = TextAdapter.prototype.get.call(adapter, key);
    await new Promise(setImmediate);
    return value;
  };
  let refusals = 0;
  adapter.compareAndSet = (...values) => {
    const isSet = compareAndSet(...values);
    if (!isSet) refusals++;
    return isSet;
  };
  const stores = [memoryOver(adapter).memory, memoryOver(adapter).memory];
  const names = Array.from({ length: 40 }, (_, step) => `key${String(step).padStart(2, "0")}`);
  await Promise.all(names.map((key, step) => stores[step % 2].updateContext("job-1", { [key]: true })));
  assert.deepEqual(Object.keys(await stores[0].getContext("job-1")).sort(), names);
  assert(refusals > 0, "the stores never met");
});

test("an adapter's functions may be methods or static, and need not be asynchronous", async () => {
  class Base {
    data = new Map();
    get(key) {
      return this.data.get(key);
    }
    set(key, value) {
      return this.data.set(key, value);
    }
    del(key) {
      return this.data.delete(key);
    }
  }
  class Whole extends Base {
    push(key, item) {
      return this.data.set(key, [...(this.getList(key) ?? []), item]);
    }
    getList(key) {
      return this.data.get(key);
    }
  }
  class Static {
    static data = new Map();
    static get = (key) => Static.data.get(key);
    static set = async (key, value) => void Static.data.set(key, value);
    static del(key) {
      return this.data.delete(key);
    }
    static push(key, item) {
      this.data.set(key, [...(this.data.get(key) ?? []), item]);
    }
    static async getList(key) {
      return this.data.get(key) ?? null;
    }
  }
  for (const adapter of [new Whole(), Static]) {
    const { memory } = memoryOver(adapter);
    assert.deepEqual(await memory.updateContext("job-1", { a: 1 }), { a: 1 });
    await memory.addLog("job-1", entry("1"));
    assert.deepEqual(await memory.getLogs("job-1"), [entry("1")]);
    assert.deepEqual(adapter.data.get("context:job-1"), { a: 1 });
  }
});

test("a logger is called before a call's promise settles", async () => {
  const { memory, lines } = memoryOver(mapAdapter());
  const logged = () => lines.splice(0);
  await memory.getContext("job-1");
  assert.deepEqual(logged(), []);
  await memory.updateContext("job-1", { a: 1 });
  assert.deepEqual(logged(), [["debug", "Context updated for job-1", { scopeId: "job-1" }]]);
  const timestamp = await memory.saveCheckpoint("job-1");
  assert.deepEqual(logged(), [["info", `Checkpoint saved for job-1 at ${timestamp}`, { scopeId: "job-1", timestamp }]]);
  await assert.rejects(memory.restoreCheckpoint("job-1", 1));
  const [[level, message, payload]] = logged();
  assert.deepEqual([level, payload.code, payload.operation], ["error", "NotFound", "working.restoreCheckpoint"]);
  assert(message.includes("job-1"), message);
});

test("a logger is called before a synchronous call returns", () => {
  const lines = [];
  const store = Store.openSync({
    home: folder(),
    adapter: "memory",
    logger: { debug: (message) => lines.push(message), error: (message) => lines.push(message) },
  });
  store.working.updateContextSync({ scopeId: "job-1", patch: { a: 1 } });
  assert.deepEqual(lines.splice(0), ["Context updated for job-1"]);
  assert.throws(() => store.working.updateContextSync({ scopeId: "", patch: {} }), ValidationError);
  assert.equal(lines.length, 1);
});

test("a logger that throws, rejects or lacks a function changes nothing", async () => {
  const fail = () => {
    throw new Error("of the logger");
  };
  const rejections = [];
  const note = (reason) => rejections.push(reason);
  process.on("unhandledRejection", note);
  const getter = Object.defineProperty({}, "debug", { get: fail });
  for (const logger of [
    { debug: fail, error: fail },
    { debug: async () => fail(), error: async () => fail() },
    {},
    getter,
    Object.freeze([]),
    null,
  ]) {
    const memory = createMemoryStore({ home: folder(), adapter: mapAdapter(), logger });
    assert.deepEqual(await memory.updateContext("job-1", { a: 1 }), { a: 1 });
    await assert.rejects(memory.restoreCheckpoint("job-1", 1), NotFound);
  }
  await new Promise(setImmediate);
  process.off("unhandledRejection", note);
  assert.deepEqual(rejections, []);
  for (const logger of ["console", 5, false]) {
    assert.throws(
      () => createMemoryStore({ home: folder(), adapter: "memory", logger }),
      (error) => error instanceof ValidationError && error.message.includes("logger"),
    );
  }
});

test("a logger is called with its own `this`, and may call loopmem", async () => {
  const logger = {
    lines: [],
    seen: [],
    debug(message) {
      this.lines.push(message);
      if (this.lines.length === 1) this.seen.push(memory.getContext("job-1"));
    },
  };
  const memory = createMemoryStore({ home: folder(), adapter: mapAdapter(), logger });
  await memory.updateContext("job-1", { a: 1 });
  assert.deepEqual(logger.lines, ["Context updated for job-1"]);
  assert.deepEqual(await logger.seen[0], { a: 1 });
});

test("adapter and logger are optional", async () => {
  const { getContext, updateContext, close } = createMemoryStore({ home: folder() });
  await updateContext("job-1", { a: 1 });
  assert.deepEqual(await getContext("job-1"), { a: 1 });
  close();
  close();
  for (const adapter of [undefined, null])
    assert.deepEqual(await createMemoryStore({ home: folder(), adapter, logger: undefined }).getContext("job-1"), {});
  assert.throws(() => createMemoryStore({ home: folder(), adapter: 5 }), ValidationError);
  assert.throws(() => createMemoryStore({ home: folder(), adapter: "nothing of the kind" }), ValidationError);
  assert.throws(() => createMemoryStore({ home: folder(), logger: console, nothing: 1 }), ValidationError);
  await assert.rejects(Store.open({ home: folder(), adapter: mapAdapter(), nothing: 1 }), ValidationError);
});

test("invalid patches, entries and scopes are refused and nothing is written", async () => {
  const data = new Map();
  const { memory } = memoryOver(mapAdapter(data));
  const refused = (call, expected) =>
    assert.rejects(call, (error) => error instanceof ValidationError && expected.test(error.message));
  await refused(memory.updateContext("job-1", { a: { b: [1, 5n] } }), /patch\.a\.b\[1\]: a BigInt/);
  await refused(memory.updateContext("job-1", { a: () => {} }), /patch\.a: a function/);
  for (const patch of [undefined, null, 5, "text", [1]]) await refused(memory.updateContext("job-1", patch), /patch/);
  for (const scopeId of [undefined, null, 5, "", "s".repeat(1_025)])
    await refused(memory.getContext(scopeId), /scopeId/);
  await refused(memory.addLog("job-1", { content: 5 }), /content/);
  await refused(memory.updateContext("job-1", {}, { nothing: 1 }), /nothing/);
  assert.equal(data.size, 0);
});

test("a failing adapter never looks like an empty context", async () => {
  const { memory } = memoryOver({
    ...mapAdapter(),
    get: async () => {
      throw new Error("down");
    },
  });
  await assert.rejects(memory.getContext("job-1"), AdapterError);
  await assert.rejects(memory.updateContext("job-1", { a: 1 }), AdapterError);
  for (const answer of [5, "text", [1], true]) {
    await assert.rejects(memoryOver({ ...mapAdapter(), get: () => answer }).memory.getContext("job-1"), AdapterError);
  }
  for (const answer of [5, "text", {}]) {
    await assert.rejects(memoryOver({ ...mapAdapter(), getList: () => answer }).memory.getLogs("job-1"), AdapterError);
  }
});
