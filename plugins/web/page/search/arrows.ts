import { type RefObject, useEffect } from "react";

/** Links that Enter opens: not those that were found for an earlier text, while the host has not answered for the present one. */
const CURRENT = "a.session-link, section:not([aria-busy=true]) a.found-link";

/**
 * Lets the arrow keys move the focus from the search field to the found links in `list`, and between them. Enter in the field opens the
 * first one. The field is beside the list.
 */
export function useArrows(list: RefObject<HTMLElement | null>, isSearching: boolean): void {
  useEffect(() => {
    const holder = list.current?.parentElement;
    if (!holder || !isSearching) return;
    const pressed = (event: KeyboardEvent) => {
      const field = holder.querySelector<HTMLElement>("input[type=search]");
      const links = [...holder.querySelectorAll<HTMLElement>("a.session-link, a.found-link")];
      const isInField = document.activeElement === field;
      const at = links.indexOf(document.activeElement as HTMLElement);
      if (event.isComposing || !(isInField || at >= 0)) return;
      if (event.key === "Enter" && isInField) list.current?.querySelector<HTMLElement>(CURRENT)?.click();
      else if (event.key === "ArrowDown") links[at + 1]?.focus();
      else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : field)?.focus();
      else return;
      event.preventDefault();
    };
    holder.addEventListener("keydown", pressed);
    return () => holder.removeEventListener("keydown", pressed);
  }, [list, isSearching]);
}
