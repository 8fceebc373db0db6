import { Brackets } from "./brackets.ts";
import type { Effort } from "./effort.ts";
import { closeEmphasis, type Delimiter, delimiterAt } from "./emphasis.ts";
import type { Node, Span, SpanRole } from "./node.ts";

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const ENTITY = /&(amp|lt|gt|quot|#39|nbsp);/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };
const AUTOLINK = /<([a-z][\w+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>/iy;
const ADDRESS = /(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>[\]`]+/iy;
const LETTER = /[\p{L}\p{N}]/u;
/** Characters that end a piece of ordinary text, and the words that an address begins with. */
const SPECIAL = /[\\`*_~[\]!<&]|\b(?:http|ftp|www)/gi;

/** Parses emphasis, code, links and pictures in one pass over the text, and a second one over the marks of emphasis. */
export function spansOf(text: string, effort: Effort): Span[] {
  return new SpanReader(text, effort).read();
}

class SpanReader {
  private readonly text: string;
  private readonly effort: Effort;
  private readonly nodes: Node[] = [];
  private readonly delimiters: Delimiter[] = [];
  private readonly brackets = new Brackets();
  private readonly ticks: TickRuns;
  private at = 0;

  constructor(text: string, effort: Effort) {
    this.text = text;
    this.effort = effort;
    this.ticks = new TickRuns(text);
    effort.spend(text.length);
  }

  read(): Span[] {
    while (this.at < this.text.length) {
      const end = this.piece();
      this.effort.spend(end - this.at);
      this.at = end;
    }
    closeEmphasis(this.delimiters, 0, this.effort);
    return flat(this.nodes);
  }

  /** Parses the piece at the current index, and returns the index after it. */
  private piece(): number {
    const { text, at } = this;
    switch (text[at]) {
      case "\\":
        return this.escaped();
      case "`":
        return this.code();
      case "*":
      case "_":
      case "~":
        return this.delimiter();
      case "[":
        return this.bracket("[");
      case "!":
        return text[at + 1] === "[" ? this.bracket("![") : this.plain(at + 1);
      case "]":
        return this.closeBracket();
      case "<":
        return this.autolink();
      case "&":
        return this.entity();
      default:
        return this.words();
    }
  }

  private add(text: string, roles?: readonly SpanRole[]): Node {
    const node: Node = { text, ends: [], begins: [], ...(roles && { roles }) };
    this.nodes.push(node);
    return node;
  }

  private plain(end: number): number {
    this.add(this.text.slice(this.at, end));
    return end;
  }

  /** Parses an address, or ordinary text up to the next character that may have a meaning. */
  private words(): number {
    const { text, at } = this;
    const address = this.address();
    if (address !== undefined) {
      const shown = withoutEnd(address);
      this.add(shown, ["link"]).href = /^www\./i.test(shown) ? `http://${shown}` : shown;
      return at + shown.length;
    }
    SPECIAL.lastIndex = at + 1;
    return this.plain(SPECIAL.exec(text)?.index ?? text.length);
  }

  /** The address at the current index; undefined if there is none, or within a word. */
  private address(): string | undefined {
    const { text, at } = this;
    if (!"hfwHFW".includes(text[at] as string) || LETTER.test(text[at - 1] ?? "")) return undefined;
    ADDRESS.lastIndex = at;
    return ADDRESS.exec(text)?.[0];
  }

  private escaped(): number {
    const next = this.text[this.at + 1];
    if (next === "\n") return this.at + 1;
    if (next === undefined || !PUNCTUATION.test(next)) return this.plain(this.at + 1);
    this.add(next);
    return this.at + 2;
  }

  private code(): number {
    const { text, at } = this;
    const length = this.ticks.lengthAt(at);
    const end = this.ticks.next(at, length);
    if (end === undefined) return this.plain(at + length);
    const inside = text.slice(at + length, end).replaceAll("\n", " ");
    const isPadded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    this.add(isPadded ? inside.slice(1, -1) : inside, ["code"]);
    return end + length;
  }

  private delimiter(): number {
    const found = delimiterAt(this.text, this.at);
    const node = this.add(found.run);
    if (found.opens || found.closes) this.delimiters.push({ ...found, node, count: found.run.length });
    return this.at + found.run.length;
  }

  private bracket(mark: "[" | "!["): number {
    const begin = this.at + mark.length;
    this.brackets.open({ node: this.add(mark), begin, delimiters: this.delimiters.length });
    return begin;
  }

  private closeBracket(): number {
    const { text, at } = this;
    const link = this.brackets.close(text, at, this.effort);
    if (!link) return this.plain(at + 1);
    const { opener, href, isImage, end } = link;
    closeEmphasis(this.delimiters, opener.delimiters, this.effort);
    const inside = text.slice(opener.begin, at);
    opener.node.text = isImage && inside === "" ? "image" : "";
    const role = isImage ? "image" : "link";
    if (opener.node.text !== "") opener.node.roles = [role];
    opener.node.href = href;
    opener.node.begins.push(role);
    const isAddress = !isImage && (inside === href || inside === href.replace(/^(?:mailto:|https?:\/\/)/, ""));
    this.add(isAddress ? "" : " ").ends.push(role);
    if (!isAddress) this.add(`(${href})`, ["address"]);
    return end;
  }

  private autolink(): number {
    AUTOLINK.lastIndex = this.at;
    const [whole, address] = AUTOLINK.exec(this.text) ?? [];
    if (whole === undefined || address === undefined) return this.plain(this.at + 1);
    this.add(address, ["link"]).href = address.includes(":") ? address : `mailto:${address}`;
    return this.at + whole.length;
  }

  private entity(): number {
    ENTITY.lastIndex = this.at;
    const [whole = "&", name = "amp"] = ENTITY.exec(this.text) ?? [];
    this.add(ENTITIES[name] ?? whole);
    return this.at + whole.length;
  }
}

/** The runs of backticks in a text. Code ends at the next run that is as long as its first one. */
class TickRuns {
  private readonly lengths = new Map<number, number>();
  private readonly places = new Map<number, { at: number; places: number[] }>();

  constructor(text: string) {
    for (const { index, 0: run } of text.matchAll(/`+/g)) {
      this.lengths.set(index, run.length);
      const known = this.places.get(run.length);
      if (known) known.places.push(index);
      else this.places.set(run.length, { at: 0, places: [index] });
    }
  }

  lengthAt(place: number): number {
    return this.lengths.get(place) ?? 1;
  }

  /** The index of the next run of this length after `from`. `from` must not decrease from call to call. */
  next(from: number, length: number): number | undefined {
    const runs = this.places.get(length);
    if (!runs) return undefined;
    while ((runs.places[runs.at] ?? Number.POSITIVE_INFINITY) <= from) runs.at++;
    return runs.places[runs.at];
  }
}

/** Removes punctuation from the end of an address. A closing bracket at the end is kept if the address also contains the opening one. */
function withoutEnd(address: string): string {
  let end = address.length;
  let open = 0;
  for (const character of address) open += character === "(" ? 1 : character === ")" ? -1 : 0;
  for (; end > 0; end--) {
    const last = address[end - 1] as string;
    if (last === ")" && open < 0) open++;
    else if (!"?!.,:;*_~'\"".includes(last)) break;
  }
  return address.slice(0, Math.max(1, end));
}

/** Converts nodes to spans, each with all roles that apply to it. */
function flat(nodes: readonly Node[]): Span[] {
  const counts = new Map<SpanRole, number>();
  const spans: Span[] = [];
  let address: string | undefined;
  const change = (role: SpanRole, by: number) => counts.set(role, (counts.get(role) ?? 0) + by);
  for (const { text, roles = [], ends, begins, href } of nodes) {
    for (const role of ends) change(role, -1);
    if (ends.some(leads)) address = undefined;
    if (text !== "") {
      const held = [...counts].flatMap(([role, count]) => (count > 0 ? [role] : []));
      const led = roles.some(leads) ? href : address;
      spans.push({
        text,
        roles: [...held.filter((role) => !roles.includes(role)), ...roles],
        ...(led !== undefined && { href: led }),
      });
    }
    for (const role of begins) change(role, 1);
    if (begins.some(leads)) address = href;
  }
  return spans;
}

function leads(role: SpanRole): boolean {
  return role === "link" || role === "image";
}
