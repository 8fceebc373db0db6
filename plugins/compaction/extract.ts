import type { ToolCallBlock } from "@scorel/messages/contract";
import type { Entry } from "./conversation.ts";
import { quoted, shortened, wordsOf } from "./transcript.ts";

const charsOfAsked = 600;
const charsOfAnswer = 1_500;
const shownWork = 40;

/**
 * Summarizes without a model: an earlier summary, the user's messages, files and commands, and the last reply. About
 * `chars` characters at most.
 */
export function extract(entries: readonly Entry[], earlier: string | undefined, chars: number): string {
  const asked = entries.flatMap(({ event, message }) =>
    event.type === "message" && message?.role === "user" ? [shortened(wordsOf(message), charsOfAsked)] : [],
  );
  const parts = [
    ["", "This summary was extracted mechanically, as no model could write one."],
    ["Summary of what came before", earlier && shortened(earlier, Math.floor(chars / 2))],
    ["What the user wrote, in order", list(withinBudget(asked, chars / 3))],
    ["Files and commands of the work", list(workIn(entries))],
    ["The assistant's last words", lastWords(entries)],
  ];
  return parts.flatMap(([title, text]) => (text ? [title ? `${title}:\n${quoted(text)}` : text] : [])).join("\n\n");
}

/** Returns the first text and as many of the last ones as fit. */
function withinBudget(texts: readonly string[], chars: number): string[] {
  let room = chars - (texts[0]?.length ?? 0);
  const from = texts.findLastIndex((text) => {
    room -= text.length;
    return room < 0;
  });
  const rest = texts.slice(Math.max(1, from + 1));
  const left = texts.length - 1 - rest.length;
  return [...texts.slice(0, 1), ...(left > 0 ? [`[${left} messages left out]`] : []), ...rest];
}

/** Returns the first string argument of each call, which is mostly a path or a command; unique, latest last. */
function workIn(entries: readonly Entry[]): string[] {
  const calls = entries.flatMap(({ message }) =>
    message?.role === "assistant" ? message.content.filter((block) => block.type === "toolCall") : [],
  ) as ToolCallBlock[];
  const work = calls.flatMap(({ name, arguments: args }) => {
    const first = Object.values(args).find((value) => typeof value === "string");
    return first === undefined ? [] : [`${name} ${shortened(first as string, 120)}`];
  });
  return [...new Set(work.reverse())].slice(0, shownWork).reverse();
}

function lastWords(entries: readonly Entry[]): string | undefined {
  const last = entries.findLast(({ kind, message }) => kind === "reply" && message && wordsOf(message).trim() !== "");
  return last?.message && shortened(wordsOf(last.message), charsOfAnswer);
}

function list(texts: readonly string[]): string {
  return texts.map((text) => `- ${text}`).join("\n");
}
