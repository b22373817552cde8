// The official MCP client of TypeScript: stores notes through `loopmem mcp`, and prints the version of the protocol.
// mcp_client COMMAND VERSION NAME COUNT

import { createRequire } from "node:module";

const require = createRequire(new URL("../../bindings/node/package.json", import.meta.url));
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const [command, version, name, count] = process.argv.slice(2);
const mode = version === "2025-11-25" ? "legacy" : { pin: version };
const transport = new StdioClientTransport({ command, args: ["mcp"], env: process.env });
const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
for (let number = 0; number < Number(count); number++) {
  const result = await client.callTool({ name: "remember", arguments: { kind: "note", text: `${name} ${number}` } });
  if (result.isError) throw new Error(result.content[0].text);
}
console.log(client.getNegotiatedProtocolVersion());
await client.close();
