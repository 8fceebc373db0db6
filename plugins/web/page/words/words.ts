import { createContext, useContext } from "react";
import { en, type Words } from "./en.ts";
import { zh } from "./zh.ts";

export type { Words };

/** The words in the language of the browser: Chinese or English. */
export function wordsOf(languages: readonly string[]): { language: "en" | "zh-CN"; words: Words } {
  const known = languages.find((language) => /^(en|zh)\b/i.test(language));
  return known && /^zh/i.test(known) ? { language: "zh-CN", words: zh } : { language: "en", words: en };
}

export const WordsContext = createContext<Words>(en);

export function useWords(): Words {
  return useContext(WordsContext);
}
