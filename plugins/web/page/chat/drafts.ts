/** Texts that were not sent, by session, in the storage of the browser. */
const key = (place: string) => `scorel.draft.${place}`;

export function draftOf(place: string): string {
  return localStorage.getItem(key(place)) ?? "";
}

/** Keeps a text. Storage that is full or forbidden costs only that it is lost when the page is closed. */
export function keepDraft(place: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key(place));
    else localStorage.setItem(key(place), text);
  } catch {
    // It is still in the field.
  }
}
