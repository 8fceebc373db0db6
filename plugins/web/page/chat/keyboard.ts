import { type RefObject, useLayoutEffect } from "react";

/** Whether a message field was removed while it had the focus. */
let isFree = false;

/** Moves the focus from the field of one place to that of the next, unless something else has got it meanwhile. */
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

/** Focuses a field, with the cursor after its text. */
function takeKeyboard(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement.matches("body, main");
}
