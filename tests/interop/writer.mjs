// Writes from Node when signalled, and reports each write once it is acknowledged: writer HOME REPO NAME COUNT.
//
// The three writes of a number are not awaited one by one: loopmem may commit them together.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { Store } from "../../bindings/node/index.mjs";

const [home, repoHash, name, count] = process.argv.slice(2);
// One write per line: a process that is killed has reported it completely or not at all.
const report = (line) => writeSync(1, `${line}\n`);
const store = await Store.open({ home, lockTimeoutMs: 60_000, appendTimeoutMs: 60_000 });
report("ready");
for await (const _ of createInterface({ input: process.stdin })) break;
const begun = performance.now();
for (let n = 0; n < Number(count); n++) {
  const text = `${name}-${n}.`.repeat(20);
  const before = performance.now();
  const reported = (kind) => () => report(`${kind} ${n} ${(performance.now() - before).toFixed(3)}`);
  const shared = { id: "shared", title: "shared", content: "shared", extra: { [name]: n } };
  await Promise.all([
    store.memory
      .upsertConvention({ repoHash, convention: { id: `${name}-${n}`, title: name, content: text } })
      .then(reported("upsert")),
    store.memory.upsertConvention({ repoHash, convention: shared }).then(reported("shared")),
    store.summary.append({ repoHash, runId: name, stepId: `${n}`, summary: text }).then(reported("append")),
  ]);
}
report(`done ${(performance.now() - begun).toFixed(3)}`);
process.exit(0);
