// Compiled, never run: what a CommonJS host writes.
import { Store, ValidationError, type Convention, type ContextPack, type JsonValue, type RepoIdentity } from "loopmem";

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

  // By name: known methods are exact, and a name that is computed may be any.
  const identity: RepoIdentity = await store.call("repo.identify");
  const sync: RepoIdentity = store.callSync("repo.identify", { workspace: "." }, { timeoutMs: 5 });
  const any: JsonValue = await store.call(identity.repoHash, { any: ["thing"] });
  // @ts-expect-error: there is no such method
  await store.call("context.biuld", { maxChars: 8_000 });
  // @ts-expect-error: there is no such method
  store.callSync("repo.identfy");
  // @ts-expect-error: maxChars is a number
  await store.call("context.build", { repoHash, maxChars: "8" });
  // @ts-expect-error: the params are missing
  await store.call("context.build");
  // @ts-expect-error: maxChars is missing
  store.callSync("context.build", { repoHash });
  // @ts-expect-error: an unknown key
  await store.call("memory.get", { repoHash, nope: 1 });
  // @ts-expect-error: an unknown option
  await store.call("memory.get", { repoHash }, { timeout: 5 });
  // @ts-expect-error: a result of another type
  const other: ContextPack = await store.call("repo.identify");

  // A record has its known fields, and others that are JSON.
  const title: string = stored.title;
  const extra: JsonValue | undefined = stored["extra"];
  // @ts-expect-error: tags are texts
  const tags: number[] = stored.tags;
  // @ts-expect-error: a title is a text
  await store.memory.upsertConvention({ convention: { ...stored, title: 5 } });
  // @ts-expect-error: what a repository is has no other fields
  identity["extra"];
  console.log(sync, any, other, title, extra, tags);

  const error = new ValidationError({ code: "ValidationError", message: "m", retryable: false }, { cause: new Error("c") });
  const shape: JsonValue = error.toJSON();
  console.log(shape);
  const code: string = new ValidationError({ code: "ValidationError", message: "m", retryable: false }).code;
  return again.id + pack.text + code;
}
