import { type RefObject, useLayoutEffect } from "react";

/** The keyboard was in a field for messages that was removed. */
let isFree = false;

/** The keyboard goes from the field of a place to that of the next one, unless it went elsewhere meanwhile. */
export function useKeyboard(element: RefObject<HTMLTextAreaElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    if (isFree && isNowhere()) takeKeyboard(current);
    isFree = false;
    return () => {
      isFree = current !== null && document.activeElement === current;
    };
  }, [element]);
}

/** Goes to a field, with the cursor behind its text. */
function takeKeyboard(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement.matches("body, main");
}
