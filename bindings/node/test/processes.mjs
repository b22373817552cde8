// Other processes: one that holds a lock, and Node programs.

import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

/** The environment without the variables that make Node print colours. */
export const plain = { ...process.env };
for (const name of ["FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "COLORTERM"]) delete plain[name];

/** Kills `child` when the tests end, if it is still running. */
function ending(child) {
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
  return child;
}

/** Another process that holds the lock of the repository's memory until it is killed. */
export async function holding(home, repoHash) {
  const path = join(home, "repos", repoHash, "memory.json.lock");
  closeSync(openSync(path, "r+"));
  const holder = ending(
    spawn("flock", ["--exclusive", path, "sh", "-c", "echo held; exec cat"], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await new Promise((resolve, reject) => {
    holder.stdout.once("data", resolve);
    holder.once("error", reject);
  });
  return holder;
}

/** Whether a process waits for that lock: if so, it holds the gate. */
export function somebodyWaits(home, repoHash) {
  const gate = join(home, "repos", repoHash, "memory.json.gate");
  return spawnSync("flock", ["--shared", "--nonblock", gate, "true"]).status === 1;
}

/** A Node program in a separate process, as a module; `ended` has its output and its exit status. */
export function program(text, ...parameters) {
  const child = ending(
    spawn(process.execPath, ["--input-type=module", "--eval", text, ...parameters], {
      cwd: new URL("..", import.meta.url),
      env: plain,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (some) => (printed += some));
  const ended = new Promise((resolve) => child.once("close", (status, signal) => resolve({ printed, status, signal })));
  return { child, ended };
}
