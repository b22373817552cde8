// Params to JSON text, without dropping or altering what JSON cannot tell.

import { types } from "node:util";

import { LoopmemError } from "./error.cjs";
import { ValidationError } from "./generated/errors.cjs";

/** `params` as JSON text. What JSON cannot tell is refused: members that are undefined are absent, and nothing else is. */
export function stringify(operation: string, params: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(params, function (this: unknown, key, value: unknown) {
      const fault = unfit(value, this, key);
      if (fault !== undefined) throw invalid(`${key}: ${fault}, which JSON cannot tell`, operation);
      return value;
    });
  } catch (cause) {
    if (cause instanceof LoopmemError) throw cause;
    throw invalid("the params are no JSON: they hold themselves, or cannot be read", operation);
  }
  if (text === undefined) throw invalid("the params are no JSON value", operation);
  return text;
}

/** The error for a value that a host passed; its class tells the host what to mend. */
export function invalid(message: string, operation?: string): ValidationError {
  return new ValidationError({ code: "ValidationError", message, operation, retryable: false });
}

/** What is wrong with `value`, the member `key` of `holder`, after its `toJSON`. */
function unfit(value: unknown, holder: unknown, key: string): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "undefined":
      return Array.isArray(holder) ? "an undefined item" : undefined;
    case "function":
    case "symbol":
    case "bigint":
      return `a ${typeof value}`;
    case "object":
      if (value === null) return isInvalidDate(holder, key) ? "an invalid Date" : undefined;
      return isPlain(value) ? undefined : `a ${nameOf(value)}`;
    default:
      return undefined;
  }
}

/** Whether null stands where a date was that is none. */
function isInvalidDate(holder: unknown, key: string): boolean {
  const original: unknown = (holder as Record<string, unknown>)[key];
  return types.isDate(original) && Number.isNaN(original.getTime());
}

/** Whether all of it is in its items or members: an array, or an object of no class, of any realm. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === "function" ? constructor.name : "object of a class";
}
