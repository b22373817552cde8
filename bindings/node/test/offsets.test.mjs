// Positions of secrets: bytes in the method table, UTF-16 units in the typed methods, whatever precedes them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Store, ValidationError } from "loopmem";

import { folder } from "./fixtures.mjs";

const patterns = ["CORP-[0-9]+"];
// One, two, three and four bytes; one unit and two; characters that are made of several.
const fronts = [
  "",
  "plain ",
  "é",
  "日本語 ",
  "😀",
  "👨‍👩‍👧 e\u0301 ",
  "\ufeff",
  "\u{10ffff}\uffff",
  "é😀\n".repeat(40_000),
];

test("a finding is a slice of the string that was passed", async () => {
  const store = await Store.open({ home: folder() });
  for (const front of fronts) {
    const text = `${front}CORP-1${front} 😀CORP-22日`;
    const { findings } = await store.safety.redact({ text, patterns });
    for (const found of [
      findings,
      store.safety.redactSync({ text, patterns }).findings,
      await store.safety.scan({ text, patterns }),
      store.safety.scanSync({ text, patterns }),
    ]) {
      assert.deepEqual(
        found.map(({ start, end }) => text.slice(start, end)),
        ["CORP-1", "CORP-22"],
      );
      assert.deepEqual(
        found.map(({ rule, tag }) => [rule, /^[0-9a-f]{10}$/.test(tag)]),
        [
          ["custom-pattern", true],
          ["custom-pattern", true],
        ],
      );
    }
  }
});

test("the text with its findings cut out is the text that was redacted", async () => {
  const store = await Store.open({ home: folder() });
  const text = fronts.join("CORP-7 ");
  const redacted = await store.safety.redact({ text, patterns });
  let rebuilt = "";
  let copied = 0;
  for (const { rule, start, end, tag } of redacted.findings) {
    rebuilt += `${text.slice(copied, start)}[REDACTED:${rule}:${tag}]`;
    copied = end;
  }
  assert.equal(redacted.findings.length, fronts.length - 1);
  assert.equal(rebuilt + text.slice(copied), redacted.text);
});

test("a call by name returns byte offsets", async () => {
  const store = await Store.open({ home: folder() });
  const params = { text: "é😀 CORP-1", patterns };
  const place = ({ start, end }) => [start, end];
  assert.deepEqual((await store.call("safety.scan", params)).map(place), [[7, 13]]);
  assert.deepEqual(store.callSync("safety.redact", params).findings.map(place), [[7, 13]]);
  assert.deepEqual((await store.safety.scan(params)).map(place), [[4, 10]]);
});

test("the host may change the params as soon as the call was made", async () => {
  const store = await Store.open({ home: folder() });
  const params = { text: "😀 CORP-1", patterns: [...patterns] };
  const scanned = store.safety.scan(params);
  params.text = "something else";
  params.patterns.length = 0;
  assert.deepEqual(
    (await scanned).map(({ start, end }) => [start, end]),
    [[3, 9]],
  );
});

test("params that are not text are refused as in every language", async () => {
  const store = await Store.open({ home: folder() });
  const unreadable = {
    get text() {
      throw new Error("no");
    },
  };
  for (const params of [
    undefined,
    null,
    5,
    "x",
    [],
    {},
    { text: 5 },
    { text: null },
    { text: "\ud800 CORP-1" },
    { text: "a\0b" },
    { text: new String("x") },
    unreadable,
    { text: "x", patterns: "x" },
  ]) {
    await assert.rejects(store.safety.redact(params), ValidationError);
    await assert.rejects(store.safety.scan(params), ValidationError);
    assert.throws(() => store.safety.redactSync(params), ValidationError);
    assert.throws(() => store.safety.scanSync(params), ValidationError);
  }
  await assert.rejects(store.safety.scan({ text: "x", patterns: ["fine", "(hunter22"] }), (error) => {
    assert.deepEqual(
      [error.operation, error.message],
      ["safety.scan", "safety.scan: patterns[1] is not a valid regular expression; fix or remove it"],
    );
    return error instanceof ValidationError;
  });
});

test("every rule is listed with its kind", async () => {
  const store = await Store.open({ home: folder(), redactionPatterns: patterns });
  const rules = await store.safety.rules();
  assert.deepEqual(store.safety.rulesSync(), rules);
  assert.ok(rules.some(({ id, kind }) => id === "keyed-value" && kind === "keyed"));
  assert.ok(rules.some(({ id, kind }) => id === "custom-pattern" && kind === "custom"));
  assert.ok(rules.every(({ description }) => description.length > 0));
});
