// An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
// earlier steps did; what the model remembers is also in the prompts of later runs.
//
//     npx tsc --strict --module node16 --target es2022 tool_loop.mts
//     node tool_loop.mjs [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests

import { exec } from "node:child_process";
import { readFile } from "node:fs/promises";
import { isAbsolute, normalize } from "node:path";
import { LoopmemError, SecretRefused, Store, ValidationError, type ConventionDraft, type StepEvent } from "loopmem";

type Call =
  | { tool: "read_file"; path: string }
  | { tool: "run"; command: string }
  | { tool: "remember"; convention: ConventionDraft };
type Reply = { calls?: Call[]; answer?: string; followUps?: string[] };
type Result = { event: StepEvent; output: string };

const task = "Check my changes before I commit them.";
const maxSteps = 8;
const maxOutputChars = 4_000;

/** Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone. */
async function askModel(prompt: string, signal: AbortSignal): Promise<Reply> {
  signal.throwIfAborted();
  const check: Call = { tool: "run", command: "git diff --check" };
  const ran = "# Ran `git diff --check`: exit status ";
  if (prompt.includes(`${ran}0`)) return { answer: "The changes can be committed." };
  if (prompt.includes(ran)) {
    return { answer: "The changes cannot be committed yet.", followUps: ["Fix what `git diff --check` reports"] };
  }
  if (prompt.includes("[check-changes]")) return { calls: [check] };
  if (!prompt.includes("CONTRIBUTING.md`")) return { calls: [{ tool: "read_file", path: "CONTRIBUTING.md" }] };
  const content = "Run `git diff --check`: it finds conflict markers and trailing spaces.";
  const convention = { id: "check-changes", title: "Check changes before a commit", content };
  return { calls: [{ tool: "remember", convention }, check] };
}

const done = (text: string, output = ""): Result => ({ event: { kind: "action", text }, output });
const failed = (text: string, output: string): Result => ({ event: { kind: "error", text }, output });

async function runTool(store: Store, call: Call, signal: AbortSignal): Promise<Result> {
  switch (call.tool) {
    case "read_file":
      return read(call.path, signal);
    case "run":
      return run(call.command, signal);
    case "remember":
      return remember(store, call.convention, signal);
  }
}

async function read(path: string, signal: AbortSignal): Promise<Result> {
  try {
    if (isAbsolute(path) || normalize(path).startsWith("..")) throw new Error("the path leads out of the folder");
    return done(`Read \`${path}\``, await readFile(path, { encoding: "utf8", signal }));
  } catch (error) {
    signal.throwIfAborted();
    return failed(`Could not read \`${path}\``, String(error));
  }
}

/** A real agent asks its user first, or runs commands in a sandbox. */
function run(command: string, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    exec(command, { signal }, (error, stdout, stderr) => {
      if (signal.aborted && error !== null) return reject(error);
      const status = error === null ? 0 : (error.code ?? 1);
      resolve((status === 0 ? done : failed)(`Ran \`${command}\`: exit status ${status}`, stdout + stderr));
    });
  });
}

async function remember(store: Store, convention: ConventionDraft, signal: AbortSignal): Promise<Result> {
  try {
    const { id } = await store.memory.upsertConvention({ convention }, { signal });
    return done(`Remembered \`${id}\``);
  } catch (error) {
    // What the model got wrong is a result for it; any other error ends the run.
    if (!(error instanceof ValidationError || error instanceof SecretRefused)) throw error;
    return failed("Could not remember", String(error));
  }
}

async function runTask(store: Store, runId: string, signal: AbortSignal): Promise<void> {
  let results: Result[] = [];
  for (let step = 1; step <= maxSteps; step++) {
    // The state of the run, for its prompts and for others to follow: `loopmem working show RUN`.
    await store.working.updateContext({ scopeId: runId, patch: { step, status: "running" } }, { signal });
    const pack = await store.context.build({ maxChars: 8_000, prompt: task, scopeId: runId }, { signal });
    let prompt = `# Task\n\n${task}\n\n${pack.text}`;
    for (const { event, output } of results) {
      prompt += `\n\n# ${event.text}\n\n${output.slice(0, maxOutputChars)}`.replace(/\n+$/, "");
    }
    console.log(`=== ${runId}, step ${step}\n${prompt}`);

    const { calls = [], answer, followUps = [] } = await askModel(prompt, signal);
    results = [];
    for (const call of calls) results.push(await runTool(store, call, signal));
    const events = results.map((result) => result.event);
    if (answer !== undefined) events.push({ kind: "output", text: answer });
    for (const text of followUps) events.push({ kind: "followUp", text });
    await store.summary.endStep({ runId, stepId: `step-${step}`, events }, { signal });
    for (const { text } of events) console.log(`--- ${text}`);
    if (answer !== undefined) {
      await store.working.updateContext({ scopeId: runId, patch: { status: "done" } }, { signal });
      return;
    }
  }
  throw new Error(`no answer after ${maxSteps} steps`);
}

const [, , runId = `run-${Date.now()}`, clock] = process.argv;
const interrupt = new AbortController();
process.once("SIGINT", () => interrupt.abort());
let store: Store | undefined;
try {
  store = await Store.open({ clock });
  await runTask(store, runId, interrupt.signal);
} catch (error) {
  console.error(interrupt.signal.aborted ? "interrupted" : String(error));
  const mayPass = error instanceof LoopmemError && error.retryable;
  process.exitCode = interrupt.signal.aborted ? 130 : mayPass ? 75 : 1; // 75: the same command may succeed later
} finally {
  store?.close();
}
