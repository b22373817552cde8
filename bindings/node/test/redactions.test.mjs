// No write redacts in silence, and what is no secret can be allowed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Store, ValidationError } from "loopmem";

import { folder, repoHash } from "./fixtures.mjs";

const secret = { repoHash, note: { content: "DB_PASSWORD=hunter22" } };
const redaction = { method: "memory.upsertNote", field: "content", rule: "keyed-value", count: 1 };

test("the logger is warned of what a call redacts, and the call's options can ask for it", async () => {
  const lines = [];
  const level = (name) => (message, payload) => lines.push([name, message, payload]);
  const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
  const store = await Store.open({ home: folder(), logger });
  const redactions = [];
  const options = { onRedaction: (it) => redactions.push(it) };
  const stored = [await store.memory.upsertNote(secret, options), store.memory.upsertNoteSync(secret, options)];
  for (const { content } of stored) assert.match(content, /^DB_PASSWORD=\[REDACTED:keyed-value:[0-9a-f]{10}\]$/u);
  await store.memory.upsertNote({ repoHash, note: { content: "plain" } }, options);
  assert.deepEqual(redactions, [redaction, redaction]);
  const warning = ["warn", "redacted a secret before it was stored", redaction];
  assert.deepEqual(lines, [warning, warning]);
  store.close();
});

test("a function for redactions that throws changes nothing, and anything else is refused", async () => {
  const store = await Store.open({ home: folder() });
  const params = { repoHash, note: { content: "DB_PASSWORD=hunter22", extra: { db: { password: "hunter22" } } } };
  const fields = [];
  const onRedaction = ({ field }) => {
    fields.push(field);
    throw new Error("full");
  };
  const rejecting = async (it) => onRedaction(it);
  const calls = [
    () => store.memory.upsertNote(params, { onRedaction }),
    () => store.memory.upsertNoteSync(params, { onRedaction }),
    () => store.memory.upsertNote(params, { onRedaction, signal: new AbortController().signal }),
    // A rejection that nobody handles would end this process.
    () => store.memory.upsertNote(params, { onRedaction: rejecting }),
    () => store.memory.upsertNoteSync(params, { onRedaction: rejecting }),
  ];
  for (const call of calls) {
    assert.match((await call()).content, /REDACTED/u);
    assert.deepEqual(fields.splice(0).sort(), ["content", "db.password"]);
  }
  assert.equal((await store.memory.get({ repoHash })).notes.length, calls.length);
  await assert.rejects(store.memory.upsertNote(secret, { onRedaction: 7 }), ValidationError);
  store.close();
});

test("a logger that throws at a redaction changes nothing", async () => {
  const lines = [];
  const throwing = (message) => {
    lines.push(message);
    throw new Error("full");
  };
  const rejecting = async (message) => throwing(message);
  for (const level of [throwing, rejecting]) {
    const store = await Store.open({
      home: folder(),
      logger: { debug: level, info: level, warn: level, error: level },
    });
    const redactions = [];
    const options = { onRedaction: (it) => redactions.push(it) };
    for (const stored of [await store.memory.upsertNote(secret, options), store.memory.upsertNoteSync(secret, options)])
      assert.match(stored.content, /REDACTED/u);
    assert.deepEqual(redactions, [redaction, redaction]);
    store.close();
  }
  assert.deepEqual(lines, Array(4).fill("redacted a secret before it was stored"));
});

test("what is allowed is stored", async () => {
  const home = folder();
  const allow = [{ name: "sessionKey", reason: "the name of a tab" }];
  const params = { scopeId: "job", patch: { session_key: "q8Zt4kXwP2vL9sRb7nYd" } };
  const plain = await Store.open({ home });
  assert.equal((await plain.safety.preview({ method: "working.updateContext", params })).length, 1);
  const store = await Store.open({ home, allow });
  assert.deepEqual(await store.safety.preview({ method: "working.updateContext", params }), []);
  assert.deepEqual(await store.working.updateContext(params), params.patch);
  assert.deepEqual((await store.doctor.check()).allowances, allow);
  await store.safety.allow({ rule: "jwt", reason: "of the demo" });
  const next = await Store.open({ home, allow });
  assert.deepEqual(await next.safety.allowances(), [{ rule: "jwt", reason: "of the demo" }, ...allow]);
  for (const it of [plain, store, next]) it.close();
});
