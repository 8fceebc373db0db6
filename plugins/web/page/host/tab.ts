/**
 * Strings of this tab in its `sessionStorage`, which ends with the tab. If the browser does not allow storage, they last as long as the page:
 * some browsers then throw an error at each use of it.
 */
const unstored = new Map<string, string>();

/** A string of this tab; null if there is none. */
export function readTab(key: string): string | null {
  return unstored.get(key) ?? tried((storage) => storage.getItem(key)) ?? null;
}

/** Returns whether it outlasts the page. */
export function keepTab(key: string, text: string): boolean {
  const isStored = tried((storage) => {
    storage.setItem(key, text);
    return true;
  });
  if (isStored) unstored.delete(key);
  else unstored.set(key, text);
  return isStored === true;
}

export function removeTab(key: string): void {
  unstored.delete(key);
  tried((storage) => storage.removeItem(key));
}

/** The keys of all strings of this tab. */
export function tabKeys(): string[] {
  return [...unstored.keys(), ...(tried((storage) => Object.keys(storage)) ?? [])];
}

/** Undefined if the browser does not allow storage, or has no room. */
function tried<R>(use: (storage: Storage) => R): R | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
