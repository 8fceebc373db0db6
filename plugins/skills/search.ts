import { harmless } from "./blocks.ts";
import type { Skill } from "./contract.ts";
import type { Skills } from "./skills.ts";

const MOST = 20;

/** The skills whose names and descriptions hold the words, those with most of them first. */
export function search(skills: Skills, query: string): { text: string } {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const rows = skills.forModel
    .map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const lines = rows.slice(0, MOST).map(({ skill: { name, description } }) => `- ${name}: ${harmless(description)}`);
  const more = rows.length - lines.length;
  const note = more > 0 ? [`${more} more hold fewer of these words.`] : [];
  return { text: [...lines, ...note].join("\n") || `No skill holds any of these words: ${words.join(", ")}.` };
}

/** A word of the name says more than one of the description. */
function scoreOf({ name, description }: Skill, words: readonly string[]): number {
  const [title, text] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce((sum, word) => sum + (title.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0);
}
