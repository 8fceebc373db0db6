/** A person counts as typing for this many milliseconds after a key. */
const PAUSE_MS = 1_000;
/** Keys with which a person leaves a field on purpose. Enter is one in a field with one line. */
const LEAVING = ["Escape", "Tab", "F6"];

let last = Number.NEGATIVE_INFINITY;

/** Notes that text was typed, or a key that was meant as text. */
export function noteTyping(): void {
  last = performance.now();
}

/**
 * Whether text is being typed. Also true for a moment after the field has disappeared or lost the focus, so that the rest of a word is not
 * taken for commands or answers. False as soon as the person leaves the field by a key or the pointer.
 */
export function isTyping(): boolean {
  return performance.now() - last < PAUSE_MS;
}

/** Watches typing in the whole page. Returns a function that ends this. */
export function watchTyping(): () => void {
  const stop = () => {
    last = Number.NEGATIVE_INFINITY;
  };
  const press = (event: KeyboardEvent) => {
    if (LEAVING.includes(event.key) || (event.key === "Enter" && event.target instanceof HTMLInputElement)) stop();
    else if (isCharacter(event) && isTyping()) noteTyping();
    // A character that nothing has handled was meant for a field. That is known after all listeners have run.
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

/** Whether the key is a character without modifiers. Space does not count, since it scrolls. */
function isCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;
}
