import type { Skill } from "../contract.ts";
import { harmless } from "../load/blocks.ts";
import type { Skills } from "../load/skills.ts";
import { POINTS, type Words, wordsIn } from "./matching.ts";

const MOST = 20;

/** Finds skills by words in their names and descriptions, best first. */
export function search(skills: Skills, query: string): { text: string } {
  const words = wordsIn(query);
  const rows = skills.forModel
    .map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const lines = rows.slice(0, MOST).map(({ skill: { name, description } }) => `- ${name}: ${harmless(description)}`);
  const more = rows.length - lines.length;
  const note = more > 0 ? [`${more} more contain fewer of these words.`] : [];
  const none = `No skill contains any of these words: ${[...words.values()].join(", ")}.`;
  return { text: [...lines, ...note].join("\n") || none };
}

function scoreOf({ name, description }: Skill, words: Words): number {
  const [title, text] = [pointsIn(name, words, POINTS.name), pointsIn(description, words, POINTS.description)];
  return title + text;
}

/** Scores a text; a search also accepts parts of words. */
function pointsIn(text: string, words: Words, points: number): number {
  const [stems, lower] = [wordsIn(text), text.toLowerCase()];
  return [...words].filter(([stem, word]) => stems.has(stem) || lower.includes(word)).length * points;
}
