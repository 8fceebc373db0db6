import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useOverlay } from "./overlay.ts";

export interface MenuItem {
  label: string;
  /** Whether it is shown as a destructive action. */
  isDangerous?: boolean;
  run(): void;
}

interface MenuProps {
  /** The accessible name of the button. */
  label: string;
  /** The visible content of the button. */
  children: ReactNode;
  items: readonly MenuItem[];
}

/**
 * A button that opens a list of commands. Arrow keys, Home and End move in it, a letter selects the next item that begins with it, Esc
 * closes it.
 */
export function Menu({ label, children, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useOverlay(isOpen, () => setOpen(false));
  useLayoutEffect(() => {
    if (isOpen && button.current && list.current) place(list.current, button.current.getBoundingClientRect());
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    (list.current?.firstElementChild as HTMLElement | null)?.focus();
    const leave = ({ target }: Event) => {
      const isInside = list.current?.contains(target as Node) || button.current?.contains(target as Node);
      if (!isInside) setOpen(false);
    };
    // The page also scrolls by itself, while a reply grows.
    const scrolled = ({ target }: Event) => {
      const { current } = button;
      if (!current || !list.current || !(target as Node).contains(current)) return;
      const rect = current.getBoundingClientRect();
      if (isInside(rect, target)) place(list.current, rect);
      else setOpen(false);
    };
    addEventListener("pointerdown", leave);
    addEventListener("scroll", scrolled, { capture: true });
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("scroll", scrolled, { capture: true });
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span className="menu">
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          className="menu-list"
          onKeyDown={(event) => moveIn(event, close)}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={item.isDangerous ? "dangerous" : undefined}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}

/** Whether something is still in view after an element, or the whole page, has scrolled. */
function isInside({ top, bottom }: DOMRect, scroller: EventTarget | null): boolean {
  const area = scroller instanceof Element ? scroller.getBoundingClientRect() : { top: 0, bottom: innerHeight };
  return bottom > area.top && top < area.bottom;
}

/** Places the list below its button, or above if there is no room. It must not be inside a scrolling element, which would cut it off. */
function place(list: HTMLElement, button: DOMRect): void {
  const below = innerHeight - button.bottom;
  const isBelow = list.offsetHeight <= below || below >= button.top;
  list.style.top = isBelow ? `${button.bottom}px` : `${Math.max(0, button.top - list.offsetHeight)}px`;
  list.style.left = `${Math.max(4, button.right - list.offsetWidth)}px`;
  list.style.maxHeight = `${isBelow ? below : button.top}px`;
}

function moveIn(event: KeyboardEvent<HTMLDivElement>, close: () => void): void {
  const items = [...event.currentTarget.children] as HTMLElement[];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = targetOf(event.key, at, items);
  if (to !== undefined) items[to]?.focus();
  else if (event.key === "Escape" || event.key === "Tab") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function targetOf(key: string, at: number, items: readonly HTMLElement[]): number | undefined {
  const count = items.length;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key.length !== 1 || key === " ") return undefined;
  const begins = (item: HTMLElement) => item.textContent.toLowerCase().startsWith(key.toLowerCase());
  const next = items.findIndex((item, place) => place > at && begins(item));
  const found = next >= 0 ? next : items.findIndex(begins);
  return found >= 0 ? found : undefined;
}
