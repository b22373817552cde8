// The plain functions, on the store of the process. Each test runs programs with separate homes, folders and
// environments, since a process has only one such store.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import * as loopmem from "loopmem";

import { folder, repoHash } from "./fixtures.mjs";

const free = [
  "getRepoMemory",
  "upsertConvention",
  "upsertDecision",
  "upsertNote",
  "appendSummary",
  "buildContextFromMemory",
];
const prelude = `
  import assert from "node:assert/strict";
  import { Store, IOError, ValidationError, ${free.join(", ")} } from "loopmem";
  const repoHash = "${repoHash}", runId = "run-1", stepId = "step-1";`;

/** Runs a program with exactly this environment; its assertions are part of the test. */
function play(text, environment) {
  const cwd = new URL("..", import.meta.url);
  execFileSync(process.execPath, ["--input-type=module", "--eval", prelude + text], {
    cwd,
    env: environment,
    stdio: "inherit",
  });
}

test("the example of the specification works unchanged", () => {
  const home = folder();
  play(
    `process.chdir(process.env.HOME);
     {
       const { repoHash } = await Store.openSync().repo.identify();

       const memory = await getRepoMemory(repoHash);
       const updated = await upsertConvention(repoHash, {
         title: "Use pnpm workspaces",
         content: "All packages live under packages/ with NodeNext ESM.",
       });
       await appendSummary(runId, stepId, "Added MCP tool caching.");
       const context = await buildContextFromMemory(repoHash, 8_000);

       assert.deepEqual(memory, { conventions: [], decisions: [], notes: [], summaries: [] });
       const { conventions, summaries } = await getRepoMemory(repoHash);
       assert.deepEqual(conventions, [updated]);
       assert.deepEqual([summaries[0].runId, summaries[0].stepId], [runId, stepId]);
       for (const text of [updated.title, updated.content, summaries[0].summary]) assert(context.includes(text), context);
     }`,
    { HOME: home },
  );
  assert.deepEqual(readdirSync(home), [".codex-toolloop"]);
});

test("the environment selects the home, and appending a summary returns nothing", () => {
  const [home, elsewhere] = [folder(), folder()];
  play(`assert.equal(await appendSummary(runId, stepId, "Done."), undefined);`, {
    HOME: elsewhere,
    CODEX_TOOLLOOP_HOME: home,
  });
  assert.deepEqual([readdirSync(home), readdirSync(elsewhere)], [["README.md", "repos"], []]);
});

test("decisions and notes are stored, and a returned record can be stored again", () => {
  play(
    `await upsertDecision(repoHash, { summary: "Use JSONL", rationale: "Appends are cheap.", impactedPaths: ["src/"] });
     await upsertNote(repoHash, { content: "CI is slow on Mondays.", source: "manual" });
     await upsertConvention(repoHash, { title: "t", content: "c", extra: { priority: 1 } });
     const { conventions: [convention], decisions: [decision], notes: [note] } = await getRepoMemory(repoHash);
     assert.deepEqual([convention.priority, decision.impactedPaths, note.source], [1, ["src/"], "manual"]);
     assert.equal((await upsertConvention(repoHash, { ...convention, title: "u" })).createdAt, convention.createdAt);
     assert.equal((await upsertDecision(repoHash, decision)).id, decision.id);
     assert.equal((await upsertNote(repoHash, note)).id, note.id);
     assert.equal((await getRepoMemory(repoHash)).conventions.length, 1);`,
    { CODEX_TOOLLOOP_HOME: folder() },
  );
});

test("a call can select the branch scope and the folder", () => {
  const [home, repository] = [folder(), folder()];
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], { cwd: repository });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  play(
    `process.chdir(${JSON.stringify(repository)});
     const store = Store.openSync();
     const branch = store.repo.identifySync(), shared = store.repo.identifySync({ branchScope: "sharedRepo" });
     assert.notEqual(branch.repoHash, shared.repoHash);
     await appendSummary(runId, "branch", "Done.");
     await appendSummary(runId, "shared", "Done.", { branchScope: "sharedRepo" });
     process.chdir("/");
     await appendSummary(runId, "elsewhere", "Done.", { branchScope: "sharedRepo", workspace: ${JSON.stringify(repository)} });
     const steps = async (repoHash, options) => (await getRepoMemory(repoHash, options)).summaries.map((it) => it.stepId);
     assert.deepEqual(await steps(branch.repoHash), ["branch"]);
     assert.deepEqual(await steps(shared.repoHash), ["elsewhere", "shared"]);
     const options = { branchScope: "sharedRepo" };
     await assert.rejects(getRepoMemory(shared.repoHash, options), ValidationError);
     await assert.rejects(upsertConvention(repoHash, { title: "t", content: "c" }, options), ValidationError);
     await assert.rejects(upsertDecision(repoHash, { summary: "s", rationale: "r" }, options), ValidationError);
     await assert.rejects(upsertNote(repoHash, { content: "n" }, options), ValidationError);
     await assert.rejects(buildContextFromMemory(repoHash, 900, options), ValidationError);
     for (const options of ["sharedRepo", { branchScope: "all" }, { branch: "main" }]) {
       await assert.rejects(appendSummary(runId, stepId, "s", options), ValidationError);
       await assert.rejects(getRepoMemory(repoHash, options), ValidationError);
     }`,
    { CODEX_TOOLLOOP_HOME: home, PATH: process.env.PATH },
  );
});

test("a store that could not be opened is opened by a later call", () => {
  const home = folder();
  writeFileSync(join(home, "file"), "");
  play(
    `const { HOME: home } = process.env;
     for (let time = 0; time < 2; time++) await assert.rejects(getRepoMemory(repoHash), IOError);
     process.env.CODEX_TOOLLOOP_HOME = home;
     process.env.MEMORY_BRANCH_SCOPE = "all";
     await assert.rejects(getRepoMemory(repoHash), ValidationError);
     process.env.MEMORY_BRANCH_SCOPE = "sharedRepo";
     await upsertNote(repoHash, { content: "n" });
     // From here on it is open, and the environment no longer matters.
     process.env.MEMORY_BRANCH_SCOPE = "all";
     assert.equal((await getRepoMemory(repoHash)).notes.length, 1);`,
    { HOME: home, CODEX_TOOLLOOP_HOME: join(home, "file", "home") },
  );
});

test("calls that are not awaited keep their order and their arguments, including the first", () => {
  const home = folder();
  play(
    `const draft = { id: "c", title: "first", content: "c" };
     const calls = [upsertConvention(repoHash, draft)];
     draft.title = "second";
     for (let step = 0; step < 20; step++) calls.push(appendSummary(runId, String(step), "s"));
     assert.equal((await Promise.all(calls))[0].title, "first");`,
    { CODEX_TOOLLOOP_HOME: home },
  );
  const [written] = readdirSync(join(home, "repos")).filter((name) => name !== repoHash);
  const lines = readFileSync(join(home, "repos", written, "summaries.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  assert.deepEqual(
    lines.map((line) => Number(JSON.parse(line).stepId)),
    Array.from({ length: 20 }, (_, step) => step),
  );
});

test("missing and invalid arguments are refused with our own error, and never default to the current folder", () => {
  play(
    `for (const call of [
       () => getRepoMemory(), () => getRepoMemory(null), () => getRepoMemory("x"), () => upsertConvention(undefined, { title: "t", content: "c" }),
       () => upsertDecision(null, { summary: "s", rationale: "r" }), () => upsertNote(5, { content: "n" }), () => upsertNote(repoHash),
       () => upsertConvention(repoHash, { content: "c" }), () => upsertConvention(repoHash, { title: " ", content: "c" }),
       () => buildContextFromMemory(undefined, 8_000), () => buildContextFromMemory(repoHash, -1),
       () => appendSummary(runId, stepId), () => appendSummary(runId, stepId, ""), () => appendSummary(runId, stepId, "x".repeat(65_537)),
     ]) await assert.rejects(call(), ValidationError, String(call));`,
    { HOME: folder() },
  );
});

test("ES modules and CommonJS have the same functions, and so the same store", () => {
  const required = createRequire(import.meta.url)("loopmem");
  for (const name of free) assert.equal(required[name], loopmem[name], name);
});
