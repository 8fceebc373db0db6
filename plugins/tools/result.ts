import { beginningOf } from "@scorel/kit/text/cut";
import { nearest } from "@scorel/kit/values/nearest";
import type { ImageBlock, TextBlock, ToolOutput } from "./contract.ts";

type Block = TextBlock | ImageBlock;

/** Converts any tool result to one that all providers and the log accept. */
export function normalise(answer: unknown): ToolOutput {
  if (!isObject(answer) || Array.isArray(answer)) return { content: blocksOf(answer) };
  const { content, details, isError, terminate, usage } = answer;
  const isOutput = "content" in answer || Object.keys(answer).every((key) => OUTPUT_KEYS.has(key));
  if (!isOutput) return { content: [text(toText(answer))] };
  return {
    content: blocksOf(content),
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError } : {}),
    ...(terminate === true ? { terminate } : {}),
    // Not checked yet, since wrappers see the usage as the tool gave it; it is checked when the call ends.
    ...(usage === undefined ? {} : { usage: usage as NonNullable<ToolOutput["usage"]> }),
  };
}

const FIELDS = ["content", "details", "isError", "terminate", "usage"];

/** Unknown fields of a result that has `content`, each with the field that was probably meant. */
export function strangeFields(answer: unknown): string[] {
  if (!isObject(answer) || !("content" in answer)) return [];
  const strange = Object.keys(answer).filter((key) => !FIELDS.includes(key));
  return strange.map((key) => {
    const near =
      FIELDS.find((field) => field.toLowerCase() === key.replaceAll(/[_-]/g, "").toLowerCase()) ?? nearest(key, FIELDS);
    return `"${key}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
  });
}

/** What a tool must not return: no value, or a block whose type is unknown; undefined if the result has neither. */
export function flawOf(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return "nothing";
  const content = isObject(answer) && !Array.isArray(answer) ? answer.content : answer;
  const parts: unknown[] = [content].flat();
  const unknown = parts.filter(isObject).find(({ type }) => type !== "text" && type !== "image");
  return unknown === undefined ? undefined : `a block of type ${JSON.stringify(unknown.type) ?? "undefined"}`;
}

/** An error as a result, so that the model can act on it. */
export function failure(message: string): ToolOutput {
  return { content: [text(message)], isError: true };
}

/** The text blocks of a result, joined. */
export function textOf(output: ToolOutput): string {
  return output.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType} image]`)).join("\n");
}

/** Why details cannot be stored; undefined if they can. */
export function unstorable(details: unknown): string | undefined {
  try {
    return JSON.stringify(details) === undefined ? `${typeof details} has no JSON form` : undefined;
  } catch (thrown) {
    return (thrown as Error).message.split("\n")[0];
  }
}

/** Limits of a result, far above what a model reads: characters of text, number of blocks, characters of image data. */
const MOST_TEXT = 1_000_000;
const MOST_BLOCKS = 1_000;
const MOST_IMAGES = 50_000_000;

/**
 * Cuts a result to the limits, and says what was left out. `redact` replaces secrets in texts before the cut: a part of a secret would not be
 * recognized afterwards.
 */
export function bounded(output: ToolOutput, redact: (text: string) => string): { output: ToolOutput; reason?: string } {
  const sizes = output.content.map((block) => (block.type === "text" ? block.text.length : block.data.length));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length <= MOST_BLOCKS && total <= MOST_TEXT) return { output };
  const content: Block[] = [];
  const left = { text: MOST_TEXT, image: MOST_IMAGES };
  for (const [index, block] of output.content.slice(0, MOST_BLOCKS).entries()) {
    const size = sizes[index] as number;
    if (block.type === "text" && left.text > 0)
      content.push({ ...block, text: beginningOf(redact(block.text), left.text) });
    if (block.type === "image" && size <= left.image) content.push(block);
    left[block.type] -= size;
  }
  const kept = content.reduce((sum, block) => sum + (block.type === "text" ? block.text : block.data).length, 0);
  if (kept === total) return { output };
  const reason = `${(total - kept).toLocaleString("en")} of its ${total.toLocaleString("en")} characters are left out`;
  return { output: { ...output, content: [...content, text(`[cut: ${reason}]`)] }, reason };
}

const OUTPUT_KEYS = new Set(["details", "isError", "terminate"]);

function blocksOf(content: unknown): Block[] {
  const blocks = (Array.isArray(content) ? content : [content]).flatMap(blockOf);
  return blocks.length > 0 ? blocks : [text("(no output)")];
}

function blockOf(part: unknown): Block[] {
  if (part === undefined || part === null || part === "") return [];
  if (isObject(part) && part.type === "text") return part.text === "" ? [] : [text(toText(part.text))];
  if (isObject(part) && part.type === "image" && typeof part.data === "string" && typeof part.mimeType === "string")
    return [{ type: "image", data: part.data, mimeType: part.mimeType }];
  return [text(toText(part))];
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function text(value: string): TextBlock {
  return { type: "text", text: value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
