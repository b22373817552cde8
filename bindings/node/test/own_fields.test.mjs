// @ts-check
// A host's own fields in drafts and records, by their types and at run time: `npm run check` compiles this file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Store, createMemoryStore } from "loopmem";

import { convention as drafted, folder, repoHash } from "./fixtures.mjs";

/**
 * @template {object} T
 * @typedef {import("loopmem").WithUnknown<T>} WithUnknown
 */

test("a host's own fields are stored, returned, and kept by later changes", async () => {
  const home = folder();
  const store = await Store.open({ home });
  const extra = { priority: 1, review: { by: ["me"], note: null } };
  const convention = { id: "c", title: "t", content: "c", extra };
  const decision = { id: "d", summary: "s", rationale: "r", extra: { owner: "me" } };
  const note = { id: "n", content: "c", extra: { mood: null } };

  /** @type {WithUnknown<import("loopmem").Convention>} */
  const stored = await store.memory.upsertConvention({ repoHash, convention });
  assert.deepEqual([stored["priority"], stored["review"]], [1, { by: ["me"], note: null }]);
  /** @type {WithUnknown<import("loopmem").Decision>} */
  const decided = store.callSync("memory.upsertDecision", { repoHash, decision });
  assert.equal(decided["owner"], "me");
  /** @type {WithUnknown<import("loopmem").Note>} */
  const noted = store.memory.upsertNoteSync({ repoHash, note });
  assert.equal(noted["mood"], null);

  await store.memory.upsertConvention({ repoHash, convention: { id: "c", title: "u" } });
  await store.memory.upsertConvention({ repoHash, convention: { ...stored, title: "v" } });
  const path = join(home, "repos", repoHash, "memory.json");
  const [onDisk] = JSON.parse(readFileSync(path, "utf8")).conventions;
  const { updatedAt: _, ...expected } = { ...stored, title: "v" };
  assert.deepEqual({ ...onDisk, updatedAt: undefined }, { ...expected, updatedAt: undefined });
  store.close();
});

test("log entries and their metadata keep a host's own fields", async () => {
  const memory = createMemoryStore({ home: folder() });
  /** @type {WithUnknown<import("loopmem").MemoryEntryMetadataDraft>} */
  const metadata = { source: "user", span: [1, 2] };
  /** @type {WithUnknown<import("loopmem").MemoryEntryDraft>} */
  const entry = { content: "c", level: "warn", metadata };
  await memory.addLog("job-1", entry);
  const [first] = await memory.getLogs("job-1");
  assert(first);
  /** @type {[WithUnknown<import("loopmem").MemoryEntry>, WithUnknown<import("loopmem").MemoryEntryMetadata>]} */
  const [logged, where] = [first, first.metadata];
  assert.deepEqual([logged["level"], where["span"], where.source], ["warn", [1, 2], "user"]);
  memory.close();
});

test("a misspelt key does not compile; without type checking it is refused", async () => {
  const store = await Store.open({ home: folder() });
  const misspelt = { code: "ValidationError", message: /unknown key `tag`; did you mean `tags`\?/ };
  // @ts-expect-error: a convention has tags
  await assert.rejects(store.memory.upsertConvention({ repoHash, convention: { ...drafted, tag: ["t"] } }), misspelt);
  // @ts-expect-error: a convention has a title
  await assert.rejects(store.memory.upsertConvention({ repoHash, convention: { titel: "t", content: "c" } }));
  const other = { ...drafted, team: "a" };
  await assert.rejects(store.memory.upsertConvention({ repoHash, convention: other }), { code: "ValidationError" });
  store.close();
});

test("with allowUnknownFields, a host's own fields need no extra", async () => {
  const store = await Store.open({ home: folder(), allowUnknownFields: true });
  /** @type {WithUnknown<import("loopmem").ConventionDraft>} */
  const convention = { ...drafted, team: "a" };
  /** @type {WithUnknown<import("loopmem").Convention>} */
  const stored = await store.memory.upsertConvention({ repoHash, convention });
  assert.equal(stored["team"], "a");
  // @ts-expect-error: a convention has tags
  await assert.rejects(store.memory.upsertConvention({ repoHash, convention: { ...drafted, tag: ["t"] } }));
  store.close();
});
