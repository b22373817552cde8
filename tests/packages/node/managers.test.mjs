// pnpm, whose packages see only what they depend on, and both generations of Yarn install the package.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { main, platform, platformName, Project, release, tarball, tools, version } from "./project.mjs";
import { registry } from "./registry.mjs";

const OPENS = `const store = require("loopmem").Store.openSync(); store.memory.getSync({ repoHash: "a".repeat(64) }); console.log("opened");`;
const IMPORTS = `import { Store } from "loopmem"; (await Store.open()).close(); console.log("opened");`;
const { tarballs } = release();

// Yarn looks for optional dependencies in the registry even if they are bundled, so it installs from one file only if the
// package for this platform is published.
const program =
  (path) =>
  (project, ...args) =>
    project.succeeds("node", join(tools, path), ...args);
const pnpm = program("pnpm/bin/pnpm.cjs");
const yarn = program("yarn/bin/yarn.js");
const berry = program("@yarnpkg/cli-dist/bin/yarn.js");

/** Registries with a release for this platform and for all platforms. */
const registries = () => Promise.all([registry(main, platform), registry(...tarballs)]);

test("pnpm installs the package of this platform where only loopmem finds it", async () => {
  const [, { url, requests }] = await registries();
  const project = new Project({ url });
  await pnpm(project, "add", "loopmem");
  assert.deepEqual(project.installed, ["loopmem"]);
  assert.equal(await project.node("opens.cjs", OPENS), "opened\n");
  assert.equal(await project.node("imports.mjs", IMPORTS), "opened\n");
  assert.equal(await pnpm(project, "exec", "loopmem", "--version"), `loopmem ${version}\n`);
  assert(requests.some((path) => path.endsWith(".tgz") && path.includes(platformName)));
  assert(!requests.some((path) => path.endsWith(".tgz") && /musl|darwin/.test(path)), requests.join("\n"));
});

test("pnpm installs the package from one file", async () => {
  const project = new Project();
  await pnpm(project, "add", tarball);
  assert.equal(await project.node("opens.cjs", OPENS), "opened\n");
});

test("Yarn 1 installs the package from a registry and from one file", async () => {
  const [one, all] = await registries();
  for (const [{ url }, name] of [
    [one, "loopmem"],
    [all, "loopmem"],
    [one, `file:${tarball}`],
  ]) {
    const project = new Project({ url });
    await yarn(project, "add", name);
    assert.equal(await project.node("opens.cjs", OPENS), "opened\n");
    assert.equal(await yarn(project, "--silent", "loopmem", "--version"), `loopmem ${version}\n`);
  }
});

for (const linker of ["node-modules", "pnp"]) {
  test(`Yarn 4 installs the package with nodeLinker: ${linker}`, async () => {
    const [one, all] = await registries();
    for (const [{ url }, name] of [
      [all, "loopmem"],
      [one, `loopmem@file:${tarball}`],
    ]) {
      const project = new Project({ url });
      const settings = {
        nodeLinker: linker,
        npmRegistryServer: url,
        unsafeHttpWhitelist: ["127.0.0.1"],
        enableTelemetry: false,
        pnpEnableEsmLoader: true,
      };
      project.write(".yarnrc.yml", JSON.stringify(settings));
      project.write("yarn.lock", "");
      await berry(project, "add", name);
      project.write("opens.cjs", OPENS);
      project.write("imports.mjs", IMPORTS);
      assert.equal(await berry(project, "node", "opens.cjs"), "opened\n");
      assert.equal(await berry(project, "node", "imports.mjs"), "opened\n");
      assert.equal(await berry(project, "loopmem", "--version"), `loopmem ${version}\n`);
    }
  });
}
