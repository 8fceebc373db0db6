import { createContext, type RefObject, useLayoutEffect, useState } from "react";
import { Store } from "../store.ts";

/** Pixels of a conversation, question or panel from which two versions of a file have room side by side. */
const LEAST_SPLIT = 900;
const KEY = "scorel.diff";

/** Whether everything is shown at once and open, as what a question is about has to be. */
export const WholeContext = createContext(false);

/** Whether a person wants both versions of a file side by side where there is room. */
export const splitWanted = new Store(read() !== "one");

export function wantSplit(isWanted: boolean): void {
  splitWanted.set(isWanted);
  try {
    localStorage.setItem(KEY, isWanted ? "two" : "one");
  } catch {
    // Without storage, the choice holds as long as the page is open.
  }
}

function read(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether what holds an element (the next one around it with `data-room`) has room for two versions of a file side by side. */
export function useRoomForTwo(element: RefObject<Element | null>): boolean {
  const [hasRoom, setRoom] = useState(false);
  // Measured before the first picture: a list that draws the diff again must not find it in another form first.
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
