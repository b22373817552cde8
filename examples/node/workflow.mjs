// A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
// context pack. Its output goes into the working context of the run.
//
//     node workflow.mjs             runs all steps
//     node workflow.mjs RUN STEP    runs one step: plan, build, test or review

import { execFileSync } from "node:child_process";
import { Store } from "../../bindings/node/index.mjs"; // in your project: from "loopmem"

const steps = [
  { stepId: "plan", did: "Read the issue", output: "Two changes are needed" },
  { stepId: "build", did: "Made both changes", output: "src/parser.rs and its tests" },
  { stepId: "test", did: "Ran the tests", output: "214 passed" },
  { stepId: "review", did: "Read the diff", output: "Nothing to add" },
];

const [, self, runId, stepId] = process.argv;
if (runId === undefined) playRun(`run-${Date.now()}`);
else await playStep(runId, stepId);

function playRun(runId) {
  for (const { stepId } of steps) execFileSync(process.execPath, [self, runId, stepId], { stdio: "inherit" });
}

async function playStep(runId, stepId) {
  const at = steps.findIndex((step) => step.stepId === stepId);
  if (at === -1) throw new Error("the steps are plan, build, test and review");

  const store = await Store.open();
  const { text: pack } = await store.context.build({ maxChars: 8_000 });
  const missing = steps.slice(0, at).find((step) => !pack.includes(`${runId} / ${step.stepId}`));
  if (missing !== undefined) throw new Error(`the pack does not contain ${missing.stepId}`);

  // An agent would work here, with the pack in its prompt.
  const { did, output } = steps[at];
  const events = [
    { kind: "action", text: did },
    { kind: "output", text: output },
  ];
  await store.summary.endStep({ runId, stepId, events });
  await store.working.updateContext({ scopeId: runId, patch: { [stepId]: output } });
  console.log(`${stepId}: ${at} earlier steps in the pack`);
}
