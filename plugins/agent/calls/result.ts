import type { ToolCall } from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { ImageBlock, MessageMeta, TextBlock, ToolResultMessage } from "@scorel/messages/contract";
import type { ReadyTool, ReportedUsage, ToolOutput } from "@scorel/tools/contract";
import type { Redaction } from "../messages/redaction.ts";
import { argumentChange } from "./arguments.ts";
import { fitting } from "./fitting.ts";

type Content = (TextBlock | ImageBlock)[];

/** A tool's result, without the flag whether it is an error, which the call keeps. */
export interface CallResult {
  content: ToolOutput["content"];
  details: unknown;
  terminate?: boolean;
}

/** Converts a tool's output to the result of its call. */
export function asResult({ content, details, terminate }: ToolOutput): CallResult {
  return { content, details, ...(terminate !== undefined && { terminate }) };
}

/** The result of a call that failed. It has empty `details`, like such results of pi. */
export function errorResult(thrown: unknown): CallResult {
  return { content: [{ type: "text", text: messageOf(thrown) }], details: {} };
}

/**
 * Merges the fields that hook layers set into a result. Keeps the tool's own details when the layers' cannot be
 * serialized, because the result could not be stored then.
 */
export function mergedResult(
  changed: ToolOutput,
  original: CallResult,
  onUnstorable: (thrown: unknown) => void,
): CallResult {
  const terminate = changed.terminate ?? original.terminate;
  return {
    content: changed.content ?? original.content,
    details: storable(changed.details, original.details, onUnstorable) ?? original.details,
    ...(terminate !== undefined && { terminate }),
  };
}

function storable(details: unknown, original: unknown, onUnstorable: (thrown: unknown) => void): unknown {
  if (details === original) return details;
  try {
    JSON.stringify(details);
    return details;
  } catch (thrown) {
    onUnstorable(thrown);
    return original;
  }
}

type NamedTool = Pick<ReadyTool, "name" | "unlisted">;

/** The data that a result's message needs besides the result. */
interface Around {
  /** The existing tools. */
  tools: readonly NamedTool[];
  redaction: Redaction;
  /** The validated arguments, as JSON data; undefined if the call never had valid ones. */
  ran: unknown;
  /** The model's context window in tokens, if the model reads the result. */
  contextWindow?: number;
  /** Set if a person refused the call. */
  refused?: MessageMeta["refused"];
}

/** Returns the message that stores a call's result. */
export function resultMessage(
  { id, name, arguments: written }: ToolCall,
  { content, details, isError, usage }: CallResult & { isError: boolean; usage?: ReportedUsage },
  { tools, redaction, ran, contextWindow = 0, refused }: Around,
): ToolResultMessage {
  const change = ran === undefined ? undefined : argumentChange(written, ran);
  return {
    role: "tool_result",
    toolCallId: id,
    toolName: name,
    // A tool that ran may have been removed since.
    content: fitting(
      resultContent(name, content, ran === undefined ? tools : [...tools, { name }], redaction),
      contextWindow,
    ),
    ...(details !== undefined && { details: redaction.value(details) }),
    isError,
    ...(usage && { usage }),
    timestamp: Date.now(),
    ...((change || refused) && {
      meta: redaction.value({ ...(change && { arguments: change }), ...(refused && { refused }) }),
    }),
  };
}

/**
 * Returns what the model reads as a tool's result: well-formed, redacted blocks. For an unknown tool, lists those that requests describe.
 */
function resultContent(name: string, content: unknown, tools: readonly NamedTool[], redaction: Redaction): Content {
  if (!tools.some((tool) => tool.name === name)) return [{ type: "text", text: unknownTool(name, tools) }];
  const blocks = Array.isArray(content) ? content.map(asBlock) : [asBlock(content)];
  return blocks.map((block) => (block.type === "text" ? { ...block, text: redaction.text(block.text) } : block));
}

function unknownTool(name: string, tools: readonly NamedTool[]): string {
  const offered = tools.flatMap((tool) => (tool.unlisted ? [] : [tool.name]));
  const offer = offered.length === 0 ? "No tools are available here." : `Use one of: ${offered.join(", ")}.`;
  return `There is no tool "${name}". ${offer}`;
}

/** Converts whatever a hook layer returned to a block, since only blocks may reach the log. */
function asBlock(value: unknown): TextBlock | ImageBlock {
  const block = (value ?? {}) as Record<string, unknown>;
  if (block.type === "text" && typeof block.text === "string") return block as unknown as TextBlock;
  if (block.type === "image" && typeof block.data === "string" && typeof block.mimeType === "string")
    return block as unknown as ImageBlock;
  return { type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "") };
}
