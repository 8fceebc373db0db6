import type { KnownDevice } from "../host/other.ts";
import { Store } from "../store.ts";

/** A dialog that menus and keys open. */
export type Opened =
  | { window: "rename"; sessionId: string; name: string }
  | { window: "trash" }
  | { window: "project" }
  | { window: "palette" }
  | { window: "help" }
  | { window: "waiting" }
  /** Adds a device, or renames `known`. */
  | { window: "device"; known?: KnownDevice }
  /** Pairs with a host through a relay. */
  | { window: "pair" }
  | { window: "model"; sessionId: string; current: string | undefined };

/** The dialog that is open. There is at most one. */
export const opened = new Store<Opened | undefined>(undefined);

export function openWindow(window: Opened): void {
  opened.set(window);
}
