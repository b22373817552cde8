// A worker that makes memory of past sessions: it finds them, claims those that are due, asks a model, and consolidates the
// answers. Everything is in a temporary folder; the session is a tiny one of yesterday.
//
//     node rollouts.mjs

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LeaseLost, Store } from "loopmem";

const model = fileURLToPath(new URL("rollouts-model.mjs", import.meta.url));
const workerId = `example-${process.pid}`;
const heartbeatMs = 30_000;
// The only files that the model may write. It was shown what others wrote, so its answer is not trusted.
const writable = /^(MEMORY\.md|memory_summary\.md|skills\/[A-Za-z0-9_-]+\/SKILL\.md)$/;

const folder = await mkdtemp(join(tmpdir(), "loopmem-rollouts-"));
const codexHome = join(folder, "codex");
try {
  await writeSession();
  const store = await Store.open({ home: join(folder, "home"), codexHome });
  await store.rollouts.scan({ kinds: ["codex"] });
  await extractAll(store);
  await store.rollouts.materialize();
  await consolidate(store);
  await showPack(store);
  store.close();
} finally {
  await rm(folder, { recursive: true });
}

/** A session of Codex that ended 24 hours ago; one that ended less than 12 hours ago would not be due. */
async function writeSession() {
  const id = "0199c2a4-7d10-7c11-a8a2-77ee6a0c2d3b";
  const timestamp = new Date(Date.now() - 24 * 3_600_000).toISOString();
  const message = (role, text) => ({ type: "message", role, content: [{ type: "text", text }] });
  const lines = [
    { type: "session_meta", payload: { id, cwd: folder, source: "cli", git: { branch: "main" } } },
    { type: "response_item", payload: message("user", "Why does make test fail?") },
    { type: "response_item", payload: message("assistant", "make test needs LC_ALL=C; with it, it passes.") },
  ];
  const file = join(codexHome, "sessions", `rollout-${id}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join(""));
}

/** Works on every session that is due, one at a time, so that none is claimed long before it is worked on. */
async function extractAll(store) {
  for (;;) {
    const { claims } = await store.rollouts.claimStage1({ workerId, limit: 1 });
    if (claims.length === 0) return;
    const { threadId, ownershipToken } = claims[0];
    const claim = { threadId, ownershipToken };
    const beat = (signal) => store.rollouts.heartbeat({ kind: "stage1", ...claim }, { signal });
    const work = async (signal) => {
      const input = await store.rollouts.input({ threadId }, { signal });
      const output = await ask({ threadId, ...input }, signal);
      await store.rollouts.completeStage1({ ...claim, output });
      console.log(`${threadId}: extracted`);
    };
    await whileClaimed(beat, work, (reason) => store.rollouts.failStage1({ ...claim, reason }));
  }
}

/** The files of an answer, redacted, by their paths; null stands for a file to remove. */
async function checked(store, answer, signal) {
  const files = new Map(Object.entries(JSON.parse(answer).files));
  for (const path of files.keys()) if (!writable.test(path)) throw new Error(`the model may not write ${path}`);
  for (const [path, text] of files) {
    if (text !== null) files.set(path, (await store.safety.redact({ text }, { signal })).text);
  }
  return files;
}

/** Merges what sessions left into the files that later sessions read, if there is anything new. */
async function consolidate(store) {
  const claim = await store.rollouts.claimConsolidation({ workerId });
  if (claim.outcome !== "claimed") return;
  const { ownershipToken } = claim;
  const beat = (signal) => store.rollouts.heartbeat({ kind: "consolidation", ownershipToken }, { signal });
  const work = async (signal) => {
    const files = await checked(store, await ask(claim, signal), signal);
    await beat(signal); // if another worker has taken over, the files are its own
    for (const [path, text] of files) {
      const file = join(codexHome, "memories", path);
      if (text === null) {
        await rm(file, { force: true });
        continue;
      }
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    // Any other file that has changed since the claim was edited by somebody else.
    const { dirty } = await store.rollouts.completeConsolidation({ ownershipToken, written: [...files.keys()] });
    console.log(`consolidated${dirty ? "; there is more to do" : ""}`);
  };
  await whileClaimed(beat, work, (reason) => store.rollouts.failConsolidation({ ownershipToken, reason }));
}

/** Runs `work` and renews its claim meanwhile. If the claim is lost, the work is dropped; if the work fails, `fail` is called. */
async function whileClaimed(beat, work, fail) {
  const abort = new AbortController();
  const lost = (error) => error instanceof LeaseLost || abort.signal.aborted;
  const timer = setInterval(() => {
    // Any other error may pass before the lease ends.
    beat(abort.signal).catch((error) => error instanceof LeaseLost && abort.abort(error));
  }, heartbeatMs);
  try {
    await work(abort.signal).catch((error) => {
      if (lost(error)) throw error;
      return fail(String(error));
    });
  } catch (error) {
    if (!lost(error)) throw error;
    console.error("another worker has taken over");
  } finally {
    clearInterval(timer);
  }
}

async function ask(question, signal) {
  const asked = promisify(execFile)(process.execPath, [model], { signal });
  asked.child.stdin.end(JSON.stringify(question));
  return (await asked).stdout;
}

/** What a later session gets to read, and which memories it cites: these count as used. */
async function showPack(store) {
  const { text } = await store.context.build({ maxChars: 4_000, prompt: "make test fails", sections: ["rollouts"] });
  console.log(`\n${text}`);
  const threadIds = [...text.matchAll(/\[thread:([^\]]+)\]/g)].map(([, id]) => id);
  await store.rollouts.recordUsage({ threadIds });
}
