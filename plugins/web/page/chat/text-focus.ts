import { type RefObject, useEffect } from "react";
import { isTyping } from "../app/typing.ts";

const MESSAGE = ".composer textarea";
const QUESTION = ".question";
/** Elements that have the focus when no control has it. */
const NOWHERE = "body, main";
/** Milliseconds between two checks whether the person has stopped typing. */
const AGAIN_MS = 100;

/** The keyboard was in a question, or a button of one was pressed, and nothing else has had it since. */
let wasInQuestion = false;

/** Notes whether the keyboard is in questions. Returns the function that ends it. */
export function hearQuestions(): () => void {
  const enter = ({ type, target }: Event) => {
    // The page itself moves the focus there when a button with it is removed.
    if (type === "focusin" && target instanceof Element && target.matches(NOWHERE)) return;
    wasInQuestion = target instanceof Element && target.closest(QUESTION) !== null;
  };
  // Some browsers do not give the focus to a button that is pressed.
  const events = ["focusin", "pointerdown"] as const;
  for (const event of events) document.addEventListener(event, enter);
  return () => {
    for (const event of events) document.removeEventListener(event, enter);
  };
}

/**
 * Gives the keyboard to the field of a question when it appears, if it is in an empty field for messages or was in the question before. It
 * waits until nothing is typed, and leaves it to whoever writes a message then: that must not become an answer.
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

/** Gives the keyboard back to the field for messages. */
export function leaveQuestion(): void {
  document.querySelector<HTMLElement>(MESSAGE)?.focus();
}

function isFree(): boolean {
  const at = document.activeElement;
  if (at === null || at.matches(NOWHERE)) return wasInQuestion;
  return at instanceof HTMLTextAreaElement && at.matches(MESSAGE) && at.value === "";
}
