// Offsets into a text: UTF-8 bytes in the method table, UTF-16 units in a string of JavaScript.

/** The text that a host passed, as it is before the call; the empty one for what is refused anyway. */
export function textOf<K extends string>(params: Readonly<Record<K, string>> | null | undefined, key: K): string {
  try {
    const text: unknown = params?.[key];
    return typeof text === "string" ? text : "";
  } catch {
    // A member that cannot be read is for the call to refuse.
    return "";
  }
}

/** Turns the offsets under `keys` of each item, in the order of the text, from bytes into units of `text`. */
export function inUnits<K extends string>(text: string, items: Record<K, number>[], keys: readonly K[]): void {
  if (items.length === 0) return;
  const bytes = Buffer.from(text, "utf8");
  // Of ASCII each byte is a unit.
  if (bytes.length === text.length) return;
  let byte = 0;
  let unit = 0;
  for (const item of items) {
    for (const key of keys) {
      const offset: number = item[key];
      unit += bytes.toString("utf8", byte, offset).length;
      byte = offset;
      (item as Record<string, number>)[key] = unit;
    }
  }
}
