import type { Effort } from "./effort.ts";
import type { Node } from "./node.ts";

/** A bracket that may begin a link or picture. */
interface Opener {
  node: Node;
  /** Index at which the text in the brackets begins. */
  begin: number;
  /** Number of delimiters before the bracket. */
  delimiters: number;
}
interface Link {
  opener: Opener;
  href: string;
  isImage: boolean;
  /** Index after the link. */
  end: number;
}

/** Maximum depth of nested brackets in an address. With deeper ones, it is not a link. */
const DEEPEST = 16;

/** The opening brackets that have not been closed so far. */
export class Brackets {
  private readonly openers: Opener[] = [];
  /** Index of the first opener that may begin a link. Those before it may not, because links cannot contain links. */
  private firstOfLinks = 0;

  open(opener: Opener): void {
    this.openers.push(opener);
  }

  /** Returns the link or picture that the closing bracket at `at` ends; undefined if it ends none. */
  close(text: string, at: number, effort: Effort): Link | undefined {
    const opener = this.openers.pop();
    if (!opener) return undefined;
    const place = this.openers.length;
    const isImage = opener.node.text === "![";
    const isFree = isImage || place >= this.firstOfLinks;
    this.firstOfLinks = Math.min(this.firstOfLinks, place);
    if (!isFree || text[at + 1] !== "(") return undefined;
    const target = targetAt(text, at + 2, effort);
    if (!target) return undefined;
    if (!isImage) this.firstOfLinks = place;
    return { opener, isImage, ...target };
  }
}

/** Parses `address "title")` from index `from` on. Returns the address and the index after `)`. The title is ignored. */
function targetAt(text: string, from: number, effort: Effort): { href: string; end: number } | undefined {
  const begin = afterSpaces(text, from, effort);
  const end = text[begin] === "<" ? endOfAngles(text, begin, effort) : endOfAddress(text, begin, effort);
  if (end === undefined) return undefined;
  const href = text[begin] === "<" ? text.slice(begin + 1, end - 1) : text.slice(begin, end);
  let next = afterSpaces(text, end, effort);
  if (next > end && `"'(`.includes(text[next] ?? " ")) next = afterSpaces(text, endOfTitle(text, next, effort), effort);
  return text[next] === ")" ? { href: href.replace(/\\([!-/:-@[-`{-~])/g, "$1"), end: next + 1 } : undefined;
}

function endOfAddress(text: string, from: number, effort: Effort): number | undefined {
  let depth = 0;
  let at = from;
  for (; at < text.length && !/\s/.test(text[at] as string); at++) {
    effort.spend(1);
    if (text[at] === "\\") at++;
    else if (text[at] === "(" && ++depth > DEEPEST) return undefined;
    else if (text[at] === ")" && --depth < 0) break;
  }
  return depth > 0 ? undefined : Math.min(at, text.length);
}

function endOfAngles(text: string, from: number, effort: Effort): number | undefined {
  for (let at = from + 1; at < text.length && !"\n<".includes(text[at] as string); at++) {
    effort.spend(1);
    if (text[at] === ">") return at + 1;
  }
  return undefined;
}

/** The index after a title's closing mark. In a title in brackets, another opening bracket ends the search, and so the link is invalid. */
function endOfTitle(text: string, from: number, effort: Effort): number {
  const last = text[from] === "(" ? ")" : text[from];
  for (let at = from + 1; at < text.length; at++) {
    effort.spend(1);
    if (text[at] === "\\") at++;
    else if (text[at] === last) return at + 1;
    else if (text[at] === "(" && last === ")") return at;
  }
  return text.length;
}

function afterSpaces(text: string, from: number, effort: Effort): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] as string)) at++;
  effort.spend(at - from);
  return at;
}
