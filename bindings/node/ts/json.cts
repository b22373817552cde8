// Params to JSON text, without dropping or altering what JSON cannot tell.

import { types } from "node:util";

import { native } from "./native.cjs";
import { invalid, type Scrubber } from "./refusal.cjs";

/** The longest key that an error repeats, in bytes: a longer one is no slip of the pen, and might be anything. */
const SHOWN_KEY_BYTES = 40;
/** No method takes what is nested deeper, and no walk here goes further. */
const MOST_LEVELS = 128;
/** Thrown to end `JSON.stringify`; no caller sees it. */
const UNFIT = new Error("unfit");

/** `params` as JSON text. What JSON cannot tell is refused; `scrubber` takes secrets out of the error. */
export function stringify(operation: string, params: unknown, scrubber?: Scrubber): string {
  const { text, fault } = toJson(params, "the params");
  if (fault !== undefined) throw invalid(fault, operation, scrubber);
  return text;
}

/**
 * `value` as JSON text, or what of it JSON cannot tell, and where; `whole` is what all of it is called. Members that are
 * undefined are absent, and nothing else is.
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
    // Only what is refused is walked a second time, to tell where.
    return { fault: complaint(value, whole) };
  }
  return text === undefined ? { fault: `${whole}: no JSON value` } : { text };
}

/** The first place in `value` that JSON cannot tell, in the order of `JSON.stringify`, and what is there. */
function complaint(value: unknown, whole: string): string {
  const path: (string | number)[] = [];
  const above = new Set<unknown>();
  let isTooDeep = false;
  const search = (holder: object, key: string | number): string | undefined => {
    const value = asTold(holder, key);
    const fault = unfit(value, holder, key);
    if (fault !== undefined) return `${fault}, which JSON cannot tell`;
    if (typeof value !== "object" || value === null) return undefined;
    if (above.has(value)) return "holds itself";
    if (above.size === MOST_LEVELS) {
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
  // A getter or a `toJSON` that throws leaves the path to it behind.
  let fault: string | undefined;
  try {
    fault = search({ "": value }, "");
  } catch {}
  return isTooDeep ? native.TOO_DEEP : `${placeOf(path, whole)}: ${fault ?? "cannot be read"}`;
}

/** `convention.tags[0]`; a key that is too long to be told is `…`. */
function placeOf(path: readonly (string | number)[], whole: string): string {
  if (path.length === 0) return whole;
  const shown = (key: string) => (Buffer.byteLength(key) <= SHOWN_KEY_BYTES ? key : "…");
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${shown(step)}`));
  return steps.join("").replace(/^\./, "");
}

/** The member `key` of `holder` as `JSON.stringify` sees it: what its `toJSON` tells. */
function asTold(holder: object, key: string | number): unknown {
  const value: unknown = (holder as Record<string, unknown>)[key];
  const toJSON: unknown = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  const isAsked = typeof toJSON === "function" && ["object", "function", "bigint"].includes(typeof value);
  return isAsked ? toJSON.call(value, String(key)) : value;
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
      // A Buffer tells its bytes as an object.
      return original !== value && isBytes(original) ? "bytes" : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether `value` is a date that is none: it tells null. */
function isInvalidDate(value: unknown): boolean {
  return types.isDate(value) && Number.isNaN(value.getTime());
}

function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);
}

/** Whether all of it is in its items or members: an array, or an object of no class, of any realm. */
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
