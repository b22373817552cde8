// esbuild and webpack bundle a program that uses the package: with the package outside the bundle, which needs no more
// than its name, and inside, with a setting for the native module.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { devTools, installed, Project, tools } from "./project.mjs";

const require = createRequire(import.meta.url);
const esbuild = require(join(devTools, "esbuild"));
const webpack = require(join(tools, "webpack"));

const project = await installed();
const USES = `const store = Store.openSync({ home: process.argv[2] });
  store.memory.get({ repoHash: "x" }).catch((error) => console.log(error instanceof ValidationError, typeof memoryHandlers));`;
const entry = {
  esm: project.write(
    "app.mjs",
    `import { Store, ValidationError } from "loopmem"; import { memoryHandlers } from "loopmem/anthropic"; ${USES}`,
  ),
  cjs: project.write(
    "app.cjs",
    `const { Store, ValidationError } = require("loopmem"); const { memoryHandlers } = require("loopmem/anthropic"); ${USES}`,
  ),
};

/** What a bundle prints in a folder without packages, unless it needs those of the project. */
async function printed(bundle, name, outside) {
  const at = outside ? project : new Project();
  if (!outside) for (const file of readdirSync(bundle)) at.copy(join(bundle, file), file);
  const { status, stdout, stderr } = await at.run("node", outside ? join(bundle, name) : name, join(at.home, "store"));
  return { status, stdout, stderr };
}
const WORKS = { status: 0, stdout: "true function\n", stderr: "" };

const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

for (const from of ["esm", "cjs"]) {
  for (const [format, name] of [
    ["cjs", "app.cjs"],
    ["esm", "app.mjs"],
  ]) {
    const common = {
      entryPoints: [entry[from]],
      bundle: true,
      platform: "node",
      format,
      outExtension: { ".js": name.slice(3) },
      // What the CommonJS parts of a bundle of ES modules need, as of any package.
      banner: format === "esm" ? { js: REQUIRE } : {},
      logLevel: "silent",
    };

    test(`esbuild, ${from} to ${format}: the package stays outside with external`, async () => {
      const outdir = join(project.root, "esbuild-outside");
      const { warnings } = await esbuild.build({ ...common, outdir, external: ["loopmem"] });
      assert.deepEqual(warnings, []);
      assert.deepEqual(await printed(outdir, name, true), WORKS);
    });

    test(`esbuild, ${from} to ${format}: the package is inside with the loader "copy" for .node`, async () => {
      const outdir = join(project.root, `esbuild-inside-${from}-${format}`);
      const { warnings } = await esbuild.build({ ...common, outdir, loader: { ".node": "copy" } });
      assert.deepEqual(warnings, []);
      assert.deepEqual(await printed(outdir, name, false), WORKS);
    });
  }

  test(`esbuild, ${from}: without that loader the build says what is missing`, async () => {
    const built = esbuild.build({
      entryPoints: [entry[from]],
      bundle: true,
      platform: "node",
      write: false,
      outdir: "x",
      logLevel: "silent",
    });
    await assert.rejects(built, /No loader is configured for "\.node" files/);
  });

  const bundle = (path, options) =>
    new Promise((resolve, reject) => {
      const output = { path, filename: "app.cjs" };
      const settings = {
        entry: entry[from],
        target: "node20",
        mode: "production",
        output,
        context: project.root,
        ...options,
      };
      webpack(settings, (error, stats) =>
        error ? reject(error) : resolve(stats.toJson({ all: false, errors: true, warnings: true })),
      );
    });

  test(`webpack, ${from}: the package stays outside with externals`, async () => {
    const path = join(project.root, "webpack-outside");
    const externals = { loopmem: "commonjs loopmem", "loopmem/anthropic": "commonjs loopmem/anthropic" };
    assert.deepEqual(await bundle(path, { externals }), { errors: [], warnings: [] });
    assert.deepEqual(await printed(path, "app.cjs", true), WORKS);
  });

  test(`webpack, ${from}: the package is inside with node-loader`, async () => {
    const path = join(project.root, `webpack-inside-${from}`);
    const { errors, warnings } = await bundle(path, {
      module: { rules: [{ test: /\.node$/, loader: join(tools, "node-loader") }] },
    });
    assert.deepEqual(errors, []);
    // It warns of the packages for other platforms, and of nothing else.
    for (const { message } of warnings) assert.match(message, /Can't resolve 'loopmem-/);
    assert.deepEqual(await printed(path, "app.cjs", false), WORKS);
  });
}
