import { join } from "node:path";
import { fenced } from "@scorel/kit/text/fence";
import { oneLine } from "@scorel/kit/text/one-line";
import type { ImageBlock, Mention, TextBlock } from "@scorel/messages/contract";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";
import type { Refusal } from "./closed.ts";

/** An existing file or folder that a message mentions. */
export interface Named {
  /** The path as written in the message. */
  path: string;
  full: string;
  kind: "file" | "folder";
  lines?: { from: number; to: number };
}
/** Attached blocks, and the mention that describes them. */
export interface Attached {
  mention: Mention;
  content: (TextBlock | ImageBlock)[];
}
interface Call {
  id: string;
  signal: AbortSignal | undefined;
}

/** The most lines that the tool Read shows. */
const MOST_LINES = 2_000;
const MOST_ENTRIES = 200;

/** Attaches a file as the tool Read shows it: the same limits, guards, rules and redaction. */
export async function attachFile({ path, full, lines }: Named, call: Call, mentions: Mentions): Promise<Attached> {
  const { ctx } = mentions;
  const tool = ctx.find("tools")?.get("Read");
  if (!tool) return refused(path, "this preset has no tool Read");
  const range = lines && { offset: lines.from, limit: Math.min(MOST_LINES, lines.to - lines.from + 1) };
  const args = { file_path: full, ...range };
  const refusal = await refusalOf(path, "Read", args, call, mentions);
  if (refusal) return refusal;
  const params = tool.validate(args);
  const { content, details, isError } = await tool.execute(call.id, params, call.signal);
  if (isError) return refused(path, textOf(content));
  if (content.some(({ type }) => type === "image")) return { mention: { path, kind: "image" }, content };
  const { lines: shown, truncated } = (details ?? {}) as { lines?: Shown; truncated?: boolean };
  const mention: Mention = {
    path,
    kind: "file",
    ...(shown && { lines: [shown.start, shown.end, shown.total] as const }),
    ...(truncated && !lines && { cut: true as const }),
  };
  return { mention, content: [attachedText(path, textOf(content))] };
}

interface Shown {
  start: number;
  end: number;
  total: number;
}

/** Attaches the names in a folder. */
export async function attachFolder({ path, full }: Named, call: Call, mentions: Mentions): Promise<Attached> {
  const { ctx } = mentions;
  const refusal = await refusalOf(path, "Glob", { pattern: "*", path: full }, call, mentions);
  if (refusal) return refusal;
  const files = callable(ctx);
  const real = (await files?.realpath(full)) ?? full;
  const hides = await ctx.find("permissions")?.hiddenIn(real, "names");
  const entries = (await files?.list(real)) ?? [];
  const names = entries
    .filter(({ name }) => !hides?.(join(real, name)))
    .map(({ name, kind }) => oneLine(kind === "folder" ? `${name}/` : name))
    .sort();
  const shown = names.slice(0, MOST_ENTRIES);
  const more = names.length > shown.length ? [`… and ${names.length - shown.length} more`] : [];
  const mention: Mention = { path, kind: "folder", entries: names.length };
  return { mention, content: [attachedText(`${path.replace(/\/$/, "")}/`, [...shown, ...more].join("\n"))] };
}

/** A mention without an attachment, with the reason. `forModel` is another reason for the model, if the model can do something about it. */
export function refused(path: string, problem: string, forModel = problem): Attached {
  const text = `Not attached: ${oneLine(path)}: ${oneLine(forModel)}`;
  return { mention: { path, problem }, content: [{ type: "text", text }] };
}

/** The reason why a file may not be attached: a rule denies it, or the model would have to ask. Undefined if it may be attached. */
async function refusalOf(
  path: string,
  tool: string,
  args: object,
  { id }: Call,
  { ctx }: Mentions,
): Promise<Attached | undefined> {
  const verdict = await ctx.find("permissions")?.judgeNamed({ id, tool, args });
  if (!verdict || verdict.decision === "allow") return undefined;
  return refusedBy({ decision: verdict.decision, why: verdict.why }, path, tool);
}

/** A mention without an attachment for a refusal. Tells the model with which tool it may read the file if the user agrees. */
export function refusedBy({ decision, why }: Refusal, path: string, tool: string): Attached {
  if (decision === "deny") return refused(path, why);
  return refused(
    path,
    `${why}; ask the model to read it, and you will be asked`,
    `${why}; if it is needed, read it with ${tool}, and the user is asked`,
  );
}

/** The text block that gives the model the content of an attached file, or the listing of an attached folder. */
export function attachedText(path: string, text: string): TextBlock {
  return { type: "text", text: `Attached: ${oneLine(path)}\n${fenced(text)}` };
}

function textOf(content: readonly (TextBlock | ImageBlock)[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
