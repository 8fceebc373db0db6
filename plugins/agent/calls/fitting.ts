import { beginningOf } from "@scorel/kit/text/cut";
import type { ReadyOutput } from "@scorel/tools/contract";

/** The share of the window that a result may fill. The prompt, a summary and the reply need the rest. */
const SHARE = 0.65;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Cuts the text of a result that would fill most of the model's context window, and says what was left out. A result that
 * does not fit would be summarized before the model has read it, and the model would make the same call again.
 */
export function fitting(output: ReadyOutput, contextWindow: number): ReadyOutput {
  const most = contextWindow > 0 ? Math.floor(contextWindow * SHARE * CHARACTERS_PER_TOKEN) : Number.POSITIVE_INFINITY;
  const total = output.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (total <= most) return output;
  let left = most;
  const content = output.content.map((block) => {
    if (block.type !== "text") return block;
    const text = beginningOf(block.text, Math.max(0, left));
    left -= text.length;
    return { ...block, text };
  });
  const [omitted, all] = [total - most, total].map((count) => count.toLocaleString("en"));
  const note = `[cut: ${omitted} of its ${all} characters are left out, since they would fill the context window; ask for less]`;
  return { ...output, content: [...content.filter(isKept), { type: "text", text: note }] };
}

function isKept(block: ReadyOutput["content"][number]): boolean {
  return block.type !== "text" || block.text !== "";
}
