import { useSyncExternalStore } from "react";
import { changeUrl } from "../ui/overlay.ts";

/** What the page shows: nothing yet, a session, or a new session in a directory. It is stored in the fragment of the URL. */
export type Place =
  | { at: "home" }
  /** `eventId`: an event in the session to scroll to. */
  | { at: "session"; sessionId: string; eventId?: string }
  | { at: "new"; directory: string };

/** Prefix of a fragment whose place is at another device than the page's own host. */
const AT_DEVICE = /^#\/on\/([\w-]{1,64})(?=\/)/;

/** The id of the device in a fragment; empty for the page's own host. */
export function deviceOf(fragment: string): string {
  return AT_DEVICE.exec(fragment)?.[1] ?? "";
}

/** The place in a fragment; the start page for an invalid one. */
export function placeOf(whole: string): Place {
  const fragment = whole.replace(AT_DEVICE, "#");
  const [, kind, value = ""] = /^#\/(session|new)\/(.+)$/.exec(fragment) ?? [];
  const [, sessionId, eventId] = /^([\w-]{1,64})(?:\/([\w-]{1,64}))?$/.exec(value) ?? [];
  if (kind === "session" && sessionId) return { at: "session", sessionId, ...(eventId && { eventId }) };
  if (kind === "new") return { at: "new", directory: decoded(value) };
  return { at: "home" };
}

/** The fragment for a place at a device. Default: the device that is shown. */
export function fragmentOf(place: Place, device = deviceOf(globalThis.location?.hash ?? "")): string {
  const begin = device === "" ? "#/" : `#/on/${device}/`;
  if (place.at === "session") return `${begin}session/${place.sessionId}${place.eventId ? `/${place.eventId}` : ""}`;
  return place.at === "new" ? `${begin}new/${encodeURIComponent(place.directory)}` : begin;
}

/** The URL of a session that an event or a plugin names; undefined if the value is not an id. */
export function sessionAddress(id: unknown): string | undefined {
  return typeof id === "string" && /^[\w-]{1,64}$/.test(id) ? fragmentOf({ at: "session", sessionId: id }) : undefined;
}

/** Changes the URL to a place, by default at the device that is shown. With `replace`, adds no entry to the browser's history. */
export function goTo(place: Place, { replace = false, device }: { replace?: boolean; device?: string } = {}): void {
  changeUrl(fragmentOf(place, device), replace);
}

/**
 * Returns a function like `goTo`, for after something that takes time: if another place is shown by then, it goes nowhere and returns false.
 * Otherwise it would take people away from where they now write, or open a place at another device than the one it was asked for.
 */
export function fromHere(): (...[place, options]: Parameters<typeof goTo>) => boolean {
  const begun = shownPlace();
  return (place, options) => {
    const isStillHere = shownPlace() === begun;
    if (isStillHere) goTo(place, options);
    return isStillHere;
  };
}

/** The fragment of the place that is shown, without an event: that one is removed as soon as it is in view. */
function shownPlace(): string {
  const place = placeOf(location.hash);
  return fragmentOf(place.at === "session" ? { at: "session", sessionId: place.sessionId } : place);
}

/** The id of the device that is shown; empty for the page's own host. */
export function useDevice(): string {
  return deviceOf(useSyncExternalStore(listen, () => location.hash));
}

/** The place in the URL of the page. */
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
