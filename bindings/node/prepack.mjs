// Before the package is packed: it takes along the licences and the README, and a native module that is fit to be used.

import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";

const here = new URL(".", import.meta.url);
const top = new URL("../../", here);
const require = createRequire(here);

const refuse = (message) => {
  console.error(`loopmem is not packed: ${message}`);
  process.exit(1);
};
const built = (name) => existsSync(new URL(name, here)) || refuse(`${name} is missing; run scripts/build node`);
built("dist/index.cjs");
built("loopmem.node");
const { DEBUG, VERSION } = require("./loopmem.node");
const { version } = require("./package.json");
if (DEBUG) refuse("loopmem.node is a build for development; run scripts/build node");
if (VERSION !== version) refuse(`package.json says ${version} and loopmem.node ${VERSION}`);

const papers = readdirSync(top).filter((name) => name === "README.md" || name.startsWith("LICENSE"));
for (const paper of ["README.md", "LICENSE"]) if (!papers.includes(paper)) refuse(`${paper} is missing`);
for (const paper of papers) copyFileSync(new URL(paper, top), new URL(paper, here));
