#!/usr/bin/env node
// The command `loopmem`, as the package installs it.

import { resolve } from "node:path";

import { LoopmemError } from "./error.cjs";
import type { Native } from "./native.cjs";
import { load } from "./platform.cjs";

const [, script = "loopmem", ...args] = process.argv;
/** The words that start this command, for the configuration of a client. */
function program(): string[] {
  // The folder that `npx` installs into is gone when its cache is cleaned.
  if (/[\\/]_npx[\\/]/.test(script)) return ["npx", "-y", "loopmem"];
  // pnpm and Yarn start the file itself.
  return script.endsWith(".cjs") ? [process.execPath, resolve(script)] : [resolve(script)];
}

let native: Native;
try {
  native = load() as Native;
} catch (error) {
  // The user of a command has no use for a stack trace.
  console.error(`error: ${error instanceof LoopmemError ? error.message : String(error)}`);
  process.exit(1);
}
process.exit(native.runCommand(program(), args));
