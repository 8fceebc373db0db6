import type { AppendEntry } from "@scorel/kernel";
import type { Skills } from "../load/skills.ts";
import { Matching, tellingWords } from "./matching.ts";
import { cut, oneLine } from "./overview.ts";
import { unreadTexts } from "./words.ts";

/** How many characters of the new messages are read; longer text was probably pasted. */
const READ = 10_000;
const MOST_HINTS = 5;
const LONGEST = 300;

/**
 * Adds the descriptions of skills that match the new messages, after the messages and once per session, if the list had
 * no room for all descriptions. The list itself stays unchanged, so that the provider's prompt cache stays valid.
 */
export function hints(skills: Skills): AppendEntry[] {
  if (!skills.isOffered || !skills.isShortened) return [];
  const words = tellingWords(unreadTexts(skills).join("\n").slice(0, READ));
  const fits = words.size === 0 ? [] : new Matching(skills.listed).fits(words);
  const list = listIn(skills);
  const isNews = (name: string) =>
    !skills.hinted.has(name) && !list.includes(`\n- ${name}: `) && !isLoaded(skills, name);
  const told = fits
    .map(({ skill }) => skill)
    .filter(({ name }) => isNews(name))
    .slice(0, MOST_HINTS);
  if (told.length === 0) return [];
  for (const { name } of told) skills.hinted.add(name);
  const lines = told.map(({ name, description }) => `- ${name}: ${cut(oneLine(description), LONGEST)}`);
  const text = ["These skills may fit:", ...lines].join("\n");
  return [{ type: "harness_item", payload: { kind: "skill_listing", origin: "skill", visibility: "model", text } }];
}

/** The prompt's sections as text. */
function listIn({ ctx }: Skills): string {
  const sections = ctx.session.projection("instructions").snapshot?.sections ?? [];
  return sections.map(({ block }) => block).join("\n");
}

function isLoaded({ state }: Skills, name: string): boolean {
  return state.loaded.some((skill) => skill.name === name);
}
