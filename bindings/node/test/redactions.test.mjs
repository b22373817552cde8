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
  const fail = () => {
    throw new Error("full");
  };
  const { content } = await store.memory.upsertNote(secret, { onRedaction: fail });
  assert.match(content, /REDACTED/u);
  await store.memory.upsertNote(secret, { onRedaction: async () => fail() });
  await assert.rejects(store.memory.upsertNote(secret, { onRedaction: 7 }), ValidationError);
  store.close();
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
