import type { Skill } from "../contract.ts";
import type { Skills } from "../load/skills.ts";
import { unreadTexts } from "./words.ts";

/**
 * The unlisted skills that new messages ask for: all if a message names Scorel, otherwise those whose name words all appear in
 * it.
 */
export function requestedSkills(skills: Skills): ReadonlySet<Skill> {
  const unlisted = skills.forModel.filter(({ isUnlisted }) => isUnlisted);
  const texts = unlisted.length > 0 ? unreadTexts(skills).map((text) => new Set(text.toLowerCase().match(/\w+/g))) : [];
  if (texts.some((words) => words.has("scorel"))) return new Set(unlisted);
  return new Set(
    unlisted.filter(({ name }) => texts.some((words) => nameWords(name).every((word) => words.has(word)))),
  );
}

function nameWords(name: string): string[] {
  return name.split("-").filter((word) => word !== "scorel");
}
