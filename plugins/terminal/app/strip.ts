import type { QueuedMessage } from "@scorel/host/contract";
import { safeLine } from "../rows/safe.ts";
import { cut } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";

const SHOWN = 4;

/** The queued messages, above the field. */
export function queueStrip(queue: readonly QueuedMessage[], width: number, theme: Theme, words: Words): string[] {
  if (queue.length === 0) return [];
  const rows = queue.slice(0, SHOWN).map((item) => {
    const mark = item.mode === "steer" ? "↳" : "≡";
    const aside = item.mode === "steer" ? theme.style("faint", `  (${words.steerTitle})`) : "";
    return cut(theme.style("muted", `${mark} ${textOf(item)}`) + aside, width);
  });
  const rest = queue.length > SHOWN ? [theme.style("faint", `  + ${queue.length - SHOWN}`)] : [];
  const title = queue.some(({ mode }) => mode !== "steer") ? [theme.style("faint", words.queueTitle)] : [];
  return [...title, ...rows, ...rest];
}

/** The text of a queued message as one line. */
export function textOf({ content }: Pick<QueuedMessage, "content">): string {
  return safeLine(wholeText({ content }));
}

/** The text of a queued message, without pictures. */
export function wholeText({ content }: Pick<QueuedMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}
