// The progress of a long call: reported while it runs, and never after it.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Store, ValidationError } from "loopmem";

import { folder } from "./fixtures.mjs";

/** A folder with this many files, and a store whose home has no index of it. */
async function unread(files) {
  const workspace = folder();
  for (let at = 0; at < files; at++) writeFileSync(join(workspace, `part${at}.js`), `function part${at}() {}\n`);
  return { store: await Store.open({ home: folder() }), workspace };
}

test("a refresh of the index reports the files that it reads", async () => {
  for (const sync of [false, true]) {
    const { store, workspace } = await unread(40);
    const reports = [];
    const options = { onProgress: (done, total) => reports.push([done, total]) };
    const refreshed = sync
      ? store.index.refreshSync({ workspace }, options)
      : await store.index.refresh({ workspace }, options);
    assert.equal(refreshed.files, 40);
    assert.deepEqual(reports[0], [0, 40]);
    assert.deepEqual(reports.at(-1), [40, 40]);
    assert.ok(reports.every(([done], at) => at === 0 || done > reports[at - 1][0]));
    store.close();
  }
});

test("a callback that throws or rejects changes nothing, and anything else is refused", async () => {
  const { store, workspace } = await unread(3);
  let reported = 0;
  const onProgress = () => {
    reported++;
    throw new Error("full");
  };
  const signal = new AbortController().signal;
  const asynchronous = await store.index.refresh({ workspace }, { onProgress: async () => onProgress(), signal });
  assert.equal(asynchronous.files, 3);
  const before = reported;
  writeFileSync(join(workspace, "new.js"), "function added() {}\n");
  assert.equal(store.index.refreshSync({ workspace }, { onProgress }).files, 4);
  assert.ok(before >= 4 && reported >= before + 2);
  await assert.rejects(store.index.refresh({ workspace }, { onProgress: 7 }), ValidationError);
  store.close();
});

test("a callback can abort the call, and is not called after it", async () => {
  const { store, workspace } = await unread(400);
  const controller = new AbortController();
  let reported = 0;
  const onProgress = () => {
    reported++;
    controller.abort();
  };
  // The call may be done before it notices.
  await store.index.refresh({ workspace }, { onProgress, signal: controller.signal }).catch((error) => {
    assert.equal(error.code, "Cancelled");
  });
  const before = reported;
  assert.ok(before > 0);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reported, before);
  store.close();
});

test("a synchronous call that a callback of one makes is refused", async () => {
  const { store, workspace } = await unread(2);
  const codes = [];
  const onProgress = () => {
    try {
      store.repo.listSync();
    } catch (error) {
      codes.push(error.code);
    }
  };
  store.index.refreshSync({ workspace }, { onProgress });
  assert.ok(codes.length > 0 && codes.every((code) => code === "Misuse"), codes.join());
  // On one of loopmem's threads, the call does not wait for its callback, which may make calls.
  writeFileSync(join(workspace, "new.js"), "function added() {}\n");
  const listed = [];
  await store.index.refresh({ workspace }, { onProgress: () => listed.push(store.repo.listSync()) });
  assert.ok(listed.length > 0);
  store.close();
});
