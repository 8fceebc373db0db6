/** Texts that were not sent, by session, in the storage of the browser. Storage that is full or forbidden costs only that they end with the page. */
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
    // It is still in the field.
  }
}

export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
  } catch {
    // Then there are none.
  }
}
