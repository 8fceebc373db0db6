import { errors } from "./errors.ts";

const LONGEST = 1_000;

/** What a person searches for: words, where any white space between two stands for any other. */
export interface Query {
  /** Over the bytes of a log, in whatever way JSON writes the words. Finds more, never less. */
  readonly recorded: string;
  /** Over a text as people read it. */
  readonly read: RegExp;
}

/** Throws FIND_EMPTY and FIND_LONG. */
export function queryOf(text: string, caseSensitive: boolean): Query {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) throw errors.FIND_EMPTY();
  if (text.length > LONGEST) throw errors.FIND_LONG({ length: text.length, limit: LONGEST });
  return {
    recorded: words.map((word) => [...word].map(recorded).join("")).join(SPACE),
    read: new RegExp(words.map(escaped).join("\\s+"), caseSensitive ? "u" : "iu"),
  };
}

/** White space in JSON: as it is, or escaped. */
const SPACE = String.raw`(?:\s|\\[nrtfb]|\\u[0-9a-fA-F]{4})+`;

/** One character in all the ways in which JSON may write it; letters and digits of ASCII are never escaped. */
function recorded(character: string): string {
  if (/[A-Za-z0-9_]/.test(character)) return character;
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  const codes = [...cases].map((written) => `(?i:${hexOf(written)})`);
  const short = /["\\/]/.test(character) ? [`\\\\${escaped(character)}`] : [];
  // A half of a pair has no bytes of its own.
  const plain = /\p{Surrogate}/u.test(character) || /["\\]/.test(character) ? [] : [escaped(character)];
  return `(?:${[...plain, ...short, ...codes].join("|")})`;
}

function hexOf(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const hex = text.charCodeAt(at).toString(16).padStart(4, "0");
    return `\\\\u${hex}`;
  }).join("");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
