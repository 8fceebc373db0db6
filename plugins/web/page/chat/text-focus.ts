import { type RefObject, useEffect } from "react";
import { isTyping } from "../app/typing.ts";

const MESSAGE = ".composer textarea";
const QUESTION = ".question";
/** Elements that have the focus if no control has it. */
const NOWHERE = "body, main";
/** Milliseconds between two checks whether the person has stopped typing. */
const AGAIN_MS = 100;

/** Whether the last focus or press was in a question. */
let wasInQuestion = false;

/** Tracks whether the focus is in questions. Returns a function that ends this. */
export function watchQuestionFocus(): () => void {
  const enter = ({ type, target }: Event) => {
    // The browser moves the focus there when the focused element is removed.
    if (type === "focusin" && target instanceof Element && target.matches(NOWHERE)) return;
    wasInQuestion = target instanceof Element && target.closest(QUESTION) !== null;
  };
  // Some browsers do not focus a button that is pressed.
  const events = ["focusin", "pointerdown"] as const;
  for (const event of events) document.addEventListener(event, enter);
  return () => {
    for (const event of events) document.removeEventListener(event, enter);
  };
}

/**
 * Focuses the text field of a question when it appears, if the focus is in an empty message field or was in the previous question. Waits
 * until the person has stopped typing, and does nothing if a message is being written by then, since that must not become an answer.
 */
export function useTextFocus(field: RefObject<HTMLInputElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const take = () => {
      if (isTyping()) timer = setTimeout(take, AGAIN_MS);
      else if (isFree()) field.current?.focus();
    };
    take();
    return () => clearTimeout(timer);
  }, [field, isOn]);
}

/** Returns the focus to the message field. */
export function leaveQuestion(): void {
  document.querySelector<HTMLElement>(MESSAGE)?.focus();
}

function isFree(): boolean {
  const at = document.activeElement;
  if (at === null || at.matches(NOWHERE)) return wasInQuestion;
  return at instanceof HTMLTextAreaElement && at.matches(MESSAGE) && at.value === "";
}
