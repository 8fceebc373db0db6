import { createContext, useContext } from "react";
import { accessWords } from "./access.ts";
import { appWords } from "./app.ts";
import { awayWords } from "./away.ts";
import { chatWords } from "./chat.ts";
import { chooseWords } from "./choose.ts";
import { composerWords } from "./composer.ts";
import { deviceWords } from "./devices.ts";
import { displayWords } from "./display.ts";
import { keysWords } from "./keys.ts";
import { manageWords } from "./manage.ts";
import { messageWords } from "./message.ts";
import { picturesWords } from "./pictures.ts";
import { questionsWords } from "./questions.ts";
import { searchWords } from "./search.ts";
import { sidebarWords } from "./sidebar.ts";
import { statusWords } from "./status.ts";
import { waitingWords } from "./waiting.ts";
import { workWords } from "./work.ts";

/** All texts of the page in one language. Each part of the page has a file of its own for them. */
const inLanguage = (language: "en" | "zh") => ({
  ...accessWords[language],
  ...appWords[language],
  ...awayWords[language],
  ...deviceWords[language],
  ...searchWords[language],
  ...sidebarWords[language],
  ...keysWords[language],
  ...manageWords[language],
  ...chooseWords[language],
  ...chatWords[language],
  ...composerWords[language],
  ...messageWords[language],
  ...picturesWords[language],
  ...questionsWords[language],
  ...statusWords[language],
  ...displayWords[language],
  ...waitingWords[language],
  ...workWords[language],
});

export type Words = ReturnType<typeof inLanguage>;

/** The texts in the language that the browser prefers: Chinese or English. */
export function wordsOf(languages: readonly string[]): { language: "en" | "zh-CN"; words: Words } {
  const known = languages.find((language) => /^(en|zh)\b/i.test(language));
  const isChinese = known !== undefined && /^zh/i.test(known);
  return { language: isChinese ? "zh-CN" : "en", words: inLanguage(isChinese ? "zh" : "en") };
}

export const WordsContext = createContext<Words>(inLanguage("en"));

export function useWords(): Words {
  return useContext(WordsContext);
}
