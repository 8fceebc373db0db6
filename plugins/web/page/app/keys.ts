import { useEffect, useRef } from "react";
import { Kept } from "./kept.ts";
import { isTyping } from "./typing.ts";

/** Whether keys of one character do something. Those who speak to the computer may not want that. */
export const singleKeys = new Kept("keys", true);

const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** How a key with ⌘ or Ctrl is shown. */
export function withModifier(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl-${key}`;
}

/** What each key does: `mod-` is ⌘ or Ctrl, the others are named as the browser names them, in small letters. */
export type Keys = Readonly<Record<string, () => void>>;

/** Does what keys say, in the whole page. While somebody writes, only those with a modifier and F keys count. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const run = isFree(event) ? current.current[nameOf(event)] : undefined;
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function nameOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (altKey) return "";
  if (isApple ? metaKey : ctrlKey) return `mod-${key.toLowerCase()}`;
  if (ctrlKey || metaKey) return "";
  if (key.length === 1) return key.toLowerCase();
  return `${shiftKey ? "shift-" : ""}${key.toLowerCase()}`;
}

/** Nobody else has a use for the key: no window, no menu, and for a character no field either, not even one that has just vanished. */
function isFree(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, target } = event;
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  if (document.querySelector("dialog[open], [role=menu]")) return false;
  if (key.length > 1 || ctrlKey || metaKey) return true;
  return singleKeys.get() && !isWriting(target) && !isTyping();
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}
