#!/usr/bin/env node
// The command `loopmem`, as the package installs it.

import { resolve } from "node:path";

import { native } from "./native.cjs";

const [, script = "loopmem", ...args] = process.argv;
// The folder that `npx` installs into is gone when its cache is cleaned.
const isNpx = process.env["npm_command"] === "exec" && process.env["npm_lifecycle_event"] === "npx";
process.exit(native.runCommand(isNpx ? ["npx", "-y", "loopmem"] : [resolve(script)], args));
