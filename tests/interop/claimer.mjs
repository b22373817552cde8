// Claims one session again and again from Node, as claimer.py does: claimer OPTIONS LAST.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { Store } from "../../bindings/node/index.mjs";

const FIRST = Date.parse("2026-01-20T00:00:00Z");
const last = Number(process.argv[3]);
const store = await Store.open(JSON.parse(process.argv[2]));
const { rollouts } = store;
writeSync(1, "ready\n");
for await (const _ of createInterface({ input: process.stdin })) break;
for (;;) {
  const { claims } = await rollouts.claimStage1({ workerId: "node", limit: 1 });
  const [claim] = claims;
  if (claim === undefined) {
    if ((await rollouts.explain({ threadId: "done" })).reason === "notInteractive") break;
    continue;
  }
  const { threadId, ownershipToken } = claim;
  const number = (Date.parse(claim.sourceUpdatedAt) - FIRST) / 1000;
  writeSync(1, `claimed ${number}\n`);
  const output = { rollout_summary: `${number}`, raw_memory: "m" };
  await rollouts.completeStage1({ threadId, ownershipToken, output });
  const updatedAt = new Date(FIRST + (number + 1) * 1000).toISOString();
  const [id, source] = number < last ? ["t", "cli"] : ["done", "done"];
  await rollouts.upsertThread({ id, rolloutPath: "/r.jsonl", updatedAt, cwd: "", source });
}
process.exit(0);
