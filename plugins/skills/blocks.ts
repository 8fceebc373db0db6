import type { LoadedSkill } from "./contract.ts";

/** The text that an event holds; undefined when the log has no such event. */
export type ContentOf = (id: string) => string | undefined;

/** What a text that was loaded and is lost reads as; a damaged log can lose one. */
const LOST = "[this text is no longer in the log: load it again]";
/** Text of the harness, which no skill may pass for. */
const TAG = /<(?=[\s/]*system-reminder)/gi;
/** How a line of ours begins: another skill's text, its docs, a list of skills. */
const HEAD =
  /^([^\S\n]*)(?=\[(?:Loaded|Doc)\] |Docs (?:of .* )?loaded: |(?:Available skills|Loaded skill context|The available skills have changed):)/gm;

/** A loaded skill as the model reads it: its body and the docs that were selected, or the docs alone. */
export function blockOf({ name, content, folder, docs }: LoadedSkill, textOf: ContentOf): string {
  const named = docs.map(({ path }) => path).join(", ");
  const texts = docs.map((doc) => `[Doc] ${doc.path}\n\n${harmless(textOf(doc.content))}`);
  if (content === undefined) return [`Docs of ${name} loaded: ${named}`, ...texts].join("\n\n");
  const place = folder === undefined ? "" : `Folder: ${folder}\n\n`;
  const head = `[Loaded] ${name}\n\n${place}${harmless(textOf(content))}\nDocs loaded: ${named || "none"}`;
  return [head, ...texts].join("\n\n");
}

/** Several of them, in the order of their names. */
export function blocksOf(skills: readonly LoadedSkill[], textOf: ContentOf): string {
  return byName(skills)
    .map((skill) => blockOf(skill, textOf))
    .join("\n\n");
}

/** What a `skill_context` puts into the conversation. */
export function contextText(
  { skills, again, left }: { skills: readonly LoadedSkill[]; again?: true; left: readonly string[] },
  textOf: ContentOf,
): string {
  const parts = [
    again && skills.length > 0 ? CONTEXT : "",
    blocksOf(skills, textOf),
    left.length > 0
      ? `No room was left for these loaded skills; load them again if you need them: ${left.join(", ")}`
      : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Stands over loaded texts that are told again, away from where they were loaded. */
export const CONTEXT = "Loaded skill context:";

export function byName<T extends { name: string }>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** A skill's own words, which speak neither as the harness nor as another skill. */
export function harmless(text: string | undefined): string {
  return (text ?? LOST).replace(TAG, "&lt;").replace(HEAD, "$1\\");
}
