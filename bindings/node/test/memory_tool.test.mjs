// The handlers for Anthropic's SDK behave as the SDK's own file tool does.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { Store } from "loopmem";
import { memoryExecute, memoryHandlers } from "loopmem/anthropic";

import { folder } from "./fixtures.mjs";

const REPO = "c".repeat(64);
const NAMES = ["a.md", "b.json", "sub", "sub/a.md", "sub/deep/er.md", ".hidden", "ü .md", "node_modules/x", "", "../x"];
const TEXTS = [
  "",
  "one",
  "one\n",
  "one\ntwo\n",
  "one\r\ntwo\r\n\n",
  "two\none two one\n",
  "x".repeat(1300),
  "üöä\n\ttab",
];
const PARTS = ["one", "two", "o", "one\ntwo", "x", "ü", "$&"];

/** Numbers that are the same in each run. */
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function commandOf(random) {
  const one = (list) => list[random(list.length)];
  const path = () => `/memories/${one(NAMES)}`;
  switch (random(8)) {
    case 0:
    case 1: {
      const range = one([undefined, [random(7) - 2, random(8) - 2], [1]]);
      return { command: "view", path: path(), ...(range && { view_range: range }) };
    }
    case 2:
    case 3:
      return { command: "create", path: path(), file_text: one(TEXTS) };
    case 4:
      return { command: "str_replace", path: path(), old_str: one(PARTS), new_str: one(PARTS) };
    case 5:
      return { command: "insert", path: path(), insert_line: random(6) - 1, insert_text: one(TEXTS) };
    case 6:
      return { command: "delete", path: path() };
    default:
      return { command: "rename", old_path: path(), new_path: path() };
  }
}

async function outcome(tool, command) {
  try {
    return `answered: ${await tool.run(command)}`;
  } catch (error) {
    // What the SDK leaves to the system, such as a file in the place of a folder, has no text for the model.
    return "syscall" in error ? "refused" : `refused: ${error.message}`;
  }
}

/** The texts of all files, and the folders. */
function contents(root) {
  const found = { files: {}, folders: [] };
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) found.folders.push(name);
    else found.files[name] = readFileSync(path, "latin1");
  }
  return found;
}

for (const seed of [1, 2, 3]) {
  test(`it answers whatever the tool of the SDK answers (${seed})`, async () => {
    const base = folder();
    const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(join(base, "theirs")));
    const [rootOfTheirs, home] = [join(base, "theirs", "memories"), join(base, "ours")];
    const root = join(home, "repos", REPO, "files");
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const store = await Store.open({ home });
    const ours = betaMemoryTool(memoryHandlers(store, { repoHash: REPO }));
    const random = generator(seed);
    for (let step = 0; step < 150; step++) {
      const command = commandOf(random);
      const [expected, found] = [await outcome(theirs, command), await outcome(ours, command)];
      const shown = JSON.stringify(command);
      if (expected === "refused") assert.match(found, /^refused/, shown);
      else assert.equal(found, expected, shown);
      const { files, folders } = contents(rootOfTheirs);
      assert.deepEqual(contents(root).files, files, shown);
      // It creates folders for what it then refuses.
      for (const name of folders) mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    }
    await store.close();
  });
}

test("the AI SDK executes commands with the same answers, and an error is its text", async () => {
  const store = await Store.open({ home: folder() });
  const execute = memoryExecute(store, { global: true });
  const create = { command: "create", path: "/memories/a", file_text: "text" };
  assert.equal(await execute(create), "File created successfully at: /memories/a");
  await assert.rejects(execute(create), { name: "Error", message: "File /memories/a already exists" });
  await assert.rejects(execute({ command: "undelete", path: "/memories/a" }), { message: "undelete not implemented" });
  await assert.rejects(execute({ command: "view", path: "/memoriesfoo" }), {
    message: "Path must start with /memories, got: /memoriesfoo",
  });
  await store.close();
});
