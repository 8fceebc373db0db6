/** The part of highlight.js that is used here. Each program loads it with the languages that it needs. */
interface HighlightJs {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: true }): { value: string; _top?: object };
}

/** Highlighted code. */
interface Highlighted {
  /** The markup of highlight.js: spans, entities and text. */
  markup: string;
  /** The code after that, for which there was no time. */
  rest: string;
  /** Whether all code is highlighted, and no comment, string or other element is still open at its end. */
  isWhole: boolean;
}

/** The most characters of code that is highlighted, and of one of its lines. */
const MOST = 20_000;
const LONGEST_LINE = 1_000;
/** The fewest characters of a piece, except the last. */
const PIECE = 800;
/** Milliseconds after which the rest stays plain, since nothing else can run meanwhile. */
const LIMIT_MS = 200;

/** Whether code is short enough to be highlighted. */
export function isHighlightable(code: string): boolean {
  return code.length <= MOST && !code.split("\n").some((line) => line.length > LONGEST_LINE);
}

/**
 * Highlights code in pieces, since some grammars take a time that grows with the cube of the length: 20,000 characters of what looks like C#
 * can take minutes. A piece ends where no element is open, and before a line without indentation if there is one soon. Returns undefined
 * for an unknown language.
 */
export function highlighted(hljs: HighlightJs, code: string, language: string): Highlighted | undefined {
  const grammar = hljs.getLanguage(language);
  if (!grammar) return undefined;
  const began = performance.now();
  let markup = "";
  let at = 0;
  let size = PIECE;
  for (;;) {
    const end = endOf(code, at, size);
    const { value, _top: open } = hljs.highlight(code.slice(at, end), { language, ignoreIllegals: true });
    const isWhole = open === grammar;
    if (end === code.length) return { markup: markup + value, rest: "", isWhole };
    if (isWhole) {
      markup += value;
      at = end;
      size = PIECE;
    } else size *= 2;
    if (performance.now() - began > LIMIT_MS) return { markup, rest: code.slice(at), isWhole: false };
  }
}

/** The end of a piece that may have `size` characters, or twice as many if a line without indentation begins there. */
function endOf(code: string, at: number, size: number): number {
  const soonest = lineEnd(code, at + size);
  for (let end = soonest; end < Math.min(code.length, at + 2 * size); end = lineEnd(code, end + 1))
    if (/[^\s})\]]/.test(code[end] as string)) return end;
  return soonest;
}

/** The end of the line in which the character before `from` is. */
function lineEnd(code: string, from: number): number {
  const end = code.indexOf("\n", from - 1);
  return end < 0 ? code.length : end + 1;
}
