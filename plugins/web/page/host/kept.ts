import type { CacheStore } from "@scorel/host/client";
import { Database, ENTRIES, type Entry, TEXTS } from "./database.ts";

/** What is kept at most: entries, characters of one and of all, and the milliseconds since the host has last said it. */
const LIMITS = { entries: 100, one: 2_000_000, all: 24_000_000, age: 14 * 24 * 60 * 60_000 };

/**
 * What this browser keeps of a host: texts by key. It is there to be shown before the host is heard, and while it is away, and nothing
 * depends on it: where the browser keeps nothing, has no room, or has lost it, its operations reject, or find nothing.
 */
export class Kept implements CacheStore {
  private readonly database = new Database();
  /** When the host has said what was read from here, in milliseconds since 1970. */
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

  /** When the host has said what was read with this key last. */
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

  /** Removes what is kept of one device. The keys of entries are JSON of lists that name it. */
  async forgetDevice(device: string): Promise<void> {
    const [keys] = await this.database.within("readonly", ({ entries }) => [entries.getAllKeys()]);
    const named = JSON.stringify(device);
    const isOfDevice = (key: unknown): key is string => typeof key === "string" && key.includes(named);
    const gone = Array.isArray(keys) ? keys.filter(isOfDevice) : [];
    await this.database.within("readwrite", ({ texts, entries }) =>
      gone.flatMap((key) => [texts.delete(key), entries.delete(key)]),
    );
  }

  /** Removes everything, and takes nothing more: what is still on its way here is not kept. */
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

  /** Removes the older half: other pages of this origin, or the disk, have left less room than there should be. */
  private async makeRoom(): Promise<void> {
    await this.database.within("readwrite", (stores) => {
      const counting = stores.entries.count();
      counting.onsuccess = () => dropSurplus(stores, { ...LIMITS, entries: Math.floor(counting.result / 2) });
      return [counting];
    });
  }
}

/** The keys of entries that have to go, so that those which are left are few, small and young enough: the oldest ones. */
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
