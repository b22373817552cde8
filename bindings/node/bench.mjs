// The cost of a read and of start-up in Node, compared with JSON.parse of the same text in the same run; and the number
// of commits for many upserts that are not awaited.
//
// `node bench.mjs`, after `scripts/build node`, prints a table. A missed target is not a failure. Batches of loopmem
// and of its floor alternate, and medians are compared. `scripts/bench` combines the tables of all languages.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Store } from "loopmem";

const RECORD_BYTES = 400;
const ROUNDS = 61;
/** Long enough for each batch to pay for its own garbage. */
const BATCH_MS = 20;
const PROCESSES = 21;
const AT_ONCE = 64;
const repoHash = "b".repeat(64);
const folder = mkdtempSync(join(tmpdir(), "loopmem-bench-"));

try {
  row("what (Node, medians)", "measured", "target", "");
  for (const records of [100, 1_000]) await reads(records);
  await atOnce();
  starts();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** `memory.get` of `records` records, synchronous and with a Promise, and `JSON.parse` of the same text. */
async function reads(records) {
  const store = Store.openSync({ home: join(folder, `home-${records}`) });
  await fill(store, records);
  const text = JSON.stringify(store.callSync("memory.get", { repoHash }));
  assert.equal(JSON.parse(text).conventions.length, records);
  const params = { repoHash };
  const [parse, sync, promise] = await medians([
    async (calls) => {
      for (let call = 0; call < calls; call += 1) JSON.parse(text);
    },
    async (calls) => {
      for (let call = 0; call < calls; call += 1) store.callSync("memory.get", params);
    },
    async (calls) => {
      for (let call = 0; call < calls; call += 1) await store.call("memory.get", params);
    },
  ]);
  const measured = (ours) => `${ms(ours)} (${(ours / parse).toFixed(2)}×, JSON.parse ${ms(parse)})`;
  const named = `${records.toLocaleString("en")} records`;
  row(`get of ${named}, sync`, measured(sync), "1.0× JSON.parse", sync <= 1.1 * parse);
  row(`get of ${named}, Promise`, measured(promise), "1.5× JSON.parse", promise <= 1.5 * parse);
  store.close();
}

/** Stores conventions of `RECORD_BYTES` bytes each: one through loopmem, the others by copying it in the file. */
async function fill(store, records) {
  const convention = {
    id: "convention-0000",
    title: "Use pnpm workspaces",
    content: "x",
    tags: ["tooling", "packages"],
  };
  const one = store.callSync("memory.upsertConvention", { repoHash, convention });
  const said = "All packages live under packages/ with NodeNext ESM. ".repeat(RECORD_BYTES);
  const content = said.slice(0, RECORD_BYTES - JSON.stringify(one).length + 1);
  const path = join(folder, `home-${records}`, "repos", repoHash, "memory.json");
  const document = JSON.parse(readFileSync(path, "utf8"));
  document.conventions = Array.from({ length: records }, (_, index) => {
    const record = { ...one, id: `convention-${String(index).padStart(4, "0")}`, content };
    assert.equal(JSON.stringify(record).length, RECORD_BYTES);
    return record;
  });
  writeFileSync(path, JSON.stringify(document));
  // Files younger than 20 ms are always read again; only then are reads warm.
  await sleep(50);
}

/** The median time of one call of each batch function, in milliseconds. */
async function medians(batches) {
  const calls = [];
  for (const batch of batches) {
    // The first calls include compilation and are not representative.
    await timed(batch, 50);
    calls.push(Math.max(1, Math.round((BATCH_MS / (await timed(batch, 20))) * 20)));
  }
  const times = batches.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < batches.length; turn += 1) {
      // The order varies, so that no batch always follows the same one.
      const which = (round + turn) % batches.length;
      times[which].push((await timed(batches[which], calls[which])) / calls[which]);
    }
  }
  return times.map(median);
}

async function timed(batch, calls) {
  const before = performance.now();
  await batch(calls);
  return performance.now() - before;
}

/** How often `AT_ONCE` concurrent upserts replace the document. */
async function atOnce() {
  const store = Store.openSync({ home: join(folder, "home-at-once") });
  const upsert = (n) =>
    store.memory.upsertConvention({ repoHash, convention: { id: `convention-${n}`, title: "t", content: "c" } });
  await upsert("first");
  let commits = 0;
  // Only the rename that replaces it is reported under this name.
  const watcher = watch(join(folder, "home-at-once", "repos", repoHash), (event, name) => {
    if (event === "rename" && name === "memory.json") commits += 1;
  });
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => upsert(n)));
  // Events that the kernel has reported so far are read before this.
  await sleep(200);
  watcher.close();
  store.close();
  row(`${AT_ONCE} upserts, not awaited`, `${commits} commits`, "4 commits", commits > 0 && commits <= 4);
}

/** Loading the module and opening a store in fresh processes, measured inside them. */
function starts() {
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "empty"), { recursive: true });
  symlinkSync(import.meta.dirname, join(packages, "loopmem"));
  // An empty package of the same structure shows the cost of Node itself.
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
  const entries = { import: "./index.mjs", require: "./index.cjs" };
  writeFileSync(
    join(packages, "empty", "package.json"),
    JSON.stringify({ main: "./index.cjs", exports: { ...exports, ".": entries } }),
  );
  writeFileSync(join(packages, "empty", "index.cjs"), "exports.Store = class { static openSync() {} };");
  writeFileSync(join(packages, "empty", "index.mjs"), "export class Store { static openSync() {} }");
  const ways = {
    "require, open": ["cjs", (name) => `require(${JSON.stringify(join(packages, name))})`],
    "import, open": ["mjs", (name) => `await import(${JSON.stringify(join(packages, name, "index.mjs"))})`],
    // The first package that a process resolves by name is slower than later ones.
    "require by name, open": ["cjs", (name) => `require(${JSON.stringify(name)})`],
    "import by name, open": ["mjs", (name) => `await import(${JSON.stringify(name)})`],
  };
  for (const [what, [type, load]] of Object.entries(ways)) {
    const hosts = ["loopmem", "empty"].map((name) => host(`${name}.${type}`, load(name)));
    const runs = hosts.map(() => []);
    for (let process = 0; process < PROCESSES; process += 1)
      hosts.forEach((path, which) => runs[which].push(started(path)));
    const [[both, open], [floor]] = runs.map((own) => [0, 1].map((part) => median(own.map((run) => run[part]))));
    const target = what.includes("name") ? "none" : "3.000 ms";
    row(
      what,
      `${ms(both)} (open ${ms(open)}; an empty package ${ms(floor)})`,
      target,
      target === "none" ? "" : both < 3,
    );
  }
}

/** A program that prints the time for loading and opening, and for opening alone, in milliseconds. */
function host(name, load) {
  const path = join(folder, name);
  const home = JSON.stringify(join(folder, "home-100"));
  writeFileSync(
    path,
    `
    const begun = performance.now();
    const { Store } = ${load};
    const loaded = performance.now();
    const store = Store.openSync({ home: ${home} });
    const opened = performance.now();
    console.log(JSON.stringify([opened - begun, opened - loaded]));`,
  );
  return path;
}

function started(path) {
  return JSON.parse(execFileSync(process.execPath, [path], { encoding: "utf8" }));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function ms(time) {
  return `${time.toFixed(3)} ms`;
}

/** The columns are the same as in the other benches: `scripts/bench` combines their tables. */
function row(what, measured, target, isMet) {
  const verdict = isMet === "" ? "" : isMet ? "ok" : "MISSED";
  console.log(`${what.padEnd(32)} | ${measured.padEnd(56)} | ${target.padEnd(20)} | ${verdict}`.trimEnd());
}
