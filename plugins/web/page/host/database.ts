/** Name of this page's IndexedDB database. Only pages of the same origin can open it. */
const NAME = "scorel";
/** To be increased when the stored form changes. All older data is then removed. */
const VERSION = 1;
/** Milliseconds within which the browser has to answer. Some never do, and nothing should wait for stored data. */
const LIMIT_MS = 1_000;

export const TEXTS = "texts";
export const ENTRIES = "entries";

/** What is known about a stored text without reading it. */
export interface Entry {
  key: string;
  /** Time of writing, in milliseconds since 1970. */
  at: number;
  characters: number;
}

type Stores = Record<typeof TEXTS | typeof ENTRIES, IDBObjectStore>;

/** Two object stores: strings by key, and an entry for each. If it cannot be opened, this page does not try again. */
export class Database {
  private opening: Promise<IDBDatabase> | undefined;

  /** Makes requests in one transaction. Resolves with their results when everything is stored. */
  async within(mode: IDBTransactionMode, ask: (stores: Stores) => IDBRequest[]): Promise<unknown[]> {
    this.opening ??= inTime(this.open());
    const database = await this.opening;
    const transaction = database.transaction([TEXTS, ENTRIES], mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser has kept nothing."));
    });
    // If `ask` throws, that error is reported, and not this one.
    done.catch(() => {});
    const asked = ask({ texts: transaction.objectStore(TEXTS), entries: transaction.objectStore(ENTRIES) });
    await inTime(done);
    return asked.map(({ result }) => result);
  }

  private async open(): Promise<IDBDatabase> {
    const found = await opened();
    const database = isOwn(found) ? found : await again(found);
    // A newer page wants to upgrade the database, or it is being deleted. The next use opens it again.
    database.onversionchange = () => {
      database.close();
      this.opening = undefined;
    };
    database.onclose = () => {
      this.opening = undefined;
    };
    return database;
  }
}

/** Replaces a database of the same name that was not made by this page. */
async function again(foreign: IDBDatabase): Promise<IDBDatabase> {
  foreign.close();
  await settled(indexedDB.deleteDatabase(NAME));
  return opened();
}

function isOwn({ objectStoreNames }: IDBDatabase): boolean {
  return objectStoreNames.contains(TEXTS) && objectStoreNames.contains(ENTRIES);
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    const database = request.result;
    for (const name of [...database.objectStoreNames]) database.deleteObjectStore(name);
    database.createObjectStore(TEXTS);
    database.createObjectStore(ENTRIES, { keyPath: "key" });
  };
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves like `work`. Rejects if the browser does not answer within `ms` milliseconds. */
export function inTime<T>(work: Promise<T>, ms = LIMIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("The browser does not answer.")), ms);
    work.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}
