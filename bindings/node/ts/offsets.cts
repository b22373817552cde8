// Offsets into a text: UTF-8 bytes in the method table, UTF-16 code units in JavaScript.

/** The text that the host passed, read before the call; empty if the params are invalid, which the call reports. */
export function textOf<K extends string>(params: Readonly<Record<K, string>> | null | undefined, key: K): string {
  try {
    const text: unknown = params?.[key];
    return typeof text === "string" ? text : "";
  } catch {
    // The call itself refuses a member that cannot be read.
    return "";
  }
}

/** Converts the offsets under `keys` of each item, which are in ascending order, from bytes to units of `text`. */
export function inUnits<K extends string>(text: string, items: Record<K, number>[], keys: readonly K[]): void {
  if (items.length === 0) return;
  const bytes = Buffer.from(text, "utf8");
  // All ASCII: every byte is one unit.
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
