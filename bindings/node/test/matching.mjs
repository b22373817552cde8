// Replacing names in a conformance case, and matching what came back: see tests/conformance/README.md.

/** `text` with every `${name}` replaced. */
export function replaced(text, names) {
  return text.replace(/\$\{(\w+)\}/g, (whole, name) => names[name] ?? whole);
}

/** `value` with names, `$repeat` and `$join` replaced. */
export function expand(value, names) {
  if (typeof value === "string") return replaced(value, names);
  if (Array.isArray(value)) return value.map((item) => expand(item, names));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value.$repeat)) return value.$repeat[0].repeat(value.$repeat[1]);
  if (Array.isArray(value.$join)) return value.$join.join("");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [replaced(key, names), expand(inner, names)]));
}

/** How an error's JSON differs from a case's `fails`, a code or an object to match; undefined if it matches. */
export function fault(expected, error, names) {
  return mismatch(typeof expected === "string" ? { code: expected, "...": true } : expected, error, names);
}

const kinds = {
  string: /^/,
  sha256: /^[0-9a-f]{64}$/,
  commit: /^[0-9a-f]{40}$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** How `found` differs from `expected`; undefined if it matches. */
export function mismatch(expected, found, names) {
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length)
      return `expected ${expected.length} items, got ${JSON.stringify(found)}`;
    return first(expected.map((item, index) => prefixed(`[${index}]`, mismatch(item, found[index], names))));
  }
  if (expected !== null && typeof expected === "object") {
    if (expected.$a === "count") return Number.isSafeInteger(found) && found >= 0 ? undefined : `${found} is no count`;
    if (expected.$a !== undefined)
      return typeof found === "string" && kinds[expected.$a].test(found) ? undefined : `${found} is no ${expected.$a}`;
    if (expected.$holds !== undefined) {
      const holds = typeof found === "string" && found.includes(replaced(expected.$holds, names));
      return holds ? undefined : `${JSON.stringify(found)} does not hold ${expected.$holds}`;
    }
    if (found === null || typeof found !== "object") return `expected an object, got ${JSON.stringify(found)}`;
    const extra = Object.keys(found).find((key) => expected["..."] === undefined && !(key in expected));
    if (extra !== undefined) return `.${extra} is there and should not be`;
    const keys = Object.keys(expected).filter((key) => key !== "...");
    return first(
      keys.map((key) =>
        key in found ? prefixed(`.${key}`, mismatch(expected[key], found[key], names)) : `.${key} is missing`,
      ),
    );
  }
  const plain = expand(expected, names);
  return Object.is(plain, found) ? undefined : `: expected ${JSON.stringify(plain)}, got ${JSON.stringify(found)}`;
}

const first = (faults) => faults.find((fault) => fault !== undefined);
const prefixed = (place, fault) => (fault === undefined ? undefined : place + fault);
