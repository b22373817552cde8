// The package: one implementation for both module systems, its types, its version, and what is packed.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as loopmem from "loopmem";

import { folder } from "./fixtures.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

test("require and import give one implementation", () => {
  const required = require("loopmem");
  assert.equal(required.Store, loopmem.Store);
  const interop = ["default", "module.exports", "__esModule"];
  assert.deepEqual(
    Object.keys(required).sort(),
    Object.keys(loopmem)
      .filter((name) => !interop.includes(name))
      .sort(),
  );
});

test("a consumer of either module system compiles under strict", () => {
  for (const project of ["cjs", "esm"]) {
    const arguments_ = [join(root, "node_modules/typescript/bin/tsc"), "-p", `test/types/tsconfig.${project}.json`];
    execFileSync(process.execPath, arguments_, { cwd: root, stdio: "inherit" });
  }
});

test("the package has the version of its native module", () => {
  assert.equal(require("../package.json").version, require("../loopmem.node").VERSION);
});

test("the error for a native module that cannot be loaded names the platform", () => {
  const elsewhere = folder();
  cpSync(join(root, "dist"), join(elsewhere, "dist"), { recursive: true });
  for (const module of [undefined, "of another platform"]) {
    if (module !== undefined) writeFileSync(join(elsewhere, "loopmem.node"), module);
    assert.throws(
      () => require(join(elsewhere, "dist/index.cjs")),
      (error) => {
        assert.equal(error.code, "Unsupported");
        assert(error.message.includes(`${process.platform} on ${process.arch}`), error.message);
        assert(error.cause instanceof Error);
        return true;
      },
    );
  }
});

test("the package contains licences and a README, and never a development build", () => {
  const top = folder();
  const here = join(top, "bindings/node");
  mkdirSync(here, { recursive: true });
  for (const name of ["prepack.mjs", "package.json"]) copyFileSync(join(root, name), join(here, name));
  for (const name of ["README.md", "LICENSE", "LICENSE-MIT"]) writeFileSync(join(top, name), name);
  const { version } = require("../package.json");
  const refused = (expected) => {
    const { status, stderr } = spawnSync(process.execPath, ["prepack.mjs"], { cwd: here, encoding: "utf8" });
    assert.match(stderr, expected);
    assert.equal(status, 1);
  };
  // A folder with this name is loaded in place of the module.
  const built = (DEBUG, VERSION) => {
    mkdirSync(join(here, "loopmem.node"), { recursive: true });
    writeFileSync(join(here, "loopmem.node/index.js"), `module.exports = ${JSON.stringify({ DEBUG, VERSION })};`);
  };
  refused(/dist\/index\.cjs is missing/);
  mkdirSync(join(here, "dist"));
  writeFileSync(join(here, "dist/index.cjs"), "");
  refused(/loopmem\.node is missing/);
  built(true, version);
  refused(/for development/);
  built(false, "0.0.1");
  refused(/package\.json says .* and loopmem\.node 0\.0\.1/);
  built(false, version);
  rmSync(join(top, "LICENSE"));
  refused(/LICENSE is missing/);
  writeFileSync(join(top, "LICENSE"), "LICENSE");

  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], {
      cwd: here,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const packed = files.map(({ path }) => path);
  for (const name of ["README.md", "LICENSE", "LICENSE-MIT", "dist/index.cjs", "package.json"])
    assert(packed.includes(name), `${name}: ${packed}`);
  assert.equal(readFileSync(join(here, "LICENSE-MIT"), "utf8"), "LICENSE-MIT");
  assert(!existsSync(join(here, "LICENSE-APACHE")));
});
