// Writes from Node: COUNT conventions, summaries and changes of the shared record, when told to go.

import { createInterface } from "node:readline";
import { Store } from "../../bindings/node/index.mjs";

const [home, repoHash, name, count] = process.argv.slice(2);
const store = await Store.open({ home, lockTimeoutMs: 60_000, appendTimeoutMs: 60_000 });
console.log("ready");
for await (const _ of createInterface({ input: process.stdin })) break;
for (let n = 0; n < Number(count); n++) {
  await store.memory.upsertConvention({ repoHash, convention: { id: `${name}-${n}`, title: name, content: `${n}` } });
  await store.memory.upsertConvention({ repoHash, convention: { id: "shared", [name]: n } });
  await store.summary.append({ repoHash, runId: name, stepId: `${n}`, summary: "done" });
}
console.log("done");
process.exit(0);
