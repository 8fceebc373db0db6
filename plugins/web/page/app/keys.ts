import { useEffect, useRef, useSyncExternalStore } from "react";
import { Kept } from "./kept.ts";
import { isTyping } from "./typing.ts";

/** Whether keys of one character do something. People who use speech input may want to switch that off. */
export const singleKeys = new Kept("keys", true);

const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** Formats a key with ⌘ or Ctrl. */
export function withModifier(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl-${key}`;
}

/** Functions by key. `mod-` is ⌘ or Ctrl; other keys have the browser's names, in lower case. */
export type Keys = Readonly<Record<string, () => void>>;

/**
 * Handles keys in the whole page. While a person is writing, only those with a modifier and function keys. With `inEmptyField`, a message field
 * without text leaves its characters to these keys, also right after something was typed. What a key does that is held down is done once.
 */
export function useKeys(keys: Keys, { inEmptyField = false } = {}): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const run = isFree(event, inEmptyField) ? current.current[nameOf(event)] : undefined;
      if (!run) return;
      event.preventDefault();
      if (!event.repeat) run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [inEmptyField]);
}

/** Lets letters that are no keys of the page be typed into the message field, wherever the focus is outside of fields. */
export function useTypingAnywhere(isOn: () => boolean): void {
  const current = useRef(isOn);
  current.current = isOn;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (event.defaultPrevented || event.isComposing || ctrlKey || metaKey || altKey || !/^\p{L}$/u.test(key)) return;
      if (isCovered() || isWriting(target) || !current.current()) return;
      const field = document.querySelector<HTMLTextAreaElement>(".composer textarea");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Whether a dialog or a menu is open. */
function isCovered(): boolean {
  return document.querySelector("dialog[open], [role=menu]") !== null;
}

/** Whether characters go into a field with the focus, even those that `inEmptyField` leaves to keys. */
export function useIsWriting(): boolean {
  return useSyncExternalStore(
    watchFocus,
    () => isWriting(document.activeElement) && !isEmptyField(document.activeElement),
  );
}

function watchFocus(changed: () => void): () => void {
  const events = ["focusin", "focusout", "input"] as const;
  for (const event of events) addEventListener(event, changed);
  return () => {
    for (const event of events) removeEventListener(event, changed);
  };
}

function nameOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (altKey) return "";
  if (isApple ? metaKey : ctrlKey) return `mod-${key.toLowerCase()}`;
  if (ctrlKey || metaKey) return "";
  if (key.length === 1) return key.toLowerCase();
  return `${shiftKey ? "shift-" : ""}${key.toLowerCase()}`;
}

/** Whether nothing else uses the key: no dialog, no menu, and for a character no field, not even one that has just disappeared. */
function isFree(event: KeyboardEvent, inEmptyField: boolean): boolean {
  const { key, ctrlKey, metaKey, target } = event;
  const isLeft = inEmptyField && isEmptyField(target);
  if (event.defaultPrevented || event.isComposing || (event.repeat && !isLeft)) return false;
  if (isCovered()) return false;
  if (key.length > 1 || ctrlKey || metaKey) return true;
  return singleKeys.get() && (isLeft || !(isWriting(target) || isTyping()));
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

/** Whether an element is the field for messages, without text and without a mark for commands or shell lines. */
function isEmptyField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement && target.value === "" && target.matches(".composer-line:not(.line) textarea")
  );
}
