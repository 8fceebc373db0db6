import { type BrowserKeys, makeKeys, type PairedHost } from "@scorel/relay/browser";
import { inTime } from "../host/database.ts";
import { PAIRINGS } from "../host/pairings.ts";

/** To be increased when the stored form changes. Older data must be converted, since it cannot be recovered. */
const VERSION = 1;
const KEYS = "keys";
const HOSTS = "hosts";
/** Milliseconds within which the browser has to open the database. Some never do. */
const LIMIT_MS = 5_000;
/** Key of this browser's only identity. */
const OWN = "own";

/** A paired host as it is stored in this browser. */
export interface KeptHost extends PairedHost {
  /** Milliseconds since 1970; absent if an earlier version has paired. */
  pairedAt?: number;
  /** Whether it has revoked this browser. Only noted by pages whose server is not a host. */
  isShutOut?: boolean;
}

/** The keys of this browser. Made at the first call. Throws RELAY_BROWSER. */
export async function ownKeys(): Promise<BrowserKeys> {
  const known = await within("readonly", KEYS, (keys) => keys.get(OWN));
  if (known) return known as BrowserKeys;
  const made = await makeKeys();
  // Another tab may have stored keys meanwhile: then those are used.
  return within("readwrite", KEYS, (keys) => {
    const reading = keys.get(OWN);
    reading.onsuccess = () => reading.result ?? keys.put(made, OWN);
    return reading;
  }).then((before) => (before as BrowserKeys | undefined) ?? made);
}

export async function pairedHost(id: string): Promise<KeptHost | undefined> {
  return (await within("readonly", HOSTS, (hosts) => hosts.get(id))) as KeptHost | undefined;
}

export async function pairedHosts(): Promise<KeptHost[]> {
  return (await within("readonly", HOSTS, (hosts) => hosts.getAll())) as KeptHost[];
}

export async function keepHost(host: KeptHost): Promise<void> {
  await within("readwrite", HOSTS, (hosts) => hosts.put(host));
}

export async function forgetHost(id: string): Promise<void> {
  await within("readwrite", HOSTS, (hosts) => hosts.delete(id));
}

/** Makes a request, and resolves with its result when it is stored. Closes the database each time, so that it can be deleted. */
async function within(
  mode: IDBTransactionMode,
  name: string,
  ask: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const database = await inTime(opened(), LIMIT_MS);
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode);
      const request = ask(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser has stored nothing."));
    });
  } finally {
    database.close();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(PAIRINGS, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(KEYS);
      request.result.createObjectStore(HOSTS, { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
