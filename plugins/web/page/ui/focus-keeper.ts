/** Matches elements that can have the focus. */
const FOCUSABLE =
  "a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea, [tabindex]";

interface Trail {
  element: HTMLElement;
  /** The ancestors of the element, innermost first, each with the index of the child that contains it. */
  around: { parent: HTMLElement; at: number }[];
}

/**
 * When the focused element is removed, focuses the element that has taken its place in the list, or else the nearest focusable one around
 * it. Otherwise the keyboard would start again at the top of the page. Returns a function that ends this.
 */
export function keepFocus(): () => void {
  let trail: Trail | undefined;
  const enter = ({ target }: FocusEvent) => {
    trail = target instanceof HTMLElement ? trailOf(target) : undefined;
  };
  // A person who clicks outside of all controls wants no focus. The removal of an element is handled before this event.
  const leave = ({ target }: FocusEvent) =>
    setTimeout(() => {
      if (isNowhere() && trail?.element === target) trail = undefined;
    });
  const observer = new MutationObserver((records) => {
    if (!trail || !isNowhere()) return;
    const { element } = trail;
    const isMoved = records.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));
    if (!element.isConnected) nextTo(trail)?.focus();
    else if (isMoved) element.focus();
  });
  document.addEventListener("focusin", enter);
  document.addEventListener("focusout", leave);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", enter);
    document.removeEventListener("focusout", leave);
  };
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function trailOf(element: HTMLElement): Trail {
  const around: Trail["around"] = [];
  for (let at: HTMLElement = element; at.parentElement; at = at.parentElement)
    around.push({ parent: at.parentElement, at: [...at.parentElement.children].indexOf(at) });
  return { element, around };
}

function nextTo({ around }: Trail): HTMLElement | undefined {
  for (const { parent, at } of around) {
    if (!parent.isConnected) continue;
    const found = parent.matches("ul, ol") ? within(parent, at) : undefined;
    if (found) return found;
    if (parent.hasAttribute("tabindex")) return parent;
  }
  return undefined;
}

/** The focusable element in the list item at this index, or in the last item. */
function within(list: HTMLElement, at: number): HTMLElement | undefined {
  const item = list.children[Math.min(at, list.children.length - 1)];
  return item?.querySelector<HTMLElement>(FOCUSABLE) ?? undefined;
}
