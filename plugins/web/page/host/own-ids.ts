/**
 * The ids that hosts have given to the pages of this browser, the latest ones, in the storage of the browser: a page that is loaded anew gets
 * another one. Storage that is full or forbidden costs only that one's own messages have a name.
 */
const KEY = "scorel.own";
const MOST = 200;

let read = "";
let ids: ReadonlySet<string> = new Set();

/** Whether a page of this browser had this id. */
export function isOfBrowser(id: string): boolean {
  return known().has(id);
}

export function keepOwn(id: string): void {
  if (isOfBrowser(id)) return;
  try {
    localStorage.setItem(KEY, JSON.stringify([...known(), id].slice(-MOST)));
  } catch {
    // It is known as long as the page is open.
  }
}

export function forgetOwn(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Then there are none.
  }
}

/** Other tabs add theirs, so that it is looked at each time. */
function known(): ReadonlySet<string> {
  const text = stored();
  if (text !== read) ids = new Set(listIn(text));
  read = text;
  return ids;
}

function stored(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function listIn(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
