import { beginningOf } from "@scorel/kit/text/cut";
import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

type Content = (TextBlock | ImageBlock)[];

/** The share of the window that a result may fill. The prompt, a summary and the reply need the rest. */
const SHARE = 0.65;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Cuts the text of a result that would fill most of the model's context window, and says what was left out. A result that does not fit would
 * be summarized before the model has read it, and the model would make the same call again. Secrets must have been replaced before: a part of
 * one that is left by a cut would not be recognized.
 */
export function fitting(content: Content, contextWindow: number): Content {
  const most = contextWindow > 0 ? Math.floor(contextWindow * SHARE * CHARACTERS_PER_TOKEN) : Number.POSITIVE_INFINITY;
  const total = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (total <= most) return content;
  let left = most;
  const kept = content.flatMap((block): Content => {
    if (block.type !== "text") return [block];
    const text = beginningOf(block.text, left);
    left -= text.length;
    return text === "" ? [] : [{ ...block, text }];
  });
  const [omitted, all] = [total - (most - left), total].map((count) => count.toLocaleString("en"));
  const note = `[cut: ${omitted} of its ${all} characters are left out, since they would fill the context window; ask for less]`;
  return [...kept, { type: "text", text: note }];
}
