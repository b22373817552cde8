// The package: one implementation for both module systems, its types, its version, and what is packed.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
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

test("a bundle has what an import has", async () => {
  for (const name of ["index", "anthropic"]) {
    const [imported, bundled] = await Promise.all([import(`../${name}.mjs`), import(`../${name}.bundle.mjs`)]);
    assert.deepEqual({ ...bundled }, { ...imported });
  }
});

test("a native module is looked for in the packages of its platform", () => {
  const elsewhere = folder();
  cpSync(join(root, "dist"), join(elsewhere, "dist"), { recursive: true });
  const program = `
    const [path, platform, arch] = process.argv.slice(1);
    Object.defineProperties(process, { platform: { value: platform }, arch: { value: arch } });
    const Module = require("node:module");
    const load = Module._load;
    Module._load = (name, ...rest) => {
      if (!name.startsWith("loopmem-")) return load(name, ...rest);
      console.log(name);
      throw Object.assign(new Error(name), { code: "MODULE_NOT_FOUND" });
    };
    try { require(path); } catch ({ message }) { console.log(message); }`;
  const lookedFor = (os, cpu) => {
    const arguments_ = ["-e", program, join(elsewhere, "dist/index.cjs"), os, cpu];
    return execFileSync(process.execPath, arguments_, { encoding: "utf8" }).trim().split("\n");
  };
  const packed = readFileSync(join(root, "pack.mjs"), "utf8").matchAll(
    /^ {2}\["(\S+)", \{ os: "(\w+)", cpu: "(\w+)"/gm,
  );
  const platforms = {};
  for (const [, suffix, os, cpu] of packed) (platforms[`${os} ${cpu}`] ??= []).push(`loopmem-${suffix}`);
  assert.equal(Object.keys(platforms).length, 4);
  for (const [platform, names] of Object.entries(platforms)) {
    assert.deepEqual(lookedFor(...platform.split(" ")).slice(0, -1), names);
  }
  assert.match(
    lookedFor("win32", "x64").join(),
    /^loopmem has no native module for win32 on x64, only for linux-x64, /,
  );
});

test("the package has the version of its native module", () => {
  assert.equal(require("../package.json").version, require("../loopmem.node").VERSION);
});

test("the error for a native module that cannot be loaded names the platform", () => {
  const elsewhere = folder();
  cpSync(join(root, "dist"), join(elsewhere, "dist"), { recursive: true });
  for (const [module, advice] of [
    [undefined, /install loopmem on this platform, and without omitting optional dependencies/],
    ["of another platform", /built for another platform/],
  ]) {
    if (module !== undefined) writeFileSync(join(elsewhere, "loopmem.node"), module);
    assert.throws(
      () => require(join(elsewhere, "dist/index.cjs")),
      (error) => {
        assert.equal(error.code, "Unsupported");
        assert(error.message.includes(`${process.platform} on ${process.arch}`), error.message);
        assert.match(error.message, advice);
        assert(error.cause instanceof Error);
        return true;
      },
    );
  }
});

const PLATFORM = `${process.platform}-${process.arch}-gnu`;
const pack = (...modules) => {
  const to = folder();
  const { status, stderr } = spawnSync(process.execPath, ["pack.mjs", to, ...modules], { cwd: root, encoding: "utf8" });
  return { to, status, stderr };
};

test("what is packed is complete, of one version, and no development build", () => {
  const refused = (expected, ...modules) => {
    const { status, stderr } = pack(...modules);
    assert.match(stderr, expected);
    assert.equal(status, 1);
  };
  refused(/unknown platform amiga/, "amiga=loopmem.node");
  refused(/the module for linux-x64-gnu is missing/, "linux-x64-gnu=nowhere.node");
  refused(/for development/, `${PLATFORM}=loopmem.node`);
  const { to, stderr } = pack(`${PLATFORM}=loopmem.node`, "--debug");
  assert.equal(stderr, "");
  const manifest = (name) => JSON.parse(readFileSync(join(to, name, "package.json"), "utf8"));
  const { optionalDependencies, devDependencies, scripts } = manifest("loopmem");
  assert.equal(optionalDependencies[`loopmem-${PLATFORM}`], manifest("loopmem").version);
  assert.deepEqual([devDependencies, scripts], [undefined, undefined]);
  assert.deepEqual(manifest(`loopmem-${PLATFORM}`).os, [process.platform]);
  for (const name of ["README.md", "LICENSE", "LICENSE-MIT"]) assert(existsSync(join(to, "loopmem", name)), name);
  // The binary is in the package of its platform alone.
  assert(!existsSync(join(to, "loopmem/loopmem.node")));
});

// Six seconds, since it packs and unpacks a development build of 40 MB.
test("the package is installed from one file, without a compiler and a network, and npx runs the command", () => {
  const module = join(folder(), "loopmem.node");
  execFileSync("strip", ["--strip-all", "-o", module, join(root, "loopmem.node")]);
  const { to, stderr } = pack(`${PLATFORM}=${module}`, "--debug");
  assert.equal(stderr, "");
  const project = folder();
  const npm = (cwd, ...args) =>
    execFileSync("npm", args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, npm_config_offline: "true", HOME: project },
    });
  const tarball = npm(join(to, "local/loopmem"), "pack", "--silent", "--pack-destination", project).trim();
  writeFileSync(join(project, "package.json"), "{}");
  npm(project, "install", "--ignore-scripts", "--no-audit", "--no-fund", `./${tarball}`);
  const { version } = require("../package.json");
  assert.equal(
    execFileSync("npx", ["loopmem", "--version"], { cwd: project, encoding: "utf8" }),
    `loopmem ${version}\n`,
  );
  for (const load of ['import("loopmem")', 'Promise.resolve(require("loopmem"))']) {
    const program = `${load}.then(({ Store }) => Store.open({ home: "home" })).then((store) => store.close())`;
    execFileSync(process.execPath, ["-e", program], { cwd: project, stdio: "inherit" });
  }
});
