// Answers calls from Node, one per line, as `loopmem call --lines` does: caller OPTIONS.

import { createInterface } from "node:readline";
import { Store } from "../../bindings/node/index.mjs";

const store = await Store.open(JSON.parse(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  let answer;
  try {
    answer = { id, result: await store.call(method, params) };
  } catch (error) {
    answer = { id, error: { code: error.code, message: error.message } };
  }
  console.log(JSON.stringify(answer));
}
