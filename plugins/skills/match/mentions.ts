import type { Skill } from "../contract.ts";

/** The most skills that one message can name. */
const MOST = 8;

/** Scripts in which a name is joined to the words around it without spaces. */
const JOINED = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Khmr}\\p{scx=Laoo}";
const MENTION = new RegExp(`(?<!(?![${JOINED}])[\\p{L}\\p{N}$\\\\_])\\$([\\p{L}\\p{N}][\\p{L}\\p{N}._-]{0,127})`, "gu");
const STARTS_JOINED = new RegExp(`^[${JOINED}]`, "u");

/** The skills that a message names: `/skill:name` at its start, `$name` anywhere outside of code. */
export function mentioned(text: string, skills: readonly Skill[]): Skill[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  const first = /^\s*\/skill:(\S+)/.exec(prose)?.[1];
  const words = Array.from(prose.matchAll(MENTION), ([, word]) => word as string);
  const found = [
    first === undefined ? undefined : exactly(first, skills),
    ...words.map((word) => exactly(word, skills) ?? joined(word, skills)),
  ];
  return [...new Set(found.filter((skill) => skill !== undefined))].slice(0, MOST);
}

function exactly(word: string, skills: readonly Skill[]): Skill | undefined {
  return skills.find(({ name }) => name === word || name === unmarked(word));
}

/** The skill with the longest name that begins a word and is joined to the next one, as in `$pdf看看`. */
function joined(word: string, skills: readonly Skill[]): Skill | undefined {
  return skills
    .filter(({ name }) => word.startsWith(name) && STARTS_JOINED.test(word.slice(name.length)))
    .sort((a, b) => b.name.length - a.name.length)[0];
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
