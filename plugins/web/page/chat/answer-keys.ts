import { type RefObject, useEffect, useState } from "react";
import { useCommands } from "../app/commands.ts";
import { useKeys } from "../app/keys.ts";
import { isTyping, noteTyping } from "../app/typing.ts";
import { useWords } from "../words/words.ts";

/** Milliseconds for which a question must be visible before keys answer it. A person who is still typing has not read it. */
const READ_MS = 700;
/** Share of an element that counts as all of it, since sizes are rounded. */
export const WHOLE = 0.95;
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
const DIGITS = ["0", ...KEYS];

interface Option {
  value: string;
  label: string;
}

/**
 * Answers a question by the number of an option if `isRead`, and offers its answers in the palette. Until then, digits do nothing, not even in
 * an empty message field.
 */
export function useAnswerKeys(options: readonly Option[], isRead: boolean, answer: (value: string) => void): void {
  const words = useWords();
  // A key that comes too early was meant for something else, and so are the keys right after it.
  const press = (value: string) => (isRead && !isTyping() ? answer(value) : noteTyping());
  const numbered = options.slice(0, KEYS.length).map(({ value }, at) => [KEYS[at], () => press(value)] as const);
  const early = isRead || options.length === 0 ? [] : DIGITS.map((digit) => [digit, noteTyping] as const);
  useKeys(Object.fromEntries([...early, ...numbered]), { inEmptyField: true });
  useCommands(() =>
    options.map(({ value, label }, at) => ({
      id: `answer ${value}`,
      label: words.answerWith(label),
      ...(at < KEYS.length && { keys: KEYS[at] }),
      run: () => answer(value),
    })),
  );
}

/**
 * Whether all elements that match `parts` have been visible for READ_MS. Without `parts`, whether the question has been shown for that
 * time.
 */
export function useRead(place: RefObject<HTMLElement | null>, parts = ""): boolean {
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    const hidden = new Set(parts === "" ? [] : place.current?.querySelectorAll(parts));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (hidden.size > 0) setRead(false);
      else timer = setTimeout(() => setRead(true), READ_MS);
    };
    const observer = new IntersectionObserver(
      (seen) => {
        for (const { target, intersectionRatio } of seen)
          if (intersectionRatio < WHOLE) hidden.add(target);
          else hidden.delete(target);
        look();
      },
      { threshold: WHOLE },
    );
    for (const part of hidden) observer.observe(part);
    look();
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [place, parts]);
  return isRead;
}
