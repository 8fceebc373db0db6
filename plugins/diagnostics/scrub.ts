/** Minimum length of a shared run of characters that is removed from a message. */
const SHARED = 16;
const SHORTEST = 6;
const LONGEST_MESSAGE = 500;
const LONGEST_TEXT = 200_000;
const MARK = "[…]";

/** Returns a message as one short line without control characters and without quotes from `texts`. */
export function scrub(message: string, texts: readonly string[]): string {
  const line = message.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const quoted = new Uint8Array(line.length);
  for (const text of texts)
    markQuoted(
      line,
      text
        .slice(0, LONGEST_TEXT)
        .replace(/[\p{Cc}\s]+/gu, " ")
        .trim(),
      quoted,
    );
  const kept = without(line, quoted);
  return kept.length > LONGEST_MESSAGE ? `${kept.slice(0, LONGEST_MESSAGE)}…` : kept;
}

/** Marks the positions of `line` that are part of a run shared with `text`. */
function markQuoted(line: string, text: string, quoted: Uint8Array): void {
  const size = Math.min(SHARED, text.length);
  if (size < SHORTEST || line.length < size) return;
  const runs = new Set<string>();
  for (let at = 0; at + size <= text.length; at++) runs.add(text.slice(at, at + size));
  for (let at = 0; at + size <= line.length; at++)
    if (runs.has(line.slice(at, at + size))) quoted.fill(1, at, at + size);
}

function without(line: string, quoted: Uint8Array): string {
  let kept = "";
  for (let at = 0; at < line.length; at++) {
    if (!quoted[at]) kept += line[at];
    else if (at === 0 || !quoted[at - 1]) kept += MARK;
  }
  return kept;
}
