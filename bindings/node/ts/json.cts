// Encodes params as JSON. A value that JSON cannot represent is an error; it is never dropped or altered.

import { types } from "node:util";

import { native } from "./native.cjs";
import { invalid, type Scrubber } from "./refusal.cjs";

/** The longest key that an error repeats, in bytes: a longer one is hardly a typo and may contain anything. */
const SHOWN_KEY_BYTES = 40;
/** The maximum depth of nesting: no method accepts more, and no walk in this file goes deeper. */
const MAX_DEPTH = 128;
/** Thrown to end `JSON.stringify`; no caller sees it. */
const UNFIT = new Error("unfit");

/** `params` as JSON. Throws if JSON cannot represent them; `scrubber` removes secrets from the error. */
export function stringify(operation: string, params: unknown, scrubber?: Scrubber): string {
  const { text, fault } = toJson(params, "the params");
  if (fault !== undefined) throw invalid(fault, operation, scrubber);
  return text;
}

/**
 * `value` as JSON, or a description of what JSON cannot represent, with its path; `whole` names the value itself.
 * Undefined members are omitted, and nothing else is.
 */
export function toJson(
  value: unknown,
  whole: string,
): { text: string; fault?: undefined } | { text?: undefined; fault: string } {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, function (this: unknown, key, value: unknown) {
      if (unfit(value, this, key) !== undefined) throw UNFIT;
      return value;
    });
  } catch {
    // A second walk finds the path; valid values need only one.
    return { fault: complaint(value, whole) };
  }
  return text === undefined ? { fault: `${whole}: not a JSON value` } : { text };
}

/** The path and kind of the first value that JSON cannot represent, in the order of `JSON.stringify`. */
function complaint(value: unknown, whole: string): string {
  const path: (string | number)[] = [];
  const above = new Set<unknown>();
  let isTooDeep = false;
  const search = (holder: object, key: string | number): string | undefined => {
    const value = converted(holder, key);
    const fault = unfit(value, holder, key);
    if (fault !== undefined) return `${fault}, which JSON cannot represent`;
    if (typeof value !== "object" || value === null) return undefined;
    if (above.has(value)) return "contains itself";
    if (above.size === MAX_DEPTH) {
      isTooDeep = true;
      return native.TOO_DEEP;
    }
    above.add(value);
    for (const inner of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      path.push(inner);
      const found = search(value, inner);
      if (found !== undefined) return found;
      path.pop();
    }
    above.delete(value);
    return undefined;
  };
  // If a getter or a `toJSON` throws, `path` leads to it.
  let fault: string | undefined;
  try {
    fault = search({ "": value }, "");
  } catch {}
  return isTooDeep ? native.TOO_DEEP : `${placeOf(path, whole)}: ${fault ?? "cannot be read"}`;
}

/** `convention.tags[0]`; a key that is too long to repeat is shown as `…`. */
function placeOf(path: readonly (string | number)[], whole: string): string {
  if (path.length === 0) return whole;
  const shown = (key: string) => (Buffer.byteLength(key) <= SHOWN_KEY_BYTES ? key : "…");
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${shown(step)}`));
  return steps.join("").replace(/^\./, "");
}

/** The member `key` of `holder` as `JSON.stringify` sees it: after its `toJSON`. */
function converted(holder: object, key: string | number): unknown {
  const value: unknown = (holder as Record<string, unknown>)[key];
  const toJSON: unknown = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  const hasToJSON = typeof toJSON === "function" && ["object", "function", "bigint"].includes(typeof value);
  return hasToJSON ? toJSON.call(value, String(key)) : value;
}

/** What is wrong with `value`, the member `key` of `holder`, after its `toJSON`. */
function unfit(value: unknown, holder: unknown, key: string | number): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "undefined":
      return Array.isArray(holder) ? "an undefined item" : undefined;
    case "bigint":
      return "a BigInt";
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    case "object": {
      const original: unknown = (holder as Record<string, unknown>)[key];
      if (value === null) return isInvalidDate(original) ? "an invalid Date" : undefined;
      if (!isPlain(value)) return isBytes(value) ? "bytes" : nameOf(value);
      // The `toJSON` of a Buffer returns an object.
      return original !== value && isBytes(original) ? "bytes" : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether `value` is an invalid date, whose `toJSON` returns null. */
function isInvalidDate(value: unknown): boolean {
  return types.isDate(value) && Number.isNaN(value.getTime());
}

function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);
}

/** Whether `value` is an array or a plain object, of any realm. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** `a Map`, `an Error`. */
function nameOf(value: object): string {
  const constructor: unknown = value.constructor;
  const name = typeof constructor === "function" ? constructor.name : "";
  if (name === "" || Buffer.byteLength(name) > SHOWN_KEY_BYTES) return "an object of a class";
  return /^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`;
}
