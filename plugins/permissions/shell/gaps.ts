import type { Word, WordPart } from "unbash";

/**
 * Placeholders for text that is only known when a command runs. `MANY` may become any number of words, `ONE` stays within its
 * word, and `PIPE` is a file that another command writes. They are private-use characters, which the parser rejects in a
 * command.
 */
export const MANY = "\uE000";
export const ONE = "\uE001";
export const PIPE = "\uE002";

const GAP = /[\uE000-\uE002]/;

/** Whether a text contains a gap. */
export function hasGap(text: string): boolean {
  return GAP.test(text);
}

/** Whether a character is a gap. */
export function isGap(char: string): boolean {
  return char >= MANY && char <= PIPE;
}

/** Whether a word may turn out to be an option. */
export function mayBeOption(word: string): boolean {
  return /^[-+\uE000\uE001]/.test(word);
}

/** Whether a word may expand to nothing. */
export function mayVanish(word: string): boolean {
  return /^\uE000+$/.test(word);
}

/** The value of a word, with a gap for each part that only the shell knows. */
export function gapped(word: Word): string {
  // A glob next to other letters expands to a name without surrounding blanks.
  const glob = word.parts?.some(({ type }) => type === "Literal" || type.endsWith("Quoted")) ? ONE : MANY;
  const value = word.parts
    ? word.parts.map((part) => (part.type === "Glob" ? glob : partValue(part))).join("")
    : plainValue(word.text, word.value);
  // The shell replaces a tilde with a folder.
  return /(?:^|[=:])~/.test(word.text) ? value.replace(/(^|[=:])~[^/:]*/g, `$1${ONE}`) : value;
}

/** The body of a here-document, where only expansions are special. */
export function gappedText(text: string, parts: readonly WordPart[] | undefined): string {
  return parts ? parts.map((part) => (part.type === "Literal" ? part.value : MANY)).join("") : text;
}

/** The value of a part of a word, with gaps. `inner` means that the part is quoted, or that its word has other letters. */
export function gappedPart(part: WordPart, inner: boolean): string {
  if (part.type === "Literal") return inner ? part.value : partValue(part);
  if (part.type === "Glob") return inner ? ONE : MANY;
  return inner ? quotedGap(part.text) : partValue(part);
}

function partValue(part: WordPart): string {
  switch (part.type) {
    case "Literal":
      return plainValue(part.text, part.value);
    case "SingleQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((inner) => (inner.type === "Literal" ? inner.value : quotedGap(inner.text))).join("");
    case "AnsiCQuoted":
      return ONE;
    case "ProcessSubstitution":
      return PIPE;
    default:
      return MANY;
  }
}

/** `$@` and array expansions become several words even in quotes. */
function quotedGap(text: string): string {
  return /[@*]/.test(text) ? MANY : ONE;
}

function plainValue(text: string, value: string): string {
  return /[$`]/.test(text.replace(/\\[\s\S]/g, "")) ? MANY : value;
}
