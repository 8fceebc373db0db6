import { useSyncExternalStore } from "react";

/** What the page shows: nothing yet, a session, or a new one in a directory. It stands in the fragment of the address. */
export type Place =
  | { at: "home" }
  /** `eventId` is an event of it to go to. */
  | { at: "session"; sessionId: string; eventId?: string }
  | { at: "new"; directory: string };

/** What comes first in a fragment whose place is at another device than the host of the page. */
const AT_DEVICE = /^#\/on\/([\w-]{1,64})(?=\/)/;

/** The id of the device in a fragment; empty for the host of the page. */
export function deviceOf(fragment: string): string {
  return AT_DEVICE.exec(fragment)?.[1] ?? "";
}

export function placeOf(whole: string): Place {
  const fragment = whole.replace(AT_DEVICE, "#");
  const [, kind, value = ""] = /^#\/(session|new)\/(.+)$/.exec(fragment) ?? [];
  const [, sessionId, eventId] = /^([\w-]{1,64})(?:\/([\w-]{1,64}))?$/.exec(value) ?? [];
  if (kind === "session" && sessionId) return { at: "session", sessionId, ...(eventId && { eventId }) };
  if (kind === "new") return { at: "new", directory: decoded(value) };
  return { at: "home" };
}

/** The fragment of a place at a device: by default at the one that is shown. */
export function fragmentOf(place: Place, device = deviceOf(globalThis.location?.hash ?? "")): string {
  const begin = device === "" ? "#/" : `#/on/${device}/`;
  if (place.at === "session") return `${begin}session/${place.sessionId}${place.eventId ? `/${place.eventId}` : ""}`;
  return place.at === "new" ? `${begin}new/${encodeURIComponent(place.directory)}` : begin;
}

/** The address of a session that an event or a plugin names; undefined for what is no id. */
export function sessionAddress(id: unknown): string | undefined {
  return typeof id === "string" && /^[\w-]{1,64}$/.test(id) ? fragmentOf({ at: "session", sessionId: id }) : undefined;
}

export function goTo(place: Place, { replace = false, device }: { replace?: boolean; device?: string } = {}): void {
  const fragment = fragmentOf(place, device);
  if (replace) history.replaceState(null, "", fragment);
  else history.pushState(null, "", fragment);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** The id of the device that is shown; empty for the host of the page. */
export function useDevice(): string {
  return deviceOf(useSyncExternalStore(listen, () => location.hash));
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
