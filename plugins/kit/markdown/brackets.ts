import type { Effort } from "./effort.ts";
import type { Node } from "./node.ts";

/** A bracket that may begin a link or picture. */
interface Opener {
  node: Node;
  /** Where the text in the brackets begins. */
  begin: number;
  /** How many delimiters there were before it. */
  delimiters: number;
}
interface Link {
  opener: Opener;
  href: string;
  isImage: boolean;
  /** Where the text goes on. */
  end: number;
}

/** Brackets within an address: those that are deeper end the search. */
const DEEPEST = 16;

/** The brackets that are open at a place of a text. */
export class Brackets {
  private readonly openers: Opener[] = [];
  /** Below this one, none begins a link: there are no links in links. */
  private firstOfLinks = 0;

  open(opener: Opener): void {
    this.openers.push(opener);
  }

  /** The link or picture that the bracket at a place ends. */
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

/** The address behind a bracket, and where its brackets end. The title is not shown. */
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

/** Where a title ends: behind its second mark, of which one in it would be the first of another. */
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
