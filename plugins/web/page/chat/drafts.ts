/** Unsent text by session, in the browser's storage. If storage is full or not allowed, it only lasts as long as the page. */
const PREFIX = "scorel.draft.";
const key = (place: string) => `${PREFIX}${place}`;

export function draftOf(place: string): string {
  try {
    return localStorage.getItem(key(place)) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(place: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key(place));
    else localStorage.setItem(key(place), text);
  } catch {
    // The text is still in the field.
  }
}

export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Without storage there are no drafts.
  }
}
