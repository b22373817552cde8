// Lays out what is published to npm: `node pack.mjs FOLDER [PLATFORM=MODULE]…`
//
// FOLDER/loopmem is the package, which needs no compiler: the native module of each platform, such as `linux-x64-gnu`, is in
// a package of its own, FOLDER/loopmem-PLATFORM, of which npm installs the one that fits. Each MODULE is a native module that
// was built for its platform. FOLDER/local/loopmem is the package with the first of them inside, for an installation
// from one file. --debug lets development builds pass, for tests.

import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Those that the release is made for; `libc` is only for Linux.
const PLATFORMS = [
  ["linux-x64-gnu", { os: "linux", cpu: "x64", libc: "glibc" }],
  ["linux-x64-musl", { os: "linux", cpu: "x64", libc: "musl" }],
  ["linux-arm64-gnu", { os: "linux", cpu: "arm64", libc: "glibc" }],
  ["linux-arm64-musl", { os: "linux", cpu: "arm64", libc: "musl" }],
  ["darwin-x64", { os: "darwin", cpu: "x64" }],
  ["darwin-arm64", { os: "darwin", cpu: "arm64" }],
];

const here = fileURLToPath(new URL(".", import.meta.url));
const top = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(import.meta.url);

const refuse = (message) => {
  console.error(`loopmem is not packed: ${message}`);
  process.exit(1);
};

const isForTests = process.argv.includes("--debug");
const [folder, ...modules] = process.argv.slice(2).filter((argument) => argument !== "--debug");
if (folder === undefined) refuse("name a folder; scripts/release node makes the packages");
if (!existsSync(join(here, "dist/index.cjs"))) refuse("dist/index.cjs is missing; run scripts/build node");
const papers = readdirSync(top).filter((name) => name === "README.md" || name.startsWith("LICENSE"));
for (const paper of ["README.md", "LICENSE"]) if (!papers.includes(paper)) refuse(`${paper} is missing`);

const isPublished = ([key]) => key !== "scripts" && key !== "devDependencies";
const published = Object.fromEntries(Object.entries(require("./package.json")).filter(isPublished));
const { version, license, engines } = published;

function put(to, manifest, files) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const [from, name] of files) cpSync(from, join(to, name), { recursive: true });
  for (const paper of papers) copyFileSync(join(top, paper), join(to, paper));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

const built = modules.map((module) => {
  const [platform, path] = module.split("=");
  const [, { os, cpu, libc }] = PLATFORMS.find(([name]) => name === platform) ?? refuse(`unknown platform ${platform}`);
  if (path === undefined || !existsSync(path)) refuse(`the module for ${platform} is missing`);
  if (os === process.platform && cpu === process.arch && libc !== "musl") {
    const loaded = { exports: {} };
    process.dlopen(loaded, resolve(path));
    const { DEBUG, VERSION } = loaded.exports;
    if (DEBUG && !isForTests) refuse(`${path} is a build for development; run scripts/release node`);
    if (VERSION !== version) refuse(`package.json says ${version} and ${path} ${VERSION}`);
  }
  const name = `loopmem-${platform}`;
  const manifest = {
    name,
    version,
    description: `The native module of loopmem for ${platform}`,
    license,
    engines,
    os: [os],
    cpu: [cpu],
    ...(libc !== undefined && { libc: [libc] }),
    type: "commonjs",
    main: "./loopmem.node",
    // Yarn keeps packages in archives, from which a system cannot load a library.
    preferUnplugged: true,
    files: ["loopmem.node", "LICENSE*"],
  };
  put(join(folder, name), manifest, [[path, "loopmem.node"]]);
  writeFileSync(
    join(folder, name, "README.md"),
    `# ${name}\n\nThe native module of [loopmem](../loopmem) for ${platform}. Install \`loopmem\`, which installs this package where it fits.\n`,
  );
  return name;
});

const files = published.files
  .filter((name) => existsSync(join(here, name)) && name !== "loopmem.node")
  .map((name) => [join(here, name), name]);
// Only those that are published: Yarn fails for one that does not exist, although it is optional.
const optionalDependencies = Object.fromEntries(built.map((name) => [name, version]));
put(join(folder, "loopmem"), { ...published, optionalDependencies }, files);
if (built.length > 0) {
  const [name] = built;
  const local = join(folder, "local/loopmem");
  put(local, { ...published, optionalDependencies: { [name]: version }, bundleDependencies: [name] }, files);
  cpSync(join(folder, name), join(local, "node_modules", name), { recursive: true });
}
