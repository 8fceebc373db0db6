import { useEffect, useRef } from "react";

/**
 * What covers the page, such as a dialog, has an entry of its own in the browser's history, so that Back closes it and does not lead away
 * from what is below. The entry names the overlay, and the page that has opened it, since entries outlive a reload.
 */
interface OverlayState {
  overlay: number;
  page: number;
}

const PAGE = performance.timeOrigin;

/** How to close each open overlay that has an entry, in the order in which they were opened. */
const open = new Map<number, () => void>();
let last = 0;
/** New entries that wait until the browser has gone back from the entry of a closed overlay. */
let waiting: (() => void)[] | undefined;

/** Lets Back close an overlay while it is open. `close` is also called when the page goes somewhere else. */
export function useOverlay(isOpen: boolean, close: () => void): void {
  const current = useRef(close);
  current.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const id = ++last;
    let isGone = false;
    whenBack(() => {
      if (isGone) return;
      open.set(id, () => current.current());
      history.pushState({ overlay: id, page: PAGE } satisfies OverlayState, "");
    });
    return () => {
      isGone = true;
      open.delete(id);
      // Later, since whatever has closed the overlay may go somewhere else. That takes over the entry.
      setTimeout(() => overlayHere() === id && leave());
    };
  }, [isOpen]);
}

/**
 * Changes the URL with a new entry in the history, or with `replace` in the current one. The entry of an overlay is always replaced, so that
 * Back leads to where the overlay was opened.
 */
export function changeUrl(url: string, replace = false): void {
  whenBack(() => {
    if (replace || overlayHere() !== undefined) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    dispatchEvent(new PopStateEvent("popstate"));
  });
}

/** Watches the browser's history, and links within overlays. Returns a function that ends the latter. */
export function watchOverlays(): () => void {
  // Watched from then on: an overlay that goes together with the whole page, as when the token ends, leaves its entry only afterwards.
  addEventListener("popstate", moved);
  addEventListener("click", follow);
  return () => removeEventListener("click", follow);
}

/** Closes the overlays that were opened after the current entry, and leaves the entry of an overlay that is closed. */
function moved(): void {
  const due = waiting ?? [];
  waiting = undefined;
  const here = overlayHere();
  for (const [id, close] of [...open].reverse()) if (id > (here ?? 0)) close();
  if (here !== undefined && !open.has(here)) leave();
  for (const run of due) whenBack(run);
}

/** Goes back from the entry of a closed overlay, which the browser does a moment later. */
function leave(): void {
  waiting = [];
  history.back();
}

/** Runs at once, or after the browser has gone back. */
function whenBack(run: () => void): void {
  if (waiting) waiting.push(run);
  else run();
}

/** The overlay of the current entry; undefined if the entry is a place. One of another page is 0, which is never open. */
function overlayHere(): number | undefined {
  const state = history.state as Partial<OverlayState> | null;
  if (typeof state?.overlay !== "number") return undefined;
  return state.page === PAGE ? state.overlay : 0;
}

/** Follows a link to a place in the entry of the overlay that contains it. */
function follow(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
  const address = target instanceof Element ? target.closest("a")?.getAttribute("href") : undefined;
  if (!address?.startsWith("#/") || overlayHere() === undefined) return;
  event.preventDefault();
  changeUrl(address);
}
