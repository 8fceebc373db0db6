import type { AppendEntry } from "@scorel/kernel";
import { Matching, tellingWords } from "./matching.ts";
import { cut, oneLine } from "./overview.ts";
import type { Skills } from "./skills.ts";
import { unreadTexts } from "./words.ts";

/** More of a message is something that was pasted. */
const READ = 10_000;
const MOST_HINTS = 5;
const LONGEST = 300;

/**
 * Where the list had no room to describe all skills: the descriptions of those that the new messages are about, once in a
 * session, behind the messages. The list itself stays as it is, so that what a provider has cached of it goes on to count.
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

/** What the prompt says of skills. */
function listIn({ ctx }: Skills): string {
  const sections = ctx.session.projection("instructions").snapshot?.sections ?? [];
  return sections.map(({ block }) => block).join("\n");
}

function isLoaded({ state }: Skills, name: string): boolean {
  return state.loaded.some((skill) => skill.name === name);
}
