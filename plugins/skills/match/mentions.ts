import type { Skill } from "../contract.ts";

/** The most skills that one message can name. */
const MOST = 8;

/** The skills that a message names: `/skill:name` at its start, `$name` anywhere outside of code. */
export function mentioned(text: string, skills: readonly Skill[]): Skill[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  const first = /^\s*\/skill:(\S+)/.exec(prose)?.[1];
  const names = Array.from(
    prose.matchAll(/(?<![\p{L}\p{N}$\\_])\$([\p{L}\p{N}][\p{L}\p{N}._-]{0,127})/gu),
    ([, name]) => name,
  );
  const all = [...(first === undefined ? [] : [first]), ...names] as string[];
  const found = all.flatMap(
    (name) => skills.find((skill) => skill.name === name || skill.name === unmarked(name)) ?? [],
  );
  return [...new Set(found)].slice(0, MOST);
}

/** The name in a leading `/skill:name` if there is no such skill. */
export function missingIn(text: string, skills: readonly Skill[]): string | undefined {
  const name = /^\s*\/skill:(\S+)/.exec(text)?.[1];
  const isKnown = skills.some((skill) => skill.name === name || (name && skill.name === unmarked(name)));
  return isKnown ? undefined : name;
}

/** Removes trailing punctuation. */
function unmarked(name: string): string {
  let end = name.length;
  while (end > 0 && "._-".includes(name[end - 1] as string)) end--;
  return name.slice(0, end);
}

/** The text after `/skill:name` for this skill. */
export function argumentsIn(text: string, { name }: Skill): string | undefined {
  const [, first = "", given] = /^\s*\/skill:(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return first === name || unmarked(first) === name ? given?.trim() : undefined;
}
