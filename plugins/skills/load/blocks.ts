import type { LoadedSkill } from "../contract.ts";

/** Looks up the text of an event; undefined when the log does not have it. */
export type ContentOf = (id: string) => string | undefined;

/** The text in place of a loaded one that is missing because the log was damaged. */
const LOST = "[this text is no longer in the log: load it again]";
/** Markup of the harness, which skill texts must not imitate. */
const TAG = /<(?=[\s/]*system-reminder)/gi;
/** Line starts that this plugin writes itself, which skill texts must not imitate. */
const HEAD =
  /^([^\S\n]*)(?=\[(?:Loaded|Doc)\] |Docs (?:of .* )?loaded: |(?:Available skills|Loaded skill context|Further skills for this message|The available skills have changed):)/gm;

/** A loaded skill as the model reads it: its body with selected docs, or only docs. */
export function blockOf({ name, content, folder, docs }: LoadedSkill, textOf: ContentOf): string {
  const named = docs.map(({ path }) => path).join(", ");
  const texts = docs.map((doc) => `[Doc] ${doc.path}\n\n${harmless(textOf(doc.content))}`);
  if (content === undefined) return [`Docs of ${name} loaded: ${named}`, ...texts].join("\n\n");
  const place = folder === undefined ? "" : `Folder: ${folder}\n\n`;
  const head = `[Loaded] ${name}\n\n${place}${harmless(textOf(content))}\nDocs loaded: ${named || "none"}`;
  return [head, ...texts].join("\n\n");
}

/** Several loaded skills, sorted by name. */
export function blocksOf(skills: readonly LoadedSkill[], textOf: ContentOf): string {
  return byName(skills)
    .map((skill) => blockOf(skill, textOf))
    .join("\n\n");
}

/** The text that a `skill_context` event adds to the conversation. */
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

/** The heading over loaded texts that are repeated later in the conversation. */
export const CONTEXT = "Loaded skill context:";

/** A copy sorted by name, independently of the locale. */
export function byName<T extends { name: string }>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Escapes a skill's text so that it cannot imitate the harness or another skill. */
export function harmless(text: string | undefined): string {
  return (text ?? LOST).replace(TAG, "&lt;").replace(HEAD, "$1\\");
}
