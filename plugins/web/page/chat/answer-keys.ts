import { useEffect, useState } from "react";
import { useCommands } from "../app/commands.ts";
import { useKeys } from "../app/keys.ts";
import { useWords } from "../words/words.ts";

/** How long a question must have been shown before keys answer it: whoever types meanwhile has not read it. */
const READ_MS = 700;
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

interface Option {
  value: string;
  label: string;
}

/** Answers a question by the number of an option, offers its answers in the palette, and tells whether its keys act yet. */
export function useAnswerKeys(options: readonly Option[], answer: (value: string) => void): boolean {
  const words = useWords();
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRead(true), READ_MS);
    return () => clearTimeout(timer);
  }, []);
  const numbered = options
    .slice(0, KEYS.length)
    .map(({ value }, at) => [KEYS[at], () => isRead && answer(value)] as const);
  useKeys(Object.fromEntries(numbered));
  useCommands(() =>
    options.map(({ value, label }, at) => ({
      id: `answer ${value}`,
      label: words.answerWith(label),
      ...(at < KEYS.length && { keys: KEYS[at] }),
      run: () => answer(value),
    })),
  );
  return isRead;
}
