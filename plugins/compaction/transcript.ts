import type { ScorelMessage, ToolCallBlock } from "@scorel/messages/contract";
import type { Entry, EntryList } from "./conversation.ts";

/** Characters that are kept of each tool result, of a call's arguments, and of any other text. */
interface Limits {
  result: number;
  call: number;
  text: number;
}

/** From plenty to little; the first that fits is used. */
const steps: readonly Limits[] = [
  { result: 2_000, call: 1_000, text: Number.POSITIVE_INFINITY },
  { result: 500, call: 300, text: 8_000 },
  { result: 150, call: 150, text: 1_500 },
];
/** The share of what fits that goes to the beginning of a conversation whose middle is left out. */
const beginning = 0.3;

/** Text as data: whatever it says, each of its lines begins with a mark that no line outside of it has. */
export function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}

/** The beginning and the end of a text that is too long, and how much lies between. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.6);
  const tail = limit - head;
  return `${text.slice(0, head)}\n[${text.length - limit} characters left out]\n${text.slice(text.length - tail)}`;
}

/** The entries of a list that a transcript can hold: all of them, or the first and the last. */
export interface Sample {
  entries: readonly Entry[];
  /** Where entries are missing, and how many. */
  gap?: { at: number; count: number };
}

/** Reads of a list no more than a transcript of so many bytes can hold. */
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

/** A conversation in writing, quoted, of at most so many bytes: long results are cut first, then all, then the middle is left out. */
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

/** Texts, one after the other; an image is only named. */
export function wordsOf({ content }: ScorelMessage): string {
  if (typeof content === "string") return content;
  return content
    .flatMap((block) => (block.type === "text" ? String(block.text) : block.type === "image" ? "[image]" : []))
    .join("\n");
}

function nameOf(tool: string): string {
  return tool.replace(/[^\w.-]/g, "_").slice(0, 64);
}

/** The beginning of `before` and the end of `after`, or of the same sections; `missing` parts lie between the two. */
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

/** How many of the sections, from the first, fit. */
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
