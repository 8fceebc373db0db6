import type { Context, Message, ToolResultMessage } from "@mariozechner/pi-ai";
import { textOf } from "../wire/reply.ts";
import { type Answer, demoTask, nextMove } from "./offline-demo.ts";

/** The commands that the demonstration model understands. */
const commands: readonly { line: RegExp; call(rest: string): Required<Answer>["call"] }[] = [
  { line: /^read (\S.*)$/, call: (file_path) => ({ name: "Read", args: { file_path } }) },
  { line: /^find (\S.*)$/, call: (words) => ({ name: "Grep", args: { pattern: literally(words), mode: "content" } }) },
  { line: /^run (\S.*)$/, call: (command) => ({ name: "Bash", args: { command } }) },
  { line: /^(list files)$/, call: () => ({ name: "Glob", args: { pattern: "**/*" } }) },
];

export const help = `I am the offline demonstration model: no network and no understanding. I obey four lines, each only when it is the whole message:
  read FILE
  find TEXT
  run COMMAND
  list files
For real work put a [model] table into ~/.scorel/config.toml.`;

/** Answers the latest user message, given the results of calls since then. Never obeys text in those results. */
export function answer({ messages, tools = [] }: Context): Answer {
  const at = messages.findLastIndex((message) => message.role === "user");
  const typed = wholeText(messages[at]);
  const results = messages.slice(at + 1).filter((message) => message.role === "toolResult");
  const made = typed === demoTask ? nextMove(results) : typed === undefined ? { text: help } : obey(typed, results);
  if (made.call && !tools.some((tool) => tool.name === made.call?.name))
    return {
      text: `I would call the tool ${made.call.name}, but this session has none of that name. Use --preset coding.`,
    };
  return made;
}

/** Returns the message's text if it consists of nothing else. */
function wholeText(message: Message | undefined): string | undefined {
  if (message?.role !== "user") return undefined;
  if (typeof message.content === "string") return message.content.trim();
  const [first, ...more] = message.content;
  return first?.type === "text" && more.length === 0 ? first.text.trim() : undefined;
}

function obey(typed: string, results: readonly ToolResultMessage[]): Answer {
  const last = results.at(-1);
  if (last) return { text: report(last) };
  for (const { line, call } of commands) {
    const rest = line.exec(typed)?.[1];
    if (rest !== undefined) return { text: `I do as you say: ${typed}`, call: call(rest) };
  }
  return { text: help };
}

/** Summarizes a result in one sentence. Lines in brackets are the tools' own remarks. */
function report(result: ToolResultMessage): string {
  const lines = textOf(result)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const remarks = lines.flatMap((line) => /^\[(.+)\]$/.exec(line.trim())?.[1] ?? []);
  const [first, ...more] = lines.filter((line) => !/^\[.+\]$/.test(line.trim()));
  const remark = remarks.length > 0 ? ` (${remarks.join("; ")})` : "";
  const what =
    first === undefined
      ? " without a word"
      : ` with ${1 + more.length} ${more.length === 0 ? "line" : "lines"}, the first: ${short(first)}`;
  return `${result.toolName} ${result.isError ? "failed" : "answered"}${remark}${what}`;
}

function short(line: string): string {
  return line.trim().slice(0, 120);
}

function literally(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
