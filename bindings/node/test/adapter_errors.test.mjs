// Failures between loopmem and the host's own adapter.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AdapterError, Cancelled, Misuse, Store, ValidationError, createMemoryStore } from "loopmem";

import { TextAdapter, mapAdapter, slowAdapter } from "./adapters.mjs";
import { folder, repoHash } from "./fixtures.mjs";

const open = (adapter, options = {}) => Store.openSync({ home: folder(), adapter, ...options });
const never = () => new Promise(() => {});

test("a missing function is reported when the store is opened", async () => {
  for (const name of ["get", "set", "del", "push", "getList"]) {
    for (const instead of [undefined, null, 5]) {
      const adapter = { ...mapAdapter(), [name]: instead };
      const isRefusal = (error) => error instanceof ValidationError && new RegExp(`\\b${name}\\b`).test(error.message);
      assert.throws(() => createMemoryStore({ home: folder(), adapter }), isRefusal);
      assert.throws(() => Store.openSync({ home: folder(), adapter }), isRefusal);
      await assert.rejects(Store.open({ home: folder(), adapter }), isRefusal);
    }
  }
});

test("the cause of the error is the very value that the adapter threw", async () => {
  const home = folder();
  class Own extends Error {}
  const odd = {
    get message() {
      throw new Error("not even that");
    },
    [Symbol.toStringTag]: "odd",
  };
  for (const thrown of [
    new Own("mine"),
    undefined,
    null,
    "text",
    0,
    NaN,
    Symbol("s"),
    5n,
    Object.freeze({ a: 1 }),
    Object.create(null),
    odd,
    () => {},
    new Proxy(
      {},
      {
        get: () => {
          throw 1;
        },
      },
    ),
  ]) {
    for (const get of [
      async () => {
        throw thrown;
      },
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const store = await Store.open({ home, adapter: { ...mapAdapter(), get } });
      const error = await store.working.getContext({ scopeId: "job-1" }).catch((error) => error);
      assert(error instanceof AdapterError, String(error));
      assert("cause" in error && Object.is(error.cause, thrown));
      assert.deepEqual([error.operation, error.id, error.retryable], ["working.getContext", "context:job-1", false]);
      assert.match(error.message, /\bget\b/);
      assert.equal(typeof error.toJSON().cause, "string");
      assert(!("thrown" in error) && !("thrown" in error.toJSON()));
    }
  }
});

test("a logger receives the thrown error, without secrets", async () => {
  const secret = ["ghp", Array.from({ length: 36 }, (_, at) => "aZ3kQ9xW"[(at * 3) % 8]).join("")].join("_");
  const lines = [];
  const cause = new Error(`no entry with ${secret}`);
  const store = open(
    {
      ...mapAdapter(),
      get: () => {
        throw cause;
      },
    },
    { logger: { error: (...line) => lines.push(line) } },
  );
  const error = await store.working.getContext({ scopeId: "job-1" }).catch((error) => error);
  assert.equal(error.cause, cause);
  const [[message, payload]] = lines;
  assert.match(message, /no entry with/);
  assert.deepEqual([payload.code, payload.id, "thrown" in payload], ["AdapterError", "context:job-1", false]);
  assert(!JSON.stringify([lines, error.toJSON()]).includes(secret));
});

test("a failing function fails the call that needs it, and the next call works", async () => {
  const calls = {
    get: (working) => working.getContext({ scopeId: "job-1" }),
    set: (working) => working.updateContext({ scopeId: "job-1", patch: { a: 1 } }),
    push: (working) => working.addLog({ scopeId: "job-1", entry: { content: "c" } }),
    getList: (working) => working.getLogs({ scopeId: "job-1" }),
    del: (working) => working.deleteScope({ scopeId: "job-1" }),
    compareAndSet: (working) => working.updateContext({ scopeId: "job-1", patch: { a: 1 } }),
    getRange: (working) => working.getLogs({ scopeId: "job-1", limit: 1 }),
    listKeys: (working) => working.listScopes(),
  };
  for (const [name, call] of Object.entries(calls)) {
    const adapter = ["compareAndSet", "getRange", "listKeys"].includes(name) ? new TextAdapter() : mapAdapter();
    const { working } = open(adapter);
    await working.updateContext({ scopeId: "job-1", patch: { a: 1 } });
    await working.addLog({ scopeId: "job-1", entry: { content: "c" } });
    const whole = adapter[name];
    const cause = new Error(name);
    adapter[name] = () => {
      throw cause;
    };
    await assert.rejects(
      call(working),
      (error) => error instanceof AdapterError && error.cause === cause && error.message.includes(name),
    );
    adapter[name] = whole;
    await call(working);
  }
});

test("an answer that JSON cannot represent is refused with its path and its kind", async () => {
  const cycle = { a: {} };
  cycle.a.b = cycle;
  const answers = [
    [() => {}, /the answer: a function/],
    [5n, /the answer: a BigInt/],
    [Symbol("s"), /the answer: a symbol/],
    [{ a: [1, NaN] }, /a\[1\]: NaN/],
    [{ a: new Map() }, /a: a Map/],
    [new Map(), /the answer: a Map/],
    [{ bytes: Buffer.from("b") }, /bytes: bytes/],
    [cycle, /a\.b: contains itself/],
    [
      {
        get a() {
          throw new Error("no");
        },
      },
      /a: cannot be read/,
    ],
  ];
  for (const [answer, expected] of answers) {
    const adapter = { ...mapAdapter(), get: async () => answer, getList: () => [answer] };
    const error = await open(adapter)
      .working.getContext({ scopeId: "job-1" })
      .catch((error) => error);
    assert(error instanceof AdapterError, String(error));
    assert.match(error.message, /get did not return JSON/);
    assert.match(error.message, expected);
    assert(!("cause" in error));
    await assert.rejects(
      open(adapter).working.getLogs({ scopeId: "job-1" }),
      (error) => error instanceof AdapterError && error.message.includes("getList did not return JSON"),
    );
  }
  for (const answer of [undefined, null]) {
    const { working } = open({ ...mapAdapter(), get: () => answer, getList: async () => answer });
    assert.deepEqual(await working.getContext({ scopeId: "job-1" }), {});
    assert.deepEqual(await working.getLogs({ scopeId: "job-1" }), []);
  }
  for (const answer of [undefined, "yes", 1]) {
    const adapter = new TextAdapter();
    adapter.compareAndSet = () => answer;
    await assert.rejects(open(adapter).working.updateContext({ scopeId: "job-1", patch: {} }), AdapterError);
  }
});

test("a call gives up on an adapter that never answers, and the scope is free again", async () => {
  const adapter = { ...mapAdapter(), get: never };
  const { working } = open(adapter, { adapterTimeoutMs: 20 });
  const isTooLate = (error) => error instanceof AdapterError && error.message.includes("get did not answer within");
  await assert.rejects(working.getContext({ scopeId: "job-1" }), isTooLate);
  await assert.rejects(working.updateContext({ scopeId: "job-1", patch: {} }), isTooLate);
  await assert.rejects(open(adapter).working.getContext({ scopeId: "job-1" }, { timeoutMs: 20 }), isTooLate);
  adapter.get = mapAdapter().get;
  assert.deepEqual(await working.getContext({ scopeId: "job-1" }), {});
});

test("an answer that arrives too late changes nothing", async () => {
  const late = [];
  const adapter = { ...mapAdapter(), get: () => new Promise((resolve, reject) => late.push([resolve, reject])) };
  const { working } = open(adapter, { adapterTimeoutMs: 10 });
  for (let call = 0; call < 2; call++) await assert.rejects(working.getContext({ scopeId: "job-1" }), AdapterError);
  late[0][0]({ a: 1 });
  late[1][1](new Error("late"));
  adapter.get = () => null;
  assert.deepEqual(await working.getContext({ scopeId: "job-1" }), {});
});

test("a signal ends the wait for an adapter", async () => {
  const abort = new AbortController();
  const adapter = {
    ...mapAdapter(),
    get: () => {
      abort.abort("enough");
      return never();
    },
  };
  const error = await open(adapter)
    .working.getContext({ scopeId: "job-1" }, { signal: abort.signal })
    .catch((error) => error);
  assert(error instanceof Cancelled, String(error));
  assert.equal(error.cause, "enough");
});

test("a change that an adapter has begun to write is finished despite the signal", async () => {
  const abort = new AbortController();
  const data = new Map();
  const whole = mapAdapter(data);
  // Longer than the interval at which the signal is polled.
  const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
  const adapter = {
    ...whole,
    push: async (...values) => {
      abort.abort();
      await wait();
      return whole.push(...values);
    },
  };
  const params = { scopeId: "job-1", patch: { a: 1 } };
  assert.deepEqual(await open(adapter).working.updateContext(params, { signal: abort.signal }), { a: 1 });
  assert.deepEqual([data.get("context:job-1"), data.get("trail:job-1").length], [{ a: 1 }, 1]);
});

test("synchronous calls with a JavaScript adapter are refused before it is called", () => {
  const called = [];
  const watched = new Proxy(new TextAdapter(), {
    get:
      (adapter, name) =>
      (...values) => {
        called.push(name);
        return adapter[name](...values);
      },
  });
  const { working, repo } = open(watched);
  const calls = {
    getContext: { scopeId: "s" },
    updateContext: { scopeId: "s", patch: {} },
    addLog: { scopeId: "s", entry: { content: "c" } },
    getLogs: { scopeId: "s" },
    searchLogs: { scopeId: "s", text: "t" },
    history: { scopeId: "s" },
    deleteScope: { scopeId: "s" },
    listScopes: {},
    saveCheckpoint: { jobId: "s" },
    restoreCheckpoint: { jobId: "s", timestamp: 1 },
    listCheckpoints: { jobId: "s" },
    deleteCheckpoint: { jobId: "s", timestamp: 1 },
  };
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(working)).filter((name) => name.endsWith("Sync"));
  assert.deepEqual(
    Object.keys(calls)
      .map((name) => `${name}Sync`)
      .sort(),
    names.sort(),
  );
  for (const [name, params] of Object.entries(calls)) {
    assert.throws(
      () => working[`${name}Sync`](params),
      (error) => error instanceof Misuse && error.operation === `working.${name}`,
      name,
    );
  }
  assert.deepEqual(called, []);
  assert.equal(repo.sanitizeRemoteUrlSync({ url: "git@github.com:o/r.git" }).url, "ssh://github.com/o/r");
});

test("an adapter may not call loopmem on its own scope, even after an await, but may on another", async () => {
  const whole = slowAdapter();
  const seen = {};
  const adapter = {
    ...whole,
    set: async (key, value) => {
      if (key === "context:job-1") {
        await new Promise(setImmediate);
        seen.same = await store.working.getContext({ scopeId: "job-1" }).catch((error) => error);
        seen.updated = await Promise.resolve()
          .then(() => store.working.updateContext({ scopeId: "job-1", patch: {} }))
          .catch((error) => error);
        seen.other = await store.working.updateContext({ scopeId: "audit", patch: { last: key } });
        seen.checkpoint = await store.working.saveCheckpoint({ jobId: "job-1" }).catch((error) => error);
      }
      return whole.set(key, value);
    },
  };
  const store = open(adapter);
  assert.deepEqual(await store.working.updateContext({ scopeId: "job-1", patch: { a: 1 } }), { a: 1 });
  for (const error of [seen.same, seen.updated, seen.checkpoint]) assert(error instanceof Misuse, String(error));
  assert.deepEqual(seen.other, { last: "context:job-1" });
  assert.deepEqual(await store.working.getContext({ scopeId: "audit" }), { last: "context:job-1" });
});

test("a call that returns to its scope through another store is refused, the other store's scope is not", async () => {
  const seen = [];
  const inner = open({
    ...mapAdapter(),
    get: async () => {
      seen.push(await outer.working.getContext({ scopeId: "job-1" }).catch((error) => error));
      return { of: "inner" };
    },
  });
  const outer = open({
    ...mapAdapter(),
    get: async () => {
      seen.push(await inner.working.getContext({ scopeId: "job-1" }).catch((error) => error));
      return { of: "outer" };
    },
  });
  assert.deepEqual(await outer.working.getContext({ scopeId: "job-1" }), { of: "outer" });
  assert(seen[0] instanceof Misuse, String(seen[0]));
  assert.deepEqual(seen[1], { of: "inner" });
});

test("a call that an adapter starts without waiting for it is not nested", async () => {
  let later;
  const whole = mapAdapter();
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const adapter = {
    ...whole,
    get: (key) => {
      later ??= released.then(() => store.working.getContext({ scopeId: "job-1" }));
      return whole.get(key);
    },
  };
  const store = open(adapter);
  await store.working.updateContext({ scopeId: "job-1", patch: { a: 1 } });
  release();
  assert.deepEqual(await later, { a: 1 });
});

test("an adapter may make synchronous calls on a store without a JavaScript adapter", async () => {
  const files = Store.openSync({ home: folder(), adapter: "memory" });
  const store = open({
    ...mapAdapter(),
    get: () => files.working.updateContextSync({ scopeId: "job-1", patch: { a: 1 } }),
  });
  assert.deepEqual(await store.working.getContext({ scopeId: "job-1" }), { a: 1 });
});

test("an adapter can call loopmem while more calls wait than there are threads", async () => {
  const other = open(mapAdapter());
  const whole = mapAdapter();
  const store = open({
    ...whole,
    set: async (key, value) => {
      if (key === "context:job-1") {
        await Promise.all(
          [other, store].map(({ working }) => working.addLog({ scopeId: "audit", entry: { content: key } })),
        );
        store.summary.listSync({ repoHash });
      }
      return whole.set(key, value);
    },
  });
  const count = 700;
  await Promise.all(
    Array.from({ length: count }, (_, step) =>
      store.working.updateContext({ scopeId: "job-1", patch: { [step]: true } }),
    ),
  );
  assert.equal(Object.keys(await store.working.getContext({ scopeId: "job-1" })).length, count);
  for (const { working } of [other, store]) assert.equal((await working.getLogs({ scopeId: "audit" })).length, count);
});
