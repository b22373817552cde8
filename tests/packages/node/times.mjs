// Prints what users wait for, and sizes. Nothing of it fails: times depend on the machine.

import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, join } from "node:path";

import { installed, main, platform, tarball, version } from "./project.mjs";

const RUNS = 9;

const print = (what, value, goal) => console.log(`${what.padEnd(44)} ${value}${goal ? `   goal: ${goal}` : ""}`);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** The result of `run` and the milliseconds that it took. */
async function timed(run) {
  const from = performance.now();
  const result = await run();
  return { result, ms: performance.now() - from };
}

/** The median of what `run` returns. */
async function median(run) {
  const values = [];
  for (let at = 0; at < RUNS; at++) values.push(await run());
  return values.sort((a, b) => a - b)[Math.floor(RUNS / 2)];
}

for (const path of new Set([tarball, main, platform])) {
  const listing = execFileSync("tar", ["-tvzf", path], { encoding: "utf8" });
  const unpacked = listing.split("\n").reduce((sum, line) => sum + Number(line.split(/\s+/)[2] ?? 0), 0);
  const name = path === tarball ? `${basename(path)} (one file)` : basename(path);
  print(name, `${megabytes(statSync(path).size)} packed, ${megabytes(unpacked)} unpacked`);
}

const { result: project, ms: install } = await timed(installed);
print("npm install", `${(install / 1000).toFixed(2)} s`, "3 s");

const CALL = `store.memory.upsertConventionSync({ repoHash: "a".repeat(64), convention: { title: "t", content: "c" } });`;
project.write("first.cjs", `const store = require("loopmem").Store.openSync(); ${CALL}`);
const first = await timed(() => project.succeeds("node", "first.cjs"));
print("the first program and call after it", `${(first.ms / 1000).toFixed(2)} s`, "1 s");

const OPEN = "Store.openSync().close(); console.log(performance.now() - from);";
project.write("require.cjs", `const from = performance.now(); const { Store } = require("loopmem"); ${OPEN}`);
project.write("import.mjs", `const from = performance.now(); const { Store } = await import("loopmem"); ${OPEN}`);
for (const [what, name] of [
  ["require and open", "require.cjs"],
  ["import and open", "import.mjs"],
]) {
  const ms = await median(async () => Number(await project.succeeds("node", name)));
  print(`${what}, in the process`, `${ms.toFixed(2)} ms`, "3 ms");
}
project.write("nothing.cjs", "");
for (const [what, ...command] of [
  ["node, with nothing to do", "node", "nothing.cjs"],
  ["loopmem --version, as npm installed it", join(project.root, "node_modules/.bin/loopmem"), "--version"],
  [`npx loopmem --version (${version})`, "npx", "loopmem", "--version"],
]) {
  print(what, `${(await median(async () => (await timed(() => project.succeeds(...command))).ms)).toFixed(0)} ms`);
}
