import { visibleText } from "@scorel/kit/text/plain";
import type { Mention } from "./contract.ts";

/** A line about a mentioned file: what was attached, or why it was not. */
export function mentionLine({ path, kind, problem, lines, cut, entries }: Mention): string {
  const name = visibleText(path);
  if (kind === undefined) return `[not attached: ${name}: ${visibleText(problem ?? "it cannot be read")}]`;
  if (kind === "folder") return `[attached: ${name}, ${entries} ${entries === 1 ? "entry" : "entries"}]`;
  if (!lines) return `[attached: ${name}${kind === "image" ? ", an image" : ""}]`;
  const [first, last, total] = lines;
  const which =
    first === 1 && last === total ? `${total} ${total === 1 ? "line" : "lines"}` : `lines ${first}-${last} of ${total}`;
  return `[attached: ${name}, ${which}${cut ? "; the rest is too long" : ""}]`;
}
