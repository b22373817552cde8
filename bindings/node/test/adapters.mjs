// Adapters in typical styles.

/** The five required functions over a Map. */
export function mapAdapter(data = new Map()) {
  return {
    get: async (key) => data.get(key) ?? null,
    set: async (key, value) => {
      data.set(key, value);
    },
    del: async (key) => {
      data.delete(key);
    },
    push: async (key, item) => {
      data.set(key, [...(data.get(key) ?? []), item]);
    },
    getList: async (key) => data.get(key) ?? [],
  };
}

/** The same, with answers that arrive some turns of the event loop later. */
export function slowAdapter(data = new Map()) {
  let seed = 7;
  const later = async () => {
    seed = (seed * 16_807) % 2_147_483_647;
    for (let turns = seed % 4; turns > 0; turns--) await new Promise(setImmediate);
  };
  const slow =
    (call) =>
    async (...values) => {
      await later();
      const answer = await call(...values);
      await later();
      return answer;
    };
  return Object.fromEntries(Object.entries(mapAdapter(data)).map(([name, call]) => [name, slow(call)]));
}

/** All eight functions, as synchronous methods of a class. */
export class TextAdapter {
  #values = new Map();
  #lists = new Map();
  /** The calls that were made. */
  calls = [];

  #value(key) {
    return this.#values.get(key) ?? "null";
  }

  get(key) {
    this.calls.push("get");
    return JSON.parse(this.#value(key));
  }

  set(key, value) {
    this.calls.push("set");
    return this.#values.set(key, JSON.stringify(value));
  }

  del(key) {
    this.calls.push("del");
    return this.#values.delete(key) || this.#lists.delete(key);
  }

  push(key, item) {
    this.calls.push("push");
    this.#lists.set(key, [...(this.#lists.get(key) ?? []), JSON.stringify(item)]);
  }

  getList(key) {
    this.calls.push("getList");
    return this.#lists.get(key)?.map((text) => JSON.parse(text));
  }

  compareAndSet(key, expected, value) {
    this.calls.push("compareAndSet");
    if (this.#value(key) !== JSON.stringify(expected)) return false;
    this.#values.set(key, JSON.stringify(value));
    return true;
  }

  getRange(key, start) {
    this.calls.push("getRange");
    return this.#lists
      .get(key)
      ?.slice(start)
      .map((text) => JSON.parse(text));
  }

  listKeys(prefix) {
    this.calls.push("listKeys");
    return [...this.#values.keys(), ...this.#lists.keys()].filter((key) => key.startsWith(prefix));
  }
}
