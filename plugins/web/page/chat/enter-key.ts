import type { KeyboardEvent } from "react";
import type { Running } from "./send.ts";

/** Keys that on-screen keyboards do not have. */
const OF_KEYBOARDS = ["Control", "Alt", "Meta", "Escape", "Tab"];

let hasKeyboard = false;
addEventListener(
  "keydown",
  ({ key }) => {
    if (OF_KEYBOARDS.includes(key)) hasKeyboard = true;
  },
  true,
);

/** Whether Enter sends. On a touch screen it inserts a line break, since there is no Shift-Enter, unless a real keyboard was used. */
export function sendsByEnter(): boolean {
  return hasKeyboard || !matchMedia("(pointer: coarse)").matches;
}

/** Whether the key belongs to an input method that is composing. Browsers report that in two ways. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

/** How a key sends the message; undefined if it does not. */
export function sentBy({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): Running | undefined {
  if (key !== "Enter" || altKey) return undefined;
  if (ctrlKey || metaKey) return shiftKey ? "steer" : "follow_up";
  return !shiftKey && sendsByEnter() ? "follow_up" : undefined;
}

/** Inserts a line break for keys that do so in other programs, but not in browsers. Returns whether it did. */
export function madeLine({ key, ctrlKey, altKey }: KeyboardEvent): boolean {
  const isLine = (key === "Enter" && altKey) || (key.toLowerCase() === "j" && ctrlKey && !altKey);
  // Inserted like typed text, so that it can be undone.
  return isLine && document.execCommand("insertText", false, "\n");
}
