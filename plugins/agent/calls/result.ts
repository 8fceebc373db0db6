import type { ImageBlock, TextBlock } from "@scorel/messages/contract";
import type { Redaction } from "../messages/redaction.ts";

type Content = (TextBlock | ImageBlock)[];

/**
 * Returns what the model reads as a tool's result: well-formed, redacted blocks. For an unknown tool, lists the known
 * ones.
 */
export function resultContent(tool: string, content: unknown, known: readonly string[], redaction: Redaction): Content {
  if (!known.includes(tool)) return [{ type: "text", text: unknownTool(tool, known) }];
  const blocks = Array.isArray(content) ? content.map(asBlock) : [asBlock(content)];
  return blocks.map((block) => (block.type === "text" ? { ...block, text: redaction.text(block.text) } : block));
}

function unknownTool(tool: string, known: readonly string[]): string {
  const offer = known.length === 0 ? "No tools are available here." : `Use one of: ${known.join(", ")}.`;
  return `There is no tool "${tool}". ${offer}`;
}

/** Converts whatever a hook layer returned to a block, since only blocks may reach the log. */
function asBlock(value: unknown): TextBlock | ImageBlock {
  const block = (value ?? {}) as Record<string, unknown>;
  if (block.type === "text" && typeof block.text === "string") return block as unknown as TextBlock;
  if (block.type === "image" && typeof block.data === "string" && typeof block.mimeType === "string")
    return block as unknown as ImageBlock;
  return { type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "") };
}
