import type { KnownDevice } from "../host/other.ts";
import { Store } from "../store.ts";

/** A window above the page that menus and keys open. */
export type Opened =
  | { window: "rename"; sessionId: string; name: string }
  | { window: "trash" }
  | { window: "project" }
  | { window: "palette" }
  | { window: "help" }
  | { window: "waiting" }
  /** Adds a device, or renames a known one. */
  | { window: "device"; known?: KnownDevice }
  /** Pairs with a host through a relay. */
  | { window: "pair" }
  | { window: "model"; sessionId: string; current: string | undefined };

/** The window that is open. There is one at a time. */
export const opened = new Store<Opened | undefined>(undefined);

export function openWindow(window: Opened): void {
  opened.set(window);
}
