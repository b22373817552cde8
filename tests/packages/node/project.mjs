// Empty projects, and an environment in which nothing but Node can be found.

import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { tarballsIn } from "./registry.mjs";

const {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} = fs;

/** The package with its native module inside. */
export const tarball = process.env.LOOPMEM_TARBALL;
const published = tarballsIn(process.env.LOOPMEM_PUBLISHED);
/** The package as it is published, without a native module. */
export const main = published.get("loopmem");
/** The package with the native module of this platform. */
export const platformName = `loopmem-${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : ""}`;
export const platform = published.get(platformName);
export const { version } = JSON.parse(
  execFileSync("tar", ["-xzOf", main, "package/package.json"], { encoding: "utf8" }),
);

/** The package managers, bundlers and versions of Node of package.json. */
export const tools = join(process.env.LOOPMEM_TOOLS, "node_modules");
/** The tools of the Node package. */
export const devTools = fileURLToPath(new URL("../../../bindings/node/node_modules", import.meta.url));

/** The versions of Node that are there: this one, and those of package.json if they run on this platform. */
export const nodes = [process.execPath, ...["22", "24"].map((major) => join(tools, `node-${major}/bin/node`))].filter(
  existsSync,
);

/** A folder that is removed with all other temporary folders at the end of `check`. */
export function folder() {
  return mkdtempSync(join(tmpdir(), "project-"));
}

/** Where the shell finds a program. */
function found(name) {
  const path = process.env.PATH.split(delimiter).find((at) => existsSync(join(at, name)));
  return realpathSync(join(path, name));
}

const bin = folder();
// The scripts that pnpm writes for commands need some of them.
for (const name of ["npm", "npx", "sh", "sed", "dirname", "uname"]) symlinkSync(found(name), join(bin, name));
symlinkSync(process.execPath, join(bin, "node"));

/** The environment of a project: an empty home, only Node and a shell on the PATH, and no network unless `url` is given. */
export function environment(home, url) {
  return {
    PATH: bin,
    HOME: home,
    TMPDIR: tmpdir(),
    // For root, Yarn 1 has its cache elsewhere.
    YARN_CACHE_FOLDER: join(home, "yarn"),
    npm_config_ignore_scripts: "true",
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    // The port that no process listens on, so that nothing is downloaded by accident.
    npm_config_registry: url ?? "http://127.0.0.1:9",
    npm_config_offline: url === undefined ? "true" : "false",
  };
}

/** An empty project in a folder of its own. */
export class Project {
  root = folder();
  home = folder();
  env;

  constructor({ url, manifest = {} } = {}) {
    this.env = environment(this.home, url);
    this.write("package.json", JSON.stringify({ private: true, ...manifest }));
  }

  /** Writes a file, and returns its path. */
  write(name, text) {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  read(name) {
    return readFileSync(join(this.root, name), "utf8");
  }

  copy(from, name) {
    cpSync(from, join(this.root, name));
  }

  readHome(name) {
    return readFileSync(join(this.home, name), "utf8");
  }

  /** The packages in `node_modules`. */
  get installed() {
    return readdirSync(join(this.root, "node_modules"))
      .filter((name) => name.startsWith("loopmem"))
      .sort();
  }

  /** Starts a program in the project. */
  start(command, args, options) {
    return start(command, args, { cwd: this.root, env: this.env, ...options });
  }

  /** Runs a program in the project, and returns its output and how it ended. */
  run(command, ...args) {
    return this.start(command, args).ended;
  }

  /** Runs a program that must succeed, and returns its output. */
  async succeeds(command, ...args) {
    const { status, signal, stdout, stderr } = await this.run(command, ...args);
    if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${status ?? signal}\n${stdout}${stderr}`);
    return stdout;
  }

  npm(...args) {
    return this.succeeds("npm", ...args);
  }

  /** Runs a JavaScript program, a module if `name` says so, which must succeed. Its output is returned. */
  node(name, text, ...args) {
    this.write(name, text);
    return this.succeeds("node", name, ...args);
  }
}

/** A process, and a promise of its output and how it ended. */
export function start(command, args, options = {}) {
  const { input = "", ...rest } = options;
  const child = spawn(command, args, { stdio: "pipe", ...rest });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (some) => (output[name] += some));
  child.stdin.on("error", () => {});
  if (input !== undefined && input !== null) child.stdin.end(input);
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve({ ...output, status, signal }));
  });
  return { child, output, ended };
}

/** A project with the package from its tarball. */
export async function installed(options) {
  const project = new Project(options);
  await project.npm("install", tarball);
  return project;
}

/** A copy of a tarball with another manifest, and other files if `change` writes some to the folder that it is passed. */
export function repacked(path, manifest, change = () => {}) {
  const at = folder();
  execFileSync("tar", ["-xzf", path, "-C", at]);
  const json = join(at, "package/package.json");
  const changed = { ...JSON.parse(readFileSync(json, "utf8")), ...manifest };
  writeFileSync(json, JSON.stringify(changed));
  change(join(at, "package"));
  const to = join(at, `${changed.name}-${changed.version}.tgz`);
  execFileSync("tar", ["-C", at, "-I", "gzip -1", "-cf", to, "package"]);
  return to;
}

/** A package for another platform, whose native module cannot be loaded here. */
function elsewhere([suffix, { os, cpu, libc }]) {
  const fields = { name: `loopmem-${suffix}`, os: [os], cpu: [cpu], libc: libc && [libc] };
  return repacked(platform, fields, (at) => writeFileSync(join(at, "loopmem.node"), "of another platform"));
}

/** What a release for all platforms publishes; the native modules of others cannot be loaded here. */
export function release() {
  const others = Object.entries({
    "linux-x64-musl": { os: "linux", cpu: "x64", libc: "musl" },
    "linux-arm64-gnu": { os: "linux", cpu: "arm64", libc: "glibc" },
    "linux-arm64-musl": { os: "linux", cpu: "arm64", libc: "musl" },
    "darwin-x64": { os: "darwin", cpu: "x64" },
    "darwin-arm64": { os: "darwin", cpu: "arm64" },
  });
  const names = [platformName, ...others.map(([suffix]) => `loopmem-${suffix}`)];
  const all = repacked(main, { optionalDependencies: Object.fromEntries(names.map((name) => [name, version])) });
  const [musl, ...rest] = others.map(elsewhere);
  return { all, musl, tarballs: [all, platform, musl, ...rest] };
}

/** Copies installed packages, such as `@types/node`, into a project. */
export function lend(project, ...names) {
  for (const name of names) {
    cpSync(join(devTools, name), join(project.root, "node_modules", name), { recursive: true, dereference: true });
  }
}
