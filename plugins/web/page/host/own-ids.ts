import { keepLocal, localKey, readLocal } from "./local.ts";

/**
 * The latest client ids that hosts have given to pages of this browser, in its storage, since a page gets a new id with each load. If
 * storage is full or not allowed, messages from an earlier load are shown with the name of another client.
 */
const KEY = localKey("own");
const MOST = 200;

let read = "";
let ids: ReadonlySet<string> = new Set();

/** Whether a page of this browser had this client id. */
export function isOfBrowser(id: string): boolean {
  return known().has(id);
}

export function keepOwn(id: string): void {
  if (!isOfBrowser(id)) keepLocal(KEY, JSON.stringify([...known(), id].slice(-MOST)));
}

/** Read each time, since other tabs add their ids. */
function known(): ReadonlySet<string> {
  const text = readLocal(KEY) ?? "";
  if (text !== read) ids = new Set(listIn(text));
  read = text;
  return ids;
}

function listIn(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
