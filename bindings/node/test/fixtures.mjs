// Fixtures of several test files: a repository, a record and temporary folders.

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
