import type { CacheStore } from "@scorel/host/client";
import { Database, ENTRIES, type Entry, TEXTS } from "./database.ts";

/** Limits: number of entries, characters of one and of all, and milliseconds since the host sent an entry. */
const LIMITS = { entries: 100, one: 2_000_000, all: 24_000_000, age: 14 * 24 * 60 * 60_000 };

/**
 * What this browser stores of a host: strings by key. They are shown before the host answers, and while it cannot be reached. Nothing
 * depends on them: if the browser stores nothing, is full or has lost data, the methods reject or find nothing.
 */
export class Kept implements CacheStore {
  private readonly database = new Database();
  /** When the host sent the strings that were read, in milliseconds since 1970, by key. */
  private readonly times = new Map<string, number>();
  private isForgotten = false;

  async read(key: string): Promise<string | undefined> {
    const [text, entry] = await this.database.within("readonly", ({ texts, entries }) => [
      texts.get(key),
      entries.get(key),
    ]);
    if (typeof text !== "string" || !isEntry(entry) || isOld(entry)) return undefined;
    this.times.set(key, entry.at);
    return text;
  }

  /** When the host sent the string that was last read with this key, in milliseconds since 1970. */
  timeOf(key: string): number | undefined {
    return this.times.get(key);
  }

  async write(key: string, text: string): Promise<void> {
    if (text.length > LIMITS.one || this.isForgotten) return;
    const entry: Entry = { key, at: Date.now(), characters: text.length };
    try {
      await this.put(entry, text, LIMITS);
    } catch (thrown) {
      if ((thrown as Error).name !== "QuotaExceededError" || this.isForgotten) throw thrown;
      await this.makeRoom();
      await this.put(entry, text, LIMITS);
    }
  }

  async remove(key: string): Promise<void> {
    await this.database.within("readwrite", ({ texts, entries }) => [texts.delete(key), entries.delete(key)]);
  }

  /** Removes everything of one device. Keys are JSON of lists that contain the device. */
  async forgetDevice(device: string): Promise<void> {
    const [keys] = await this.database.within("readonly", ({ entries }) => [entries.getAllKeys()]);
    const named = JSON.stringify(device);
    const isOfDevice = (key: unknown): key is string => typeof key === "string" && key.includes(named);
    const gone = Array.isArray(keys) ? keys.filter(isOfDevice) : [];
    await this.database.within("readwrite", ({ texts, entries }) =>
      gone.flatMap((key) => [texts.delete(key), entries.delete(key)]),
    );
  }

  /** Removes everything. What is written afterwards is not stored. */
  async forget(): Promise<void> {
    this.isForgotten = true;
    await this.database.within("readwrite", ({ texts, entries }) => [texts.clear(), entries.clear()]);
  }

  private async put(entry: Entry, text: string, limits: typeof LIMITS): Promise<void> {
    await this.database.within("readwrite", (stores) => {
      stores[TEXTS].put(text, entry.key);
      stores[ENTRIES].put(entry);
      return [dropSurplus(stores, limits)];
    });
  }

  /** Removes the older half. Other pages of this origin, or the disk, have left less space than LIMITS allows. */
  private async makeRoom(): Promise<void> {
    await this.database.within("readwrite", (stores) => {
      const counting = stores.entries.count();
      counting.onsuccess = () => dropSurplus(stores, { ...LIMITS, entries: Math.floor(counting.result / 2) });
      return [counting];
    });
  }
}

/** Keys of the entries to remove, so that the rest is within the limits. The oldest are removed first. */
export function surplus(all: readonly unknown[], limits = LIMITS, now = Date.now()): IDBValidKey[] {
  let [count, characters] = [0, 0];
  const isTooMuch = (entry: Entry) => {
    count += 1;
    characters += entry.characters;
    return count > limits.entries || characters > limits.all || isOld(entry, limits.age, now);
  };
  const known = all.filter(isEntry).sort((a, b) => b.at - a.at);
  return known.filter(isTooMuch).map(({ key }) => key);
}

function dropSurplus({ texts, entries }: Record<"texts" | "entries", IDBObjectStore>, limits: typeof LIMITS) {
  const reading = entries.getAll();
  reading.onsuccess = () => {
    for (const key of surplus(reading.result, limits)) {
      texts.delete(key);
      entries.delete(key);
    }
  };
  return reading;
}

function isOld({ at }: Entry, age = LIMITS.age, now = Date.now()): boolean {
  return now - at > age;
}

function isEntry(value: unknown): value is Entry {
  const { key, at, characters } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return typeof key === "string" && Number.isFinite(at) && Number.isFinite(characters);
}
