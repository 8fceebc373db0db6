import { createContext, type RefObject, useLayoutEffect, useState } from "react";
import { Store } from "../store.ts";

/** Width in pixels of a conversation, question or panel from which two versions of a file fit side by side. */
const LEAST_SPLIT = 900;
const KEY = "scorel.diff";

/** Whether everything is shown at once and open, as in a question. */
export const WholeContext = createContext(false);

/** Whether the person prefers the side-by-side view where there is room. */
export const splitWanted = new Store(read() !== "one");

/** Stores which view the person prefers. */
export function wantSplit(isWanted: boolean): void {
  splitWanted.set(isWanted);
  try {
    localStorage.setItem(KEY, isWanted ? "two" : "one");
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}

function read(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether the container of an element (the nearest ancestor with `data-room`) has room for two versions of a file side by side. */
export function useRoomForTwo(element: RefObject<Element | null>): boolean {
  const [hasRoom, setRoom] = useState(false);
  // Measured before the first paint, so that a list does not show the diff in one form and then in the other.
  useLayoutEffect(() => {
    const holder = element.current?.closest("[data-room]");
    if (!holder) return;
    const measure = () => setRoom(holder.clientWidth >= LEAST_SPLIT);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(holder);
    return () => observer.disconnect();
  }, [element]);
  return hasRoom;
}
