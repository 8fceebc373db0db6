/** The database of this page in the browser, which only pages of the same origin can open. */
const NAME = "scorel";
/** Changes when what is kept has another form: everything of an earlier one is then removed. */
const VERSION = 1;
/** Milliseconds within which the browser has to answer. Some never do, and nobody should wait for what is kept. */
const LIMIT_MS = 1_000;

export const TEXTS = "texts";
export const ENTRIES = "entries";

/** What is known of a text without reading it. */
export interface Entry {
  key: string;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  characters: number;
}

type Stores = Record<typeof TEXTS | typeof ENTRIES, IDBObjectStore>;

/** Two stores of the browser: texts by key, and an entry for each. A browser that has once failed is not asked again by this page. */
export class Database {
  private opening: Promise<IDBDatabase> | undefined;

  /** Makes requests in one transaction, and resolves with their results when all of it is stored. */
  async within(mode: IDBTransactionMode, ask: (stores: Stores) => IDBRequest[]): Promise<unknown[]> {
    this.opening ??= inTime(this.open());
    const database = await this.opening;
    const transaction = database.transaction([TEXTS, ENTRIES], mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser has kept nothing."));
    });
    // What fails while it is being asked for is told by that.
    done.catch(() => {});
    const asked = ask({ texts: transaction.objectStore(TEXTS), entries: transaction.objectStore(ENTRIES) });
    await inTime(done);
    return asked.map(({ result }) => result);
  }

  private async open(): Promise<IDBDatabase> {
    const found = await opened();
    const database = isOwn(found) ? found : await again(found);
    // A newer page wants to change it, or somebody has removed it: what comes next opens it again.
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

/** Replaces a database of the same name that something else has made. */
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

/** What the browser does, if it answers in time. */
export function inTime<T>(work: Promise<T>, ms = LIMIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("The browser does not answer.")), ms);
    work.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}
