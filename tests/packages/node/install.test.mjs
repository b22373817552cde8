// npm installs the package without a compiler and with no scripts: from one file, from the files that are published, and
// from a registry, of which it takes the native module that fits.

import assert from "node:assert/strict";
import { test } from "node:test";

import { installed, main, platform, platformName, Project, release, tarball, version } from "./project.mjs";
import { registry } from "./registry.mjs";

const OPENS = `const store = require("loopmem").Store.openSync(); store.memory.getSync({ repoHash: "a".repeat(64) }); store.close();`;

const { all, musl, tarballs } = release();

/** The error of a program that loads the package, by each way to load it. */
async function refusals(project, before = "") {
  const answers = [];
  project.write("required.cjs", `${before}\nrequire("loopmem");`);
  project.write("imported.mjs", `${before}\nawait import("loopmem");`);
  for (const name of ["required.cjs", "imported.mjs"]) {
    const { status, stderr } = await project.run("node", name);
    assert.equal(status, 1, stderr);
    assert.match(stderr, /Unsupported: /);
    assert.match(stderr, /code: 'Unsupported'/);
    answers.push(stderr);
  }
  return answers;
}

test("the package is installed from one file, without a network", async () => {
  const project = new Project();
  await project.npm("install", tarball);
  await project.node("opens.cjs", OPENS);
  assert.equal(await project.succeeds("npx", "loopmem", "--version"), `loopmem ${version}\n`);
  // Also with the lock file alone, as in CI.
  await project.npm("ci");
  await project.node("opens.cjs", OPENS);
});

test("the package is installed from the two files that are published, without a network", async () => {
  const project = new Project();
  await project.npm("install", main, platform);
  assert.deepEqual(project.installed, ["loopmem", platformName]);
  await project.node("opens.cjs", OPENS);
});

test("of a registry, only the package of this platform is installed, and the lock file has those of all platforms", async () => {
  const { url, requests } = await registry(...tarballs);
  const project = new Project({ url });
  await project.npm("install", "loopmem");
  assert.deepEqual(project.installed, ["loopmem", platformName]);
  await project.node("opens.cjs", OPENS);
  const loaded = requests.filter((path) => path.endsWith(".tgz")).map((path) => path.split("/")[1]);
  assert.deepEqual(loaded.sort(), ["loopmem", platformName]);
  const { packages } = JSON.parse(project.read("package-lock.json"));
  assert.equal(Object.keys(packages).filter((path) => path.startsWith("node_modules/loopmem-")).length, 6);
  await project.npm("ci");
  await project.node("opens.cjs", OPENS);
});

test("an error names the platform and the package that is missing", async () => {
  const { url } = await registry(main, platform);
  const alone = new Project();
  await alone.npm("install", main);
  const omitted = new Project({ url });
  await omitted.npm("install", "--omit=optional", "loopmem");
  for (const project of [alone, omitted]) {
    assert.deepEqual(project.installed, ["loopmem"]);
    for (const error of await refusals(project)) {
      assert(error.includes(`native module for ${process.platform} on ${process.arch} cannot be loaded`), error);
      assert(error.includes(platformName), error);
      assert(error.includes("without omitting optional dependencies"), error);
    }
    const { status, stdout, stderr } = await project.run("npx", "loopmem", "--version");
    assert.match(stderr, /^error: loopmem's native module for .* cannot be loaded; .*\n$/);
    assert.deepEqual([status, stdout], [1, ""]);
  }
});

test("the package from one file works although optional dependencies are omitted", async () => {
  const project = new Project();
  await project.npm("install", "--omit=optional", tarball);
  await project.node("opens.cjs", OPENS);
});

test("an error names a platform that loopmem is not built for", async () => {
  const project = await installed();
  for (const error of await refusals(project, 'Object.defineProperty(process, "arch", { value: "ia32" });')) {
    assert(error.includes(`no native module for ${process.platform} on ia32, only for linux-x64, `), error);
  }
});

test("an error says that a native module was built for another platform", async () => {
  const { url } = await registry(...tarballs);
  const project = new Project({ url });
  // As in a folder that was installed for a container with another C library.
  await project.npm("install", "--libc=musl", "loopmem");
  assert.deepEqual(project.installed, ["loopmem", "loopmem-linux-x64-musl"]);
  for (const error of await refusals(project)) {
    assert(error.includes(`native module for ${process.platform} on ${process.arch} cannot be loaded`), error);
    assert(error.includes("built for another platform"), error);
    assert(error.includes("loopmem-linux-x64-musl/loopmem.node"), error);
  }
});

test("where both packages for Linux are installed, the one that loads is taken", async () => {
  const project = new Project();
  await project.npm("install", "--force", all, platform, musl);
  assert.deepEqual(project.installed, ["loopmem", platformName, "loopmem-linux-x64-musl"]);
  await project.node("opens.cjs", OPENS);
});
