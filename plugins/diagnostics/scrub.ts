/** Minimum length of a shared run of characters that is removed from a message. */
const SHARED = 16;
const SHORTEST = 6;
const LONGEST_MESSAGE = 500;
const LONGEST_TEXT = 200_000;
/** The start of a message that is compared with texts. The rest of a longer one is left out, since the line is short in any case. */
const LONGEST_COMPARED = 20_000;
const MARK = "[…]";

/** Returns a message as one short line without control characters and without quotes from `texts`. */
export function scrub(message: string, texts: readonly string[]): string {
  const line = plain(message.slice(0, LONGEST_COMPARED));
  const quoted = new Uint8Array(line.length);
  const parts = partsOf(line);
  for (const text of texts) markQuoted(line, plain(text.slice(0, LONGEST_TEXT)), parts, quoted);
  // At the end of the compared part, a quote may begin that is too short there to be recognised.
  if (message.length > LONGEST_COMPARED) quoted.fill(1, -SHARED);
  const kept = without(line, quoted);
  return kept.length > LONGEST_MESSAGE ? `${kept.slice(0, LONGEST_MESSAGE)}…` : kept;
}

/** Replaces each row of control characters and blanks by one space. A single space, of which long texts have many, stays as it is. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\s]{2,}|(?! )[\p{Cc}\s]/gu, " ").trim();
}

/**
 * Marks the positions of `line` that are part of a run shared with `text`. A text may be long, so that only every few characters of it are
 * compared: each run contains one of the blocks into which the text is divided.
 */
function markQuoted(line: string, text: string, parts: Parts, quoted: Uint8Array): void {
  const size = Math.min(SHARED, text.length);
  if (size < SHORTEST || line.length < size) return;
  const length = Math.ceil(size / 2);
  const [blocks, runs] = [parts(length), parts(size)];
  const shared = new Set<string>();
  for (let at = 0; at + length <= text.length; at += length) {
    if (!blocks.has(text.slice(at, at + length))) continue;
    for (let from = Math.max(0, at - length + 1); from <= at; from++) {
      const run = text.slice(from, from + size);
      if (runs.has(run)) shared.add(run);
    }
  }
  for (let at = 0; shared.size > 0 && at + size <= line.length; at++)
    if (shared.has(line.slice(at, at + size))) quoted.fill(1, at, at + size);
}

/** Returns all parts of a line that have this length. */
type Parts = (length: number) => ReadonlySet<string>;

function partsOf(line: string): Parts {
  const known = new Map<number, ReadonlySet<string>>();
  const make = (length: number) =>
    new Set(Array.from({ length: Math.max(0, line.length - length + 1) }, (_, at) => line.slice(at, at + length)));
  return (length) => {
    const parts = known.get(length) ?? make(length);
    known.set(length, parts);
    return parts;
  };
}

function without(line: string, quoted: Uint8Array): string {
  let kept = "";
  for (let at = 0; at < line.length; at++) {
    if (!quoted[at]) kept += line[at];
    else if (at === 0 || !quoted[at - 1]) kept += MARK;
  }
  return kept;
}
