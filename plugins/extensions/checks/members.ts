/** A member of an object or class as its text has it. */
export interface Member {
  name: string;
  readonly line: number;
  /** Where its text begins in the source. */
  from: number;
  /** The text after the name, up to the next member. */
  text: string;
}

/** Strings, comments, templates and regular expressions; the last need something before them that no value ends with. */
const quiet =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=(?:[(,=:[!&|?{};>]|return)\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;

/** Code of the same length in which what is quoted, and comments, are blank. */
export function withoutTexts(source: string): string {
  return source.replaceAll(quiet, (text) => text.replaceAll(/[^\n]/g, " "));
}

/**
 * The members beside the one at `index`: of the object literal or class body around it. Read from the text, so what is spread
 * or computed is not seen.
 */
export function membersAround(source: string, index: number): Member[] {
  const code = withoutTexts(source);
  const open = opening(code, index);
  return open === undefined ? [] : membersOf(source, code, open);
}

/** The members of the object or class whose brace is at `open`; `code` is the source without its texts. */
export function membersOf(source: string, code: string, open: number): Member[] {
  const starts: { name: string; at: number; from: number }[] = [];
  const member = /(?:async\s+|static\s+|get\s+|readonly\s+)*\*?\s*([A-Za-z_$][\w$]*)\s*[?!]?\s*(?=[:(=,};])/y;
  let depth = 0;
  let mayBegin = true;
  let at = open + 1;
  for (; at < code.length && depth >= 0; at++) {
    const char = code[at] as string;
    if (depth === 0 && mayBegin && /[A-Za-z_$*]/.test(char)) {
      member.lastIndex = at;
      const found = member.exec(code);
      if (found?.[1]) {
        starts.push({ name: found[1], at, from: member.lastIndex });
        at = member.lastIndex - 1;
      }
      mayBegin = false;
      continue;
    }
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    // A member of a class may end without a sign, at the end of its line.
    mayBegin = depth === 0 && (/[,;}\n]/.test(char) || (mayBegin && /\s/.test(char)));
  }
  return starts.map(({ name, at: start, from }, number) => ({
    name,
    get line() {
      return lineAt(source, start);
    },
    from,
    text: source.slice(from, starts[number + 1]?.at ?? at),
  }));
}

export function lineAt(source: string, index: number): number {
  return source.slice(0, index).split("\n").length;
}

/** The brace that the place is directly inside of. */
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
