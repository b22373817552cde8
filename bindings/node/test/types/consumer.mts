// Compiled, never run: what a ESM host writes.
import { Store, ValidationError, type Convention, type ContextPack } from "loopmem";

export async function use(): Promise<string> {
  const store: Store = await Store.open({ home: "/tmp/x", branchScope: "sharedRepo" });
  const { repoHash } = await store.repo.identify();
  const stored: Convention = await store.memory.upsertConvention({ repoHash, convention: { title: "t", content: "c", extra: 1 } });
  const again: Convention = store.memory.upsertConventionSync({ repoHash, convention: stored });
  const pack: ContextPack = await store.call("context.build", { repoHash, maxChars: 8_000, sections: ["summaries"] });
  // @ts-expect-error: a section that does not exist
  await store.context.build({ repoHash, maxChars: 8_000, sections: ["nothing"] });
  // @ts-expect-error: maxChars is missing
  await store.context.build({ repoHash });
  const code: string = new ValidationError({ code: "ValidationError", message: "m", retryable: false }).code;
  return again.id + pack.text + code;
}
