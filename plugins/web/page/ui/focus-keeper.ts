/** What can have the focus. */
const FOCUSABLE =
  "a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea, [tabindex]";

interface Trail {
  element: HTMLElement;
  /** Each element that it is in, from within, with the place of the one before. */
  around: { parent: HTMLElement; at: number }[];
}

/**
 * When what has the focus is removed, the focus goes to what has taken its place in the list, or else to the nearest element around it
 * that can have it. Otherwise the keyboard would begin at the top of the page. Returns the function that ends it.
 */
export function keepFocus(): () => void {
  let trail: Trail | undefined;
  const enter = ({ target }: FocusEvent) => {
    trail = target instanceof HTMLElement ? trailOf(target) : undefined;
  };
  // Whoever clicks beside everything wants no focus. What was removed is looked at before this.
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

/** What can have the focus in the item of a list that has this place now, or in the last one. */
function within(list: HTMLElement, at: number): HTMLElement | undefined {
  const item = list.children[Math.min(at, list.children.length - 1)];
  return item?.querySelector<HTMLElement>(FOCUSABLE) ?? undefined;
}
