import type { ScorelMessage, ToolCallBlock } from "@scorel/messages/contract";
import type { Entry } from "./conversation.ts";

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

/** A conversation in writing, quoted, of at most so many bytes: long results are cut first, then all, then the middle is left out. */
export function transcriptOf(entries: readonly Entry[], bytes: number): string {
  for (const limits of steps) {
    const sections = entries.flatMap((entry) => sectionsOf(entry, limits));
    if (sizeOf(sections) <= bytes) return sections.join("\n");
  }
  const sections = entries.flatMap((entry) => sectionsOf(entry, steps.at(-1) as Limits));
  return withoutMiddle(sections, bytes).join("\n");
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

function withoutMiddle(sections: readonly string[], bytes: number): string[] {
  const head = sections.slice(0, fitting(sections, bytes * beginning));
  const rest = sections.slice(head.length).reverse();
  const tail = rest.slice(0, fitting(rest, bytes * (1 - beginning))).reverse();
  const left = sections.length - head.length - tail.length;
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
