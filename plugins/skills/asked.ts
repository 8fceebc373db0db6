import type { Skill } from "./contract.ts";
import { Matching, wordsIn } from "./matching.ts";
import type { Skills } from "./skills.ts";
import { unreadTexts } from "./words.ts";

/** The unlisted skills that the new messages ask for: all of them by the name of Scorel, else those whose words they hold. */
export function askedFor(skills: Skills): ReadonlySet<Skill> {
  const unlisted = skills.forModel.filter(({ isUnlisted }) => isUnlisted);
  const texts = unlisted.length > 0 ? unreadTexts(skills) : [];
  if (texts.some((text) => /\bscorel\b/i.test(text))) return new Set(unlisted);
  const matching = new Matching(unlisted);
  return new Set(texts.flatMap((text) => matching.fits(wordsIn(text)).map(({ skill }) => skill)));
}
