import { remembered } from "@scorel/kit/values/remembered";

/** A member in the source text of an object literal or class. */
export interface Member {
  name: string;
  readonly line: number;
  /** The index in the source at which `text` begins. */
  from: number;
  /** The text after the name, up to the next member. */
  text: string;
}

/**
 * Strings, comments, templates and regular expressions. A `/` after the end of a value is a division. What has no end is taken up to the end
 * of the line or file, so that the search never reads a text again from its next quote.
 */
const quoted =
  /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?=\/)(?<=(?:[(,=:[!&|?{};>]|return)\s{0,99})\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,99}\]){1,999}\/\w*/g;
/** The most places where `activate` may be written that are examined. */
const MOST_PLACES = 20;

/** The source with strings, comments, templates and regular expressions replaced by spaces. Its length does not change. */
export function withoutTexts(source: string): string {
  return source.replaceAll(quoted, (text) => text.replaceAll(/[^\n]/g, " "));
}

/**
 * The source with comments replaced by spaces. Its length does not change. What looks like a comment without an end stays, since no file with
 * one can be loaded: it is part of a regular expression that was not recognised.
 */
export function withoutComments(source: string): string {
  return source.replaceAll(quoted, (text) =>
    /^\/(?:\/|\*[\s\S]*\*\/$)/.test(text) ? text.replaceAll(/[^\n]/g, " ") : text,
  );
}

/**
 * The members of the object literal or class body around `index`. They are read from the text, so spread and computed members
 * are missing.
 */
export function membersAround(source: string, index: number): Member[] {
  return membersAt(source, withoutTexts(source), index);
}

function membersAt(source: string, code: string, index: number): Member[] {
  const open = opening(code, index);
  return open === undefined ? [] : membersOf(source, code, open);
}

/** The members of the object literals that `activate` returns, where it is written as a member of a plugin. */
export function returnedMembers(source: string): Member[] {
  const code = withoutTexts(source);
  const places = [...code.matchAll(/(?<=[{,;\s])activate\s*(?=[(:=])/g)].slice(0, MOST_PLACES);
  const activate = places.find(({ index }) => membersAt(source, code, index).some(({ name }) => name === "id"));
  if (!activate) return [];
  const text = membersAt(source, code, activate.index).find(({ name }) => name === "activate")?.text ?? "";
  const from = activate.index;
  return [...code.slice(from, from + activate[0].length + text.length).matchAll(/(?:\breturn|=>\s*\()\s*\{/g)].flatMap(
    ({ 0: all, index }) => membersOf(source, code, from + index + all.length - 1),
  );
}

/** The members of the object or class whose brace is at `open`. `code` is the source after `withoutTexts`. */
export function membersOf(source: string, code: string, open: number): Member[] {
  const starts: { name: string; at: number; from: number }[] = [];
  const member = /(?:(?:async|static|get|readonly)\s+)*(?:\*\s*)?([A-Za-z_$][\w$]*)\s*(?:[?!]\s*)?(?=[:(=,};])/y;
  const closings = closingsIn(code);
  let mayBegin = true;
  let at = open + 1;
  for (; at < code.length && at !== closings[open]; at++) {
    if (mayBegin && /[A-Za-z_$*]/.test(code[at] as string)) {
      member.lastIndex = at;
      const found = member.exec(code);
      if (found?.[1]) {
        starts.push({ name: found[1], at, from: member.lastIndex });
        at = member.lastIndex - 1;
      }
      mayBegin = false;
      continue;
    }
    // Skips the content of brackets. Otherwise, the text of nested objects would be read again for each of them.
    if (isOpening(code[at])) at = closings[at] || code.length;
    // A member of a class may end without a semicolon, at the end of its line.
    mayBegin = /[,;}\n]/.test(code[at] ?? "") || (mayBegin && /\s/.test(code[at] ?? ""));
  }
  return starts.map(({ name, at: start, from }, number) => ({
    name,
    get line() {
      return lineAt(source, start);
    },
    from,
    text: source.slice(from, starts[number + 1]?.at ?? at + 1),
  }));
}

const isOpening = (char = "") => char !== "" && "([{".includes(char);

/** For the index of each opening bracket, the index of the bracket that closes it, or 0 if it has no end. */
const closingsIn = remembered((code) => {
  const closings = new Int32Array(code.length);
  const open: number[] = [];
  for (const { 0: char, index } of code.matchAll(/[()[\]{}]/g)) {
    const begun = isOpening(char) ? void open.push(index) : open.pop();
    if (begun !== undefined) closings[begun] = index;
  }
  return closings;
}, 2);

export function lineAt(source: string, index: number): number {
  return source.slice(0, index).split("\n").length;
}

/** The index of the brace directly around `index`. */
function opening(code: string, index: number): number | undefined {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    if (")]}".includes(code[at] as string)) depth++;
    if (!"([{".includes(code[at] as string)) continue;
    if (depth === 0) return code[at] === "{" ? at : undefined;
    depth--;
  }
  return undefined;
}
