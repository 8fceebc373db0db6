import type { ScorelMessage, ToolCallBlock } from "@scorel/messages/contract";
import type { Entry, EntryList } from "./conversation.ts";

/** Maximum characters of each tool result, of a call's arguments, and of other texts. */
interface Limits {
  result: number;
  call: number;
  text: number;
}

/** From generous to strict; the first limits that fit are used. */
const steps: readonly Limits[] = [
  { result: 2_000, call: 1_000, text: Number.POSITIVE_INFINITY },
  { result: 500, call: 300, text: 8_000 },
  { result: 150, call: 150, text: 1_500 },
];
/** Share of the space for the start of a conversation whose middle is left out. */
const beginning = 0.3;

/** Quotes text as data: each of its lines begins with a mark that no line outside has. */
export function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}

/** Shortens a text to its beginning and end, and says how much is missing. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.6);
  const tail = limit - head;
  return `${text.slice(0, head)}\n[${text.length - limit} characters left out]\n${text.slice(text.length - tail)}`;
}

/** The entries that fit into a transcript: all, or the first and the last ones. */
export interface Sample {
  entries: readonly Entry[];
  /** Index and number of missing entries. */
  gap?: { at: number; count: number };
}

/** Reads only as many entries as a transcript of this size can contain. */
export function sampleOf(list: EntryList, bytes: number): Sample {
  if (list.whole) return { entries: list.whole };
  const all = first(list, bytes);
  if (all.length === list.size) return { entries: all };
  const head = first(list, bytes * beginning);
  const tail = last(list, head.length, bytes * (1 - beginning));
  return { entries: [...head, ...tail], gap: { at: head.length, count: list.size - head.length - tail.length } };
}

const chunk = 256;
const leastOf = (entry: Entry) => sizeOf(sectionsOf(entry, steps.at(-1) as Limits));

function first(list: EntryList, bytes: number): Entry[] {
  const entries: Entry[] = [];
  let used = 0;
  for (let at = 0; at < list.size; at += chunk)
    for (const entry of list.slice(at, Math.min(at + chunk, list.size))) {
      used += leastOf(entry);
      if (used > bytes) return entries;
      entries.push(entry);
    }
  return entries;
}

function last(list: EntryList, from: number, bytes: number): Entry[] {
  const entries: Entry[] = [];
  let used = 0;
  for (let end = list.size; end > from; end -= chunk)
    for (const entry of list.slice(Math.max(from, end - chunk), end).toReversed()) {
      used += leastOf(entry);
      if (used > bytes) return entries.reverse();
      entries.push(entry);
    }
  return entries.reverse();
}

/**
 * Writes a conversation as quoted text within `bytes`: shortens long results first, then all texts, and then leaves out
 * the middle.
 */
export function transcriptOf({ entries, gap }: Sample, bytes: number): string {
  for (const limits of gap ? [] : steps) {
    const sections = entries.flatMap((entry) => sectionsOf(entry, limits));
    if (sizeOf(sections) <= bytes) return sections.join("\n");
  }
  const sections = (of: readonly Entry[]) => of.flatMap((entry) => sectionsOf(entry, steps.at(-1) as Limits));
  const head = sections(entries.slice(0, gap?.at));
  return withoutMiddle(head, gap ? sections(entries.slice(gap.at)) : undefined, gap?.count ?? 0, bytes).join("\n");
}

function sectionsOf({ event, message, kind }: Entry, limits: Limits): string[] {
  if (!message || message.role === "internal") return [];
  if (message.role === "tool_result") {
    const how = message.isError ? "failed" : "answered";
    return section(`${nameOf(message.toolName)} ${how}`, shortened(wordsOf(message), limits.result));
  }
  const who = message.role === "assistant" ? "assistant" : event.type === "message" ? "user" : "side information";
  const said = section(kind === "joined" ? `${who}, meanwhile` : who, shortened(wordsOf(message), limits.text));
  return message.role === "assistant" ? [...said, ...callsOf(message.content, limits.call)] : said;
}

function callsOf(content: readonly { type: string }[], limit: number): string[] {
  return content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    const { name, arguments: args } = block as ToolCallBlock;
    return section(`assistant called ${nameOf(name)}`, shortened(JSON.stringify(args), limit));
  });
}

function section(title: string, text: string): string[] {
  return text.trim() === "" ? [] : [`[${title}]\n${quoted(text)}`];
}

/** Returns a message's texts, joined; an image becomes "[image]". */
export function wordsOf({ content }: ScorelMessage): string {
  if (typeof content === "string") return content;
  return content
    .flatMap((block) => (block.type === "text" ? String(block.text) : block.type === "image" ? "[image]" : []))
    .join("\n");
}

function nameOf(tool: string): string {
  return tool.replace(/[^\w.-]/g, "_").slice(0, 64);
}

/**
 * Keeps the start of `before` and the end of `after` (or of `before` without it). `missing` parts in between are
 * counted as left out.
 */
function withoutMiddle(
  before: readonly string[],
  after: readonly string[] | undefined,
  missing: number,
  bytes: number,
): string[] {
  const head = before.slice(0, fitting(before, bytes * beginning));
  const rest = (after ?? before.slice(head.length)).toReversed();
  const tail = rest.slice(0, fitting(rest, bytes * (1 - beginning))).reverse();
  const left = before.length + (after?.length ?? 0) + missing - head.length - tail.length;
  return [...head, `[${left} parts left out]`, ...tail];
}

/** Returns how many of the first sections fit. */
function fitting(sections: readonly string[], bytes: number): number {
  let used = 0;
  const end = sections.findIndex((text) => {
    used += Buffer.byteLength(text) + 1;
    return used > bytes;
  });
  return end < 0 ? sections.length : end;
}

function sizeOf(sections: readonly string[]): number {
  return sections.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
}
