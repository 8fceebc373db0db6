/** Somebody who typed so lately is taken to go on. */
const PAUSE_MS = 1_000;
/** Keys by which somebody leaves a field on purpose. Enter is one in a field of one line. */
const LEAVING = ["Escape", "Tab", "F6"];

let last = Number.NEGATIVE_INFINITY;

/** Text was typed just now, or a key that was meant as text. */
export function noteTyping(): void {
  last = performance.now();
}

/**
 * Whether text is being typed. It goes on when the field vanishes or loses the keyboard, so that the rest of a word is taken neither for
 * commands nor for answers. Whoever leaves the field by a key or the pointer has stopped.
 */
export function isTyping(): boolean {
  return performance.now() - last < PAUSE_MS;
}

/** Hears what is typed anywhere in the page. Returns the function that ends it. */
export function hearTyping(): () => void {
  const stop = () => {
    last = Number.NEGATIVE_INFINITY;
  };
  const press = (event: KeyboardEvent) => {
    if (LEAVING.includes(event.key) || (event.key === "Enter" && event.target instanceof HTMLInputElement)) stop();
    else if (isCharacter(event) && isTyping()) noteTyping();
    // What nothing has a use for was meant for a field. That is known when all have heard it.
    else if (isCharacter(event)) setTimeout(() => event.defaultPrevented || noteTyping());
  };
  addEventListener("input", noteTyping, true);
  addEventListener("keydown", press, true);
  addEventListener("pointerdown", stop, true);
  return () => {
    removeEventListener("input", noteTyping, true);
    removeEventListener("keydown", press, true);
    removeEventListener("pointerdown", stop, true);
  };
}

/** A character by itself. A space scrolls. */
function isCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;
}
