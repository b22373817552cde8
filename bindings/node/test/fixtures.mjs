// What several files of tests stand on: a repository, a record and folders that are gone after the tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

export const convention = { title: "t", content: "c" };
export const repoHash = "b".repeat(64);

const folders = [];
after(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/** An empty folder. */
export function folder() {
  folders.push(mkdtempSync(join(tmpdir(), "loopmem-")));
  return folders.at(-1);
}
