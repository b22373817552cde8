// The conformance cases in Node: each with Promises and with the `…Sync` methods.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { LoopmemError, Store } from "loopmem";

import { expand, fault, mismatch, replaced } from "./matching.mjs";

const cases = new URL("../../../tests/conformance/", import.meta.url);
const gitEnvironment = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
const gitIdentity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"];

for (const file of readdirSync(cases).filter((name) => name.endsWith(".json"))) {
  const { room, cases: list } = JSON.parse(readFileSync(new URL(file, cases), "utf8"));
  for (const it of list) {
    test(`${room}: ${it.name}`, () => play(it, (store, method, params) => store.call(method, params)));
    test(`${room}: ${it.name} (sync)`, () => play(it, (store, method, params) => store.callSync(method, params)));
  }
}

test("a case can match every member of an error", () => {
  const error = { code: "IOError", message: "m", path: "/h/memory.json", retryable: false };
  const matches = (fails) => fault(fails, error, { home: "/h" }) === undefined;
  assert(matches("IOError"));
  assert(matches({ code: "IOError", path: { $holds: "${home}" }, "...": true }));
  for (const fails of [
    "Conflict",
    { code: "IOError" },
    { code: "IOError", path: "elsewhere", "...": true },
    { id: "x", "...": true },
    { retryable: { $holds: "fal" }, "...": true },
  ]) {
    assert(!matches(fails), JSON.stringify(fails));
  }
});

async function play(it, call) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loopmem-")));
  try {
    const names = { home: join(folder, "home"), workspace: join(folder, "workspace"), hash: "a".repeat(64) };
    mkdirSync(names.workspace);
    for (const args of it.git ?? []) {
      execFileSync("git", [...gitIdentity, ...args.map((text) => replaced(text, names))], {
        cwd: names.workspace,
        env: gitEnvironment,
      });
    }
    if (it.home !== undefined) thaw(new URL(`../formats/${it.home}/`, cases), names.home);
    for (const [name, contents] of Object.entries(it.files ?? {})) {
      const path = join(names.home, replaced(name, names));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof contents === "string" ? replaced(contents, names) : JSON.stringify(contents));
    }
    const options = expand({ home: "${home}", ...it.open }, names);
    let store;
    for (const [index, step] of it.steps.entries()) {
      const at = `step ${index + 1} (${step.call})`;
      const params = step.raw === undefined ? expand(step.params ?? {}, names) : faithful(replaced(step.raw, names));
      if (params === undefined) {
        // What JavaScript cannot pass is tested in Rust, C and the command, with the steps that depend on it.
        if (step.fails === undefined) return;
        continue;
      }
      let result;
      try {
        store ??= await Store.open(options);
        result = await call(store, step.call, params);
      } catch (error) {
        assert(error instanceof LoopmemError, `${at}: ${error?.stack}`);
        assert(step.fails !== undefined, `${at}: ${error}`);
        assert.equal(fault(step.fails, error.toJSON(), names), undefined, at);
        assert.equal(error.constructor.name, error.code, at);
        continue;
      }
      assert.equal(undefined, step.fails, `${at}: returned ${JSON.stringify(result)?.slice(0, 200)}`);
      for (const [name, key] of Object.entries(step.keep ?? {})) {
        names[name] = key.split(".").reduce((value, part) => value[part], result);
      }
      if (step.returns !== undefined) assert.equal(mismatch(step.returns, result, names), undefined, at);
    }
    for (const [name, expected] of Object.entries(it.leaves ?? {})) {
      const path = join(names.home, replaced(name, names));
      if (expected === null) assert(!existsSync(path), `${name} is there and should not be`);
      else if (typeof expected === "string") assert.equal(readFileSync(path, "utf8"), replaced(expected, names), name);
      else assert.equal(mismatch(expected, JSON.parse(readFileSync(path, "utf8")), names), undefined, name);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a frozen home with private modes, which git does not store. */
function thaw(frozen, home) {
  mkdirSync(home, { mode: 0o700 });
  cpSync(frozen, home, { recursive: true });
  for (const name of readdirSync(home, { recursive: true })) {
    const path = join(home, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  }
}

/** Raw params as a JavaScript value, or undefined if it cannot represent them: duplicate keys, 30-digit numbers. */
function faithful(raw) {
  try {
    const value = JSON.parse(raw);
    return JSON.stringify(value) === raw ? value : undefined;
  } catch {
    return undefined;
  }
}
