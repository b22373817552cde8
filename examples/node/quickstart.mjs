// loopmem from Node: remember something about the repository of the current folder, then pack it for a prompt.
//
//     node quickstart.mjs [HOME]     HOME: default ~/.codex-toolloop

import { Store } from "loopmem";

const store = await Store.open({ home: process.argv[2] });
const { repoHash } = await store.repo.identify();
await store.memory.upsertConvention({
  repoHash,
  convention: { id: "node", title: "Packages", content: "All packages live under packages/.", tags: ["layout"] },
});
await store.summary.append({
  repoHash,
  runId: "quickstart",
  stepId: "node",
  summary: "Stored a convention from Node.",
});
const { text } = await store.context.build({ repoHash, maxChars: 8_000 });
console.log(text);
