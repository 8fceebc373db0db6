/**
 * Strings about hosts and their sessions in the browser's `localStorage`, by name and a part of their own: unsent text by place, what was
 * seen by device, and the client ids of this browser. If storage is full or not allowed, nothing is stored.
 */
type Name = "draft" | "seen" | "own";

const NAMES: readonly Name[] = ["draft", "seen", "own"];

let isForgotten = false;

export function localKey(name: Name, part = ""): string {
  return part === "" ? `scorel.${name}` : `scorel.${name}.${part}`;
}

/** A stored string; null if there is none. */
export function readLocal(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a string, or removes an empty one. */
export function keepLocal(key: string, text: string): void {
  if (isForgotten) return;
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The page still has it.
  }
}

/** Removes the drafts and the record of what was seen of a device. Those of the page's own host have no device in their keys. */
export function forgetLocalOf(device: string): void {
  const drafts = localKey("draft", `${device}:`);
  remove((key) => key === localKey("seen", device) || key.startsWith(drafts));
}

/**
 * Removes all of these strings, when the person signs out. The page stores none afterwards: its fields can still be written in until the
 * host has answered.
 */
export function forgetLocal(): void {
  isForgotten = true;
  remove((key) => NAMES.some((name) => key === localKey(name) || key.startsWith(`${localKey(name)}.`)));
}

function remove(isMeant: (key: string) => boolean): void {
  try {
    for (const key of Object.keys(localStorage).filter(isMeant)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}
