// Other processes: one that holds a lock, who waits for it, and programs of Node's.

import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

/** Another process that holds the lock of the repository's memory until it is killed. */
export async function holding(home, repoHash) {
  const path = join(home, "repos", repoHash, "memory.json.lock");
  closeSync(openSync(path, "r+"));
  const holder = spawn("flock", ["--exclusive", path, "sh", "-c", "echo held; exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    holder.stdout.once("data", resolve);
    holder.once("error", reject);
  });
  return holder;
}

/** Whether somebody waits for that lock: who does holds its gate. */
export function somebodyWaits(home, repoHash) {
  const gate = join(home, "repos", repoHash, "memory.json.gate");
  return spawnSync("flock", ["--shared", "--nonblock", gate, "true"]).status === 1;
}

/** A program of Node's in a process of its own, as a module; `ended` is what it printed and how it ended. */
export function program(text, ...parameters) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", text, ...parameters], {
    cwd: new URL("..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (some) => (printed += some));
  const ended = new Promise((resolve) => child.once("close", (status, signal) => resolve({ printed, status, signal })));
  return { child, ended };
}
