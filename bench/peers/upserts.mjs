// Sequential upserts from Node with one peer: upserts PEER FOLDER NAME IDS COUNT TEXT.
//
// The ids cycle from NAME-00000 to IDS. At the end, it prints the ids of acknowledged upserts.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const [peer, folder, name, ids, count, text] = process.argv.slice(2);
const repoHash = "b".repeat(64);
/** scripts/bench installs the peers there. */
const require = createRequire(new URL("../../target/peers/package.json", import.meta.url));

const peers = {
  async loopmem() {
    const { Store } = await import("../../bindings/node/index.mjs");
    const store = Store.openSync({ home: folder, lockTimeoutMs: 60_000 });
    return ({ id, title, content, tags }) => store.memory.upsertConvention({ repoHash, convention: { id, title, content, tags } });
  },

  /** As people write it: a lock, the whole document read and written, a rename. */
  async "write-file-atomic"() {
    const { lock } = require("proper-lockfile");
    const writeFileAtomic = require("write-file-atomic");
    const path = join(folder, "repos", repoHash, "memory.json");
    return async (record) => {
      const release = await lock(path, { retries: { retries: 10_000, minTimeout: 1, maxTimeout: 50 } });
      try {
        const document = JSON.parse(await readFile(path, "utf8"));
        const at = document.conventions.findIndex((it) => it.id === record.id);
        document.conventions.splice(at < 0 ? document.conventions.length : at, 1, record);
        await writeFileAtomic(path, JSON.stringify(document));
      } finally {
        await release();
      }
    };
  },

  async "better-sqlite3"() {
    const Database = require("better-sqlite3");
    const database = new Database(join(folder, "memory.db"), { timeout: 60_000 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    const upsert = database.prepare("INSERT INTO record VALUES (?, ?) ON CONFLICT DO UPDATE SET json = excluded.json");
    return (record) => upsert.run(record.id, JSON.stringify(record));
  },

  /** The graph of the reference memory server, without its protocol. It has no upsert: it creates, and deletes again. */
  async "server-memory"() {
    const { KnowledgeGraphManager } = await import(require.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
    const graph = new KnowledgeGraphManager(join(folder, "memory.jsonl"));
    const created = new Set();
    return (record) => {
      if (created.delete(record.id)) return graph.deleteEntities([record.id]);
      created.add(record.id);
      return graph.createEntities([{ name: record.id, entityType: record.title, observations: [record.content] }]);
    };
  },
};

const upsert = await peers[peer]();
const acknowledged = [];
for (let n = 0; n < Number(count); n++) {
  const number = (it) => String(it).padStart(5, "0");
  const now = new Date().toISOString();
  const record = { id: `${name}-${number(n % Number(ids))}`, title: "Use pnpm workspaces", content: `${number(n)} ${text}`, tags: ["tooling", "packages"], createdAt: now, updatedAt: now };
  await upsert(record);
  acknowledged.push(record.id);
}
process.stdout.write(acknowledged.map((id) => `${id}\n`).join(""), () => process.exit(0));
