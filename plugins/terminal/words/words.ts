import { en, type Words } from "./en.ts";

export type { Words };
export type Language = "auto" | "en" | "zh";

/** The texts in the chosen language, else in the language of the user's locale if there is a translation, else in English. */
export async function wordsFor(language: Language, env: Readonly<Record<string, string | undefined>>): Promise<Words> {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  const chosen = language === "auto" ? (/^zh/i.test(locale) ? "zh" : "en") : language;
  return chosen === "zh" ? (await import("./zh.ts")).zh : en;
}
