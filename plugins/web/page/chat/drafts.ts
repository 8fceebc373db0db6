import { keepLocal, localKey, readLocal } from "../host/local.ts";

/** Unsent text by session, in the browser's storage. Without storage, it only lasts as long as the page. */
export function draftOf(place: string): string {
  return readLocal(localKey("draft", place)) ?? "";
}

export function keepDraft(place: string, text: string): void {
  keepLocal(localKey("draft", place), text);
}
