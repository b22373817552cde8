// Two versions of the package in one process.

import assert from "node:assert/strict";
import { test } from "node:test";

import { main, platform, platformName, Project, repacked } from "./project.mjs";
import { registry } from "./registry.mjs";

const NEXT = "9.9.9";

test("two versions in one process write to one home and lose nothing, and their errors are of different classes", async () => {
  const next = [
    repacked(platform, { version: NEXT }),
    repacked(main, { version: NEXT, optionalDependencies: { [platformName]: NEXT } }),
  ];
  const { url } = await registry(main, platform, ...next);
  const project = new Project({ url });
  await project.npm("install", `loopmem@<${NEXT}`, `other@npm:loopmem@${NEXT}`);
  const printed = await project.node(
    "both.cjs",
    `const one = require("loopmem");
     const other = require("other");
     const repoHash = "a".repeat(64);
     const loaded = Object.keys(require.cache).filter((path) => path.endsWith("loopmem.node"));
     console.log(loaded.length, require("other/package.json").version);
     (async () => {
       for (const adapter of ["file", "sqlite"]) {
         const stores = [one, other].map(({ Store }) => Store.openSync({ home: "home-" + adapter, adapter, lockTimeoutMs: 60_000 }));
         const calls = [];
         for (let at = 0; at < 25; at++) for (const [which, store] of stores.entries()) {
           calls.push(store.memory.upsertConvention({ repoHash, convention: { title: which + "-" + at, content: "c" } }));
           calls.push(store.working.addLog({ scopeId: "s", entry: { content: which + "-" + at } }));
           calls.push(store.working.updateContext({ scopeId: "s", patch: { [which + "-" + at]: at } }));
         }
         await Promise.all(calls);
         for (const store of stores) {
           const { conventions } = await store.memory.get({ repoHash });
           const logs = await store.working.getLogs({ scopeId: "s" });
           const context = await store.working.getContext({ scopeId: "s" });
           console.log(conventions.length, logs.length, (JSON.stringify(context).match(/"[01]-\\d+"/g) ?? []).length);
         }
         const errors = await Promise.all(stores.map((store) => store.memory.get({ repoHash: "x" }).catch((error) => error)));
         console.log(errors.map((error) => [one, other].map(({ ValidationError }) => error instanceof ValidationError).join()).join(" "), errors.map(({ code }) => code).join());
         stores[0].close();
         // The other one is not affected.
         console.log((await stores[1].memory.get({ repoHash })).conventions.length);
       }
     })();`,
  );
  const each = ["50 50 50", "50 50 50", "true,false false,true ValidationError,ValidationError", "50"];
  assert.deepEqual(printed.trim().split("\n"), [`2 ${NEXT}`, ...each, ...each]);
});
