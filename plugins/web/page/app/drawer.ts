import { type RefObject, useEffect, useState } from "react";
import { useOverlay } from "../ui/overlay.ts";

/** From this width on, the list of sessions is shown beside the rest (style/layout.css). */
const WIDE = "(min-width: 48.01rem)";

/** On a small screen, the list of sessions is a drawer over the rest. It has the focus while it is open. Esc closes it. */
export function useDrawer(list: RefObject<HTMLElement | null>, main: RefObject<HTMLElement | null>) {
  const [isOpen, setOpen] = useState(false);
  useOverlay(isOpen, () => {
    const wasWithin = list.current?.contains(document.activeElement) && !matchMedia(WIDE).matches;
    setOpen(false);
    // The chosen session is shown there after the drawer is closed.
    if (wasWithin) requestAnimationFrame(() => main.current?.focus());
  });
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const widen = () => setOpen(false);
    wide.addEventListener("change", widen);
    return () => wide.removeEventListener("change", widen);
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    list.current?.focus();
    const leave = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open], [role=menu]")) return;
      event.preventDefault();
      setOpen(false);
    };
    addEventListener("keydown", leave);
    return () => {
      removeEventListener("keydown", leave);
      requestAnimationFrame(() => backTo(main.current));
    };
  }, [isOpen, list, main]);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** Returns the focus to the button that has opened the drawer, unless something else has it. */
function backTo(main: HTMLElement | null): void {
  if (document.activeElement?.matches("body, .sidebar, .sidebar *") === false) return;
  main?.querySelector<HTMLElement>(".menu-button")?.focus();
}
