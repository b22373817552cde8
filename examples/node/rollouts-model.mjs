// A stand-in for a model: reads one JSON object from standard input, as `rollouts.run` passes it, and prints the answer.
// A real one would send `prompt` and the rest to a model.

import { readFileSync } from "node:fs";

const question = JSON.parse(readFileSync(0, "utf8"));
const answer = "transcript" in question ? extract(question) : consolidate(question);
console.log(JSON.stringify(answer));

/** What is worth knowing of one session: here, the first request and the last answer. */
function extract({ transcript }) {
  const entries = transcript.split(/^--- /m);
  const under = (heading) => entries.filter((entry) => entry.startsWith(`${heading}\n`)).map((it) => textOf(it));
  const [task = ""] = under("user");
  const result = under("assistant, answer").at(-1) ?? "";
  // Both texts empty: there is nothing to remember.
  if (result === "") return { rollout_slug: null, rollout_summary: "", raw_memory: "" };
  return { rollout_slug: null, rollout_summary: `${task} ${result}`, raw_memory: `- ${result}` };
}

/** The text of an entry, on one line. */
function textOf(entry) {
  return entry.split("\n").slice(1).join(" ").trim();
}

/** The files that later sessions read. A real model would merge them with what is there, and keep what people changed. */
function consolidate({ inputs }) {
  const memory = inputs.map((it) => `${it.rawMemory} [thread:${it.threadId}]\n`);
  const summary = inputs.map((it) => `- ${it.rolloutSummary} [thread:${it.threadId}]\n`);
  return { files: { "MEMORY.md": `# Memory\n\n${memory.join("")}`, "memory_summary.md": summary.join("") } };
}
