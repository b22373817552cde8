// The command of the installed package, by `npx` as a person and a client of MCP start it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { installed, main, platform, Project, start, version } from "./project.mjs";
import { registry } from "./registry.mjs";

const project = await installed();

/** Starts an MCP server, and returns the names of its tools; it ends when its input does. */
async function handshake(running) {
  const { child, output, ended } = running;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const lines = output.stdout.split("\n").slice(0, -1);
        const found = lines.map((line) => JSON.parse(line)).find((message) => message.id === id);
        if (found !== undefined) resolve(found.result);
      };
      child.stdout.on("data", look);
      child.once("close", () => reject(new Error(`ended without an answer: ${output.stderr}`)));
      look();
    });
  const clientInfo = { name: "a client", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  const { serverInfo } = await answer(1);
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/list" });
  const { tools } = await answer(2);
  child.stdin.end();
  const { status, stderr } = await ended;
  assert.equal(status, 0, stderr);
  assert.deepEqual([serverInfo.name, serverInfo.version], ["loopmem", version]);
  return tools.map(({ name }) => name);
}

test("npx runs the command with its input, its output and its exit status", async () => {
  assert.equal(await project.succeeds("npx", "loopmem", "--version"), `loopmem ${version}\n`);
  const call = (method, params) =>
    project.start("npx", ["loopmem", "call", method], { input: JSON.stringify(params) }).ended;
  const repoHash = "a".repeat(64);
  const convention = { title: "t", content: "c" };
  const stored = await call("memory.upsertConvention", { repoHash, convention });
  assert.equal(stored.status, 0, stored.stderr);
  assert.equal(JSON.parse((await call("memory.get", { repoHash })).stdout).conventions[0].title, "t");
  const wrong = await call("memory.get", { repoHash: "x" });
  assert.deepEqual([wrong.status, wrong.stdout, JSON.parse(wrong.stderr).code], [2, "", "ValidationError"]);
  // It is not a repository.
  assert.equal((await project.run("npx", "loopmem", "undo", "nothing")).status, 1);
  assert.equal((await project.run("npx", "loopmem", "nonsense")).status, 2);
});

test("npx -y loopmem mcp serves a client of MCP", async () => {
  const tools = await handshake(project.start("npx", ["-y", "loopmem", "mcp"], { input: null }));
  assert(tools.includes("context") && tools.includes("remember"), tools.join());
});

test("npx -y loopmem mcp serves a client on a system where nothing is installed", async () => {
  const { url } = await registry(main, platform);
  const empty = new Project({ url });
  const tools = await handshake(empty.start("npx", ["-y", "loopmem", "mcp"], { input: null }));
  assert(tools.includes("context"), tools.join());
});

for (const [name, command] of [
  ["npx", ["npx", "loopmem"]],
  ["its path", ["node_modules/.bin/loopmem"]],
]) {
  test(`the configuration that install writes when it is started by ${name} starts the server`, async () => {
    const { url } = await registry(main, platform);
    const own = await installed({ url });
    await own.succeeds(...command, "install", "cursor", "--project");
    await own.succeeds(...command, "install", "cursor");
    const configurations = [own.read(".cursor/mcp.json"), own.readHome(".cursor/mcp.json")];
    for (const text of configurations) {
      const { command: program, args } = JSON.parse(text).mcpServers.loopmem;
      // For the project it is a name that must be on the PATH of each user; `npx` is.
      if (program === "loopmem") continue;
      // From another folder, as a client starts it.
      const other = new Project();
      const running = start(program, args, { cwd: other.root, env: own.env, input: null });
      assert((await handshake(running)).includes("context"));
    }
    assert(configurations.some((text) => JSON.parse(text).mcpServers.loopmem.command !== "loopmem"));
  });
}
