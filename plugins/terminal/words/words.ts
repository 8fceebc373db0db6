import { en, type Words } from "./en.ts";

export type { Words };
export type Language = "auto" | "en" | "zh";

/** The texts in the language that was chosen, or else in that of the person's locale, as far as there is one for it. */
export async function wordsFor(language: Language, env: Readonly<Record<string, string | undefined>>): Promise<Words> {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  const chosen = language === "auto" ? (/^zh/i.test(locale) ? "zh" : "en") : language;
  return chosen === "zh" ? (await import("./zh.ts")).zh : en;
}
