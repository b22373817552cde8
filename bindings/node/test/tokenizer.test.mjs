// The host's own tokenizer.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AdapterError, Misuse, Store, ValidationError } from "loopmem";

import { folder } from "./fixtures.mjs";

const words = (text) => text.split(/\s+/).length;
const contents = ["Run the proxy tests first.", "The proxy listens on port 8443.", "Ask before a proxy is restarted."];

/** A store with three items and this tokenizer, and the workspace that they belong to. */
async function stored(countTokens) {
  const home = folder();
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  const store = await Store.open({ home, codexHome: join(home, "codex"), countTokens });
  for (const content of contents) await store.items.add({ workspace, scope: "repo", type: "note", content });
  return { store, workspace };
}

test("maxTokens is what the tokenizer counts, whether it is asynchronous or not", async () => {
  const counted = [];
  for (const countTokens of [words, async (text) => (counted.push(text), words(text))]) {
    const { store, workspace } = await stored(countTokens);
    const all = await store.items.recall({ workspace, prompt: "proxy", maxTokens: 1_000 });
    assert.deepEqual(
      all.items.map((it) => it.inPreamble),
      [true, true, true],
    );
    const most = words(all.preamble);
    const exact = await store.items.recall({ workspace, prompt: "proxy", maxTokens: most });
    assert.equal(exact.preamble, all.preamble);
    const less = await store.items.recall({ workspace, prompt: "proxy", maxTokens: most - 1 });
    assert.deepEqual(
      less.items.map((it) => it.inPreamble),
      [true, true, false],
    );
    store.close();
  }
  assert.ok(counted.length > 0 && counted.every((text) => text.startsWith("Memories")));
});

test("the tokenizer may call the store that waits for it", async () => {
  let nested = 0;
  const { store, workspace } = await stored(async (text) => {
    nested += 1;
    await store.items.add({ workspace, scope: "repo", type: "fact", content: `Call ${nested} of the tokenizer.` });
    return words(text);
  });
  await store.items.recall({ workspace, prompt: "proxy", maxTokens: 100 });
  assert.equal((await store.items.list({ workspace })).length, contents.length + nested);
  assert.ok(nested > 0);
});

test("a tokenizer that fails makes the call fail, with its error as the cause", async () => {
  const own = new Error("no vocabulary");
  const { store, workspace } = await stored(() => {
    throw own;
  });
  const recall = (options) => store.items.recall({ workspace, prompt: "proxy", ...options });
  await assert.rejects(recall({ maxTokens: 100 }), (error) => error instanceof AdapterError && error.cause === own);
  // Without a limit in tokens it is not needed.
  assert.equal((await recall({})).items.length, 3);
  for (const answer of [-1, 1.5, "7", null, undefined, NaN]) {
    const { store, workspace } = await stored(() => answer);
    await assert.rejects(store.items.recall({ workspace, prompt: "proxy", maxTokens: 100 }), AdapterError);
  }
});

test("a call that would block the tokenizer's thread is refused", async () => {
  const { store, workspace } = await stored(words);
  assert.throws(() => store.callSync("items.recall", { workspace, prompt: "proxy", maxTokens: 100 }), Misuse);
  assert.equal(store.callSync("items.recall", { workspace, prompt: "proxy" }).items.length, 3);
});

test("anything but a function is refused when the store is opened", async () => {
  await assert.rejects(Store.open({ home: folder(), countTokens: 7 }), ValidationError);
  assert.throws(() => Store.openSync({ home: folder(), countTokens: {} }), ValidationError);
  (await Store.open({ home: folder(), countTokens: null })).close();
});
