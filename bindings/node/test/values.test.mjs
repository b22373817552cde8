// Arguments and results: values that JSON cannot represent, wrong types, and the members of errors.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { Conflict, IOError, LoopmemError, Misuse, Store, ValidationError, getRepoMemory } from "loopmem";

import { convention, folder, repoHash } from "./fixtures.mjs";

test("what JSON cannot represent is refused and never dropped", async () => {
  const store = await Store.open({ home: folder() });
  const circle = {};
  circle.circle = circle;
  class Point {
    x = 1;
  }
  // eslint-disable-next-line no-sparse-arrays -- a hole is one of them.
  const hole = [, 1];
  const values = [
    NaN,
    Infinity,
    1n,
    () => 1,
    Symbol("s"),
    circle,
    {
      get bad() {
        throw new Error("no");
      },
    },
    new Map([[1, 2]]),
    new Set([1]),
    /a/,
    new Error("e"),
    new Date(NaN),
    new Number(NaN),
    new Number(1),
    new String("s"),
    new Uint8Array(2),
    Buffer.from("b"),
    new ArrayBuffer(2),
    new Point(),
    [undefined],
    hole,
    [() => 1],
    { toJSON: () => new Map() },
    Promise.resolve(1),
  ];
  for (const value of values) {
    for (const params of [
      { repoHash, convention: { ...convention, value } },
      { repoHash, convention: { ...convention, deep: [{ value }] } },
    ]) {
      await assert.rejects(store.call("memory.upsertConvention", params), ValidationError);
      assert.throws(() => store.callSync("memory.upsertConvention", params), ValidationError);
    }
  }
  for (const params of [undefined, null, 5, "x", [], () => 1]) {
    await assert.rejects(store.call("memory.upsertConvention", params), ValidationError);
  }
  for (const text of ["\ud800", "a\0b"]) {
    await assert.rejects(
      store.memory.upsertConvention({ repoHash, convention: { title: text, content: "c" } }),
      ValidationError,
    );
  }
  assert.deepEqual((await store.memory.get({ repoHash })).conventions, []);
});

test("an error for a value that JSON cannot represent gives its path and its kind", async () => {
  const store = await Store.open({ home: folder() });
  const refusal = (params) => {
    try {
      store.callSync("memory.get", params);
    } catch (error) {
      assert(error instanceof ValidationError);
      assert.equal(error.operation, "memory.get");
      assert(error.message.startsWith("memory.get: "));
      return error.toJSON().message;
    }
    assert.fail("it was not refused");
  };
  class Point {}
  for (const [value, what] of [
    [NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [1n, "a BigInt"],
    [() => 1, "a function"],
    [Symbol("s"), "a symbol"],
    [undefined, "an undefined item"],
    [new Map(), "a Map"],
    [new Set(), "a Set"],
    [new Error("e"), "an Error"],
    [new Point(), "a Point"],
    [new (class {})(), "an object of a class"],
    [new Uint8Array(2), "bytes"],
    [Buffer.from("b"), "bytes"],
    [new ArrayBuffer(2), "bytes"],
    [new Date(NaN), "an invalid Date"],
    [{ toJSON: () => NaN }, "NaN"],
  ]) {
    assert.equal(
      refusal({ patch: { fine: [1, {}], a: { b: [1, { same: 1 }, value] } } }),
      `patch.a.b[2]: ${what}, which JSON cannot represent`,
    );
  }
  assert.equal(refusal(new Map()), "the params: a Map, which JSON cannot represent");
  assert.equal(refusal({ fine: 1, "": { "a b": NaN } }), ".a b: NaN, which JSON cannot represent");
  assert.equal(
    refusal({
      a: [
        {
          get bad() {
            throw new Error("no");
          },
        },
      ],
    }),
    "a[0].bad: cannot be read",
  );
  assert.equal(
    refusal({
      a: {
        toJSON() {
          throw new Error("no");
        },
      },
    }),
    "a: cannot be read",
  );

  const patch = { shared: {}, again: { shared: {} } };
  patch.again.shared = patch.shared;
  patch.self = patch;
  assert.equal(refusal({ patch }), "patch.self: contains itself");
  const list = [0];
  list.push({ list });
  assert.equal(refusal({ list }), "list[1].list: contains itself");
});

test("errors for invalid values are short", async () => {
  const store = await Store.open({ home: folder() });
  const refused = (params, message) =>
    assert.throws(() => store.callSync("memory.get", params), {
      code: "ValidationError",
      message: `memory.get: ${message}`,
    });
  refused(
    { ["k".repeat(40)]: { ["k".repeat(41)]: [NaN] } },
    `${"k".repeat(40)}.…[0]: NaN, which JSON cannot represent`,
  );
  refused(
    { a: new (Object.defineProperty(class {}, "name", { value: "N".repeat(1_000) }))() },
    "a: an object of a class, which JSON cannot represent",
  );
});

test("a value nested 100,000 levels deep is refused with the core's message, however it is nested", async () => {
  const store = await Store.open({ home: folder() });
  const nest = (wrap, levels) => {
    let value = 1;
    for (let level = 0; level < levels; level += 1) value = wrap(value);
    return value;
  };
  const message = (method, params) => {
    try {
      store.callSync(method, params);
    } catch (error) {
      assert(error instanceof ValidationError, String(error));
      return error.toJSON().message;
    }
    assert.fail("it was not refused");
  };
  const expected = message("working.updateContext", { scopeId: "s", patch: nest((value) => [value], 200) });
  assert.match(expected, /^the input is nested deeper than 100 levels/);
  for (const wrap of [(value) => [value], (deep) => ({ deep }), (value) => ({ toJSON: () => [value] })]) {
    for (const levels of [1_000, 100_000]) {
      const deep = nest(wrap, levels);
      assert.equal(message("working.updateContext", { scopeId: "s", patch: { deep } }), expected);
      assert.equal(message("working.addLog", { scopeId: "s", entry: { content: "c", metadata: { deep } } }), expected);
      assert.equal(message("memory.upsertConvention", { repoHash, convention: { ...convention, deep } }), expected);
      assert.throws(() => Store.openSync({ home: deep }), { code: "ValidationError", message: `open: ${expected}` });
    }
  }
  assert.deepEqual(await store.working.getContext({ scopeId: "s" }), {});
});

test("no error of the package repeats a secret that was passed", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const home = folder();
  const store = await Store.open({ home, redactionPatterns: ["CORP-[0-9]{4}"] });
  const named = (name) => new (Object.defineProperty(class {}, "name", { value: name }))();
  const cyclic = {};
  cyclic[token] = cyclic;
  const aborted = AbortSignal.abort(new Error(token));
  const closed = Store.openSync({ home });
  closed.close();
  for (const secret of [token, "CORP-1234"]) {
    for (const call of [
      () => store.call("working.updateContext", { scopeId: "s", patch: { [secret]: 1n } }),
      () => store.call("working.updateContext", { scopeId: "s", patch: { a: [{ [secret]: { b: NaN } }] } }),
      () => store.call("memory.get", { [secret]: 1n }),
      () => store.call("memory.get", { a: named(secret) }),
      () => store.call(secret),
      () => store.call(secret, { [secret]: 1n }),
      () => store.call(secret, {}, { timeoutMs: -1 }),
      () => store.call(secret, {}, { signal: 5 }),
      () => store.call(secret, {}, { signal: AbortSignal.abort(new Error(secret)) }),
      () => store.call(secret, cyclic, {}),
    ]) {
      const error = await call().then(
        () => assert.fail("it did not fail"),
        (error) => error,
      );
      assert(error instanceof LoopmemError);
      const { cause: _, ...shown } = error;
      assert(
        !`${error} ${error.stack} ${JSON.stringify(error)} ${JSON.stringify(shown)}`.includes(secret),
        String(call),
      );
    }
  }
  // Without a store, the built-in rules apply.
  for (const call of [
    () => Store.openSync({ [token]: 1n }),
    () => Store.openSync({ [token]: 1 }),
    () => Store.openSync({ home: { [token]: NaN } }),
    () => closed.callSync(token),
    () => closed.callSync("memory.get", { [token]: 1n }),
  ]) {
    assert.throws(
      call,
      (error) => error instanceof LoopmemError && !`${error} ${JSON.stringify(error)}`.includes(token),
    );
  }
  await assert.rejects(
    store.memory.get({ repoHash }, { signal: aborted }),
    (error) => error.cause === aborted.reason && error.operation === "memory.get",
  );
});

test("an error names its operation, wherever it was created", async () => {
  const home = folder();
  const store = await Store.open({ home });
  const error = (call) =>
    call.then(
      () => assert.fail("it did not fail"),
      (error) => error,
    );
  const closed = Store.openSync({ home });
  closed.close();
  for (const failed of [
    await error(store.memory.get({ repoHash: "x" })),
    await error(store.call("memory.get", { a: 1n })),
    await error(store.memory.get({ repoHash }, { timeoutMs: -1 })),
    await error(store.memory.get({ repoHash }, { signal: AbortSignal.abort() })),
    await error(closed.memory.get({ repoHash })),
    await error(getRepoMemory(5)),
    await error(getRepoMemory(repoHash, "sharedRepo")),
  ]) {
    assert.equal(failed.operation, "memory.get", String(failed));
    assert(failed.message.startsWith("memory.get: "), failed.message);
    assert(String(failed).startsWith(`${failed.code}: memory.get: `));
    assert.equal(failed.mayBeStored, false);
    assert(!("mayBeStored" in failed.toJSON()) && !failed.toJSON().message.startsWith("memory.get"));
  }
});

test("values that JSON can represent are unchanged, of any realm", async () => {
  const store = await Store.open({ home: folder() });
  const bare = Object.assign(Object.create(null), { a: [null] });
  const value = {
    bare,
    other: runInNewContext("({ b: [1] })"),
    date: new Date(0),
    converted: { toJSON: () => ({ c: 1 }) },
    absent: undefined,
  };
  const stored = await store.memory.upsertConvention({ repoHash, convention: { ...convention, extra: { value } } });
  assert.deepEqual(stored.value, {
    bare: { a: [null] },
    other: { b: [1] },
    date: "1970-01-01T00:00:00.000Z",
    converted: { c: 1 },
  });
});

test("an argument of the wrong type is refused with our own error", async () => {
  const store = await Store.open({ home: folder() });
  for (const method of [5, undefined, null, {}, Symbol("s"), "memory.get\ud800", "memory.get\0"]) {
    await assert.rejects(store.call(method), ValidationError);
    assert.throws(() => store.callSync(method), ValidationError);
  }
  for (const options of [
    null,
    5,
    "x",
    { signal: 5 },
    { signal: null },
    { signal: {} },
    { timeoutMs: -1 },
    { timeoutMs: 1.5 },
    { timeoutMs: null },
    { timeoutMs: 1n },
  ]) {
    await assert.rejects(store.memory.get({ repoHash }, options), ValidationError);
    assert.throws(() => store.memory.getSync({ repoHash }, options), ValidationError);
  }
  for (const options of [null, 5, [], { home: 5 }, { home: new Map() }, { nothing: 1 }]) {
    await assert.rejects(Store.open(options), ValidationError);
    assert.throws(() => Store.openSync(options), ValidationError);
  }
});

test("a closed store is Misuse, and closing it again is not", async () => {
  const store = Store.openSync({ home: folder() });
  store.close();
  store.close();
  await assert.rejects(store.memory.get({ repoHash }), Misuse);
  await assert.rejects(store.memory.get({ repoHash }, { signal: new AbortController().signal }), Misuse);
  assert.throws(() => store.memory.getSync({ repoHash }), Misuse);
});

test("an error has the same members as in every language", async () => {
  const home = folder();
  const store = await Store.open({ home });
  const failed = async (call) =>
    call.then(
      () => assert.fail("it did not fail"),
      (error) => error,
    );

  const invalid = await failed(store.memory.get({ repoHash: "x" }));
  assert(invalid instanceof ValidationError);
  assert.equal(invalid.name, "ValidationError");
  assert.match(invalid.message, /^memory.get: repoHash: expected 64 hex digits/);
  const message = invalid.message.replace("memory.get: ", "");
  assert.deepEqual(JSON.parse(JSON.stringify(invalid)), {
    code: "ValidationError",
    message,
    operation: "memory.get",
    retryable: false,
  });

  writeFileSync(join(home, "file"), "");
  const path = join(home, "file", "home");
  const unwritable = await failed(Store.open({ home: path }));
  assert(unwritable instanceof IOError);
  assert.equal(unwritable.path, path);
  assert(unwritable.cause instanceof Error);
  assert.match(unwritable.cause.message, /os error/);
  assert.deepEqual(
    [unwritable.errno, unwritable.cause.errno, unwritable.cause.code],
    [constants.errno.ENOTDIR, -constants.errno.ENOTDIR, "ENOTDIR"],
  );
  const shape = unwritable.toJSON();
  assert.deepEqual(
    [shape.code, shape.path, shape.cause, shape.retryable, "id" in shape],
    ["IOError", path, unwritable.cause.message, false, false],
  );

  const times = { createdAt: "2026-01-31T12:00:00.000Z", updatedAt: "2026-01-31T12:00:00.000Z" };
  const decision = { id: "d", summary: "s", rationale: "r", impactedPaths: [], ...times };
  mkdirSync(join(home, "repos", repoHash), { recursive: true });
  writeFileSync(
    join(home, "repos", repoHash, "memory.json"),
    JSON.stringify({ schemaVersion: 1, decisions: [decision] }),
  );
  const taken = await failed(store.memory.upsertConvention({ repoHash, convention: { ...convention, id: "d" } }));
  assert(taken instanceof Conflict);
  assert.deepEqual(
    [taken.id, taken.operation, taken.path, taken.cause],
    ["d", "memory.upsertConvention", undefined, undefined],
  );
  assert.equal(taken.toJSON().id, "d");
});

test("an error's JSON has the cause as text, whatever it is", () => {
  const details = { code: "Cancelled", message: "m", retryable: true };
  const causeText = (cause) => new LoopmemError(details, { cause }).toJSON().cause;
  assert.deepEqual([new TypeError("why"), "text", 5, Object.create(null), Symbol("s")].map(causeText), [
    "TypeError: why",
    "text",
    "5",
    "[Object: null prototype] {}",
    "Symbol(s)",
  ]);
  const beneath = new LoopmemError({ ...details, operation: "memory.get", cause: "beneath" });
  assert.deepEqual(
    [beneath.cause, beneath.message, beneath.toJSON().message],
    ["beneath", "memory.get: m (beneath)", "m"],
  );
});

test("an error says whether the change may have been stored nevertheless", () => {
  const details = { code: "IOError", message: "m", retryable: false };
  const unknown = new LoopmemError({ ...details, mayBeStored: true });
  assert.deepEqual([unknown.mayBeStored, unknown.toJSON()], [true, { ...details, mayBeStored: true }]);
  const known = new LoopmemError(details);
  assert.deepEqual([known.mayBeStored, known.toJSON()], [false, details]);
});
