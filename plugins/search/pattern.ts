import { errors } from "./errors.ts";

const LONGEST = 1_000;

/** A search query: words separated by any white space. */
export interface Query {
  /** Pattern for the raw bytes of a log, in any JSON notation. May match too much, but never too little. */
  readonly recorded: string;
  /** Pattern for readable text. */
  readonly read: RegExp;
}

/** Creates a query; throws FIND_EMPTY and FIND_LONG. */
export function queryOf(text: string, caseSensitive: boolean): Query {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) throw errors.FIND_EMPTY();
  if (text.length > LONGEST) throw errors.FIND_LONG({ length: text.length, limit: LONGEST });
  return {
    recorded: words.map((word) => [...word].map(recorded).join("")).join(SPACE),
    read: new RegExp(words.map(escaped).join("\\s+"), caseSensitive ? "u" : "iu"),
  };
}

/** Matches white space in JSON, plain or escaped. */
const SPACE = String.raw`(?:\s|\\[nrtfb]|\\u[0-9a-fA-F]{4})+`;

/** Returns a pattern for a character in every notation of JSON. ASCII letters and digits are never escaped. */
function recorded(character: string): string {
  if (/[A-Za-z0-9_]/.test(character)) return character;
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  const codes = [...cases].map((written) => `(?i:${hexOf(written)})`);
  const short = /["\\/]/.test(character) ? [`\\\\${escaped(character)}`] : [];
  // A lone surrogate has no UTF-8 bytes.
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
