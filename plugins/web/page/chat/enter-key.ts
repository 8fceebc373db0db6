import type { KeyboardEvent } from "react";
import type { Running } from "./send.ts";

/** Keys that keyboards on a screen do not have. */
const OF_KEYBOARDS = ["Control", "Alt", "Meta", "Escape", "Tab"];

let hasKeyboard = false;
addEventListener(
  "keydown",
  ({ key }) => {
    if (OF_KEYBOARDS.includes(key)) hasKeyboard = true;
  },
  true,
);

/** Whether Enter sends. On a touch screen it makes a line, as there is no Shift-Enter, unless a keyboard was seen. */
export function sendsByEnter(): boolean {
  return hasKeyboard || !matchMedia("(pointer: coarse)").matches;
}

/** A key belongs to an input method that is composing. Browsers tell it in two ways. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

/** How a message is sent by a key, or undefined if the key does not send. */
export function sentBy({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): Running | undefined {
  if (key !== "Enter" || altKey) return undefined;
  if (ctrlKey || metaKey) return shiftKey ? "steer" : "follow_up";
  return !shiftKey && sendsByEnter() ? "follow_up" : undefined;
}

/** Makes a line for keys that make one in other programs, but not in browsers. Returns whether it did. */
export function madeLine({ key, ctrlKey, altKey }: KeyboardEvent): boolean {
  const isLine = (key === "Enter" && altKey) || (key.toLowerCase() === "j" && ctrlKey && !altKey);
  // As if it was typed, so that it can be undone.
  return isLine && document.execCommand("insertText", false, "\n");
}
