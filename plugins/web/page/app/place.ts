import { useSyncExternalStore } from "react";

/** What the page shows: nothing yet, a session, or a new one in a directory. It stands in the fragment of the address. */
export type Place =
  | { at: "home" }
  /** `eventId` is an event of it to go to. */
  | { at: "session"; sessionId: string; eventId?: string }
  | { at: "new"; directory: string };

export function placeOf(fragment: string): Place {
  const [, kind, value = ""] = /^#\/(session|new)\/(.+)$/.exec(fragment) ?? [];
  const [, sessionId, eventId] = /^([\w-]{1,64})(?:\/([\w-]{1,64}))?$/.exec(value) ?? [];
  if (kind === "session" && sessionId) return { at: "session", sessionId, ...(eventId && { eventId }) };
  if (kind === "new") return { at: "new", directory: decoded(value) };
  return { at: "home" };
}

export function fragmentOf(place: Place): string {
  if (place.at === "session") return `#/session/${place.sessionId}${place.eventId ? `/${place.eventId}` : ""}`;
  return place.at === "new" ? `#/new/${encodeURIComponent(place.directory)}` : "#/";
}

export function goTo(place: Place, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", fragmentOf(place));
  else history.pushState(null, "", fragmentOf(place));
  dispatchEvent(new PopStateEvent("popstate"));
}

export function usePlace(): Place {
  return placeOf(useSyncExternalStore(listen, () => location.hash));
}

function listen(changed: () => void): () => void {
  addEventListener("popstate", changed);
  addEventListener("hashchange", changed);
  return () => {
    removeEventListener("popstate", changed);
    removeEventListener("hashchange", changed);
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
