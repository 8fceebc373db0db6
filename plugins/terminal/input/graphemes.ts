import { getSegmenter } from "@mariozechner/pi-tui/dist/utils.js";

/** The characters that are segmented at a time. */
const PART = 256;

const segmenter = getSegmenter();
const whole = segmenter.segment.bind(segmenter);

/**
 * Lets pi-tui segment long text in parts. V8 keeps a copy of the segmented text for each segment: those of a line of 50,000 characters
 * would take gigabytes.
 */
export function segmentInParts(): void {
  segmenter.segment = (text) => ({
    containing: (index) => whole(text).containing(index),
    [Symbol.iterator]: () => segmentsOf(text),
  });
}

/** The characters of a text as its reader sees them, such as an emoji with a skin tone. */
export function* segmentsOf(text: string): Generator<Intl.SegmentData, undefined> {
  let size = PART;
  for (let from = 0; from < text.length; ) {
    const to = endOf(text, from + size);
    const parts = Array.from(whole(text.slice(from, to)));
    // The last one may continue behind the part.
    if (to < text.length) parts.pop();
    for (const { segment, index } of parts) yield { segment, index: from + index, input: text };
    const last = parts.at(-1);
    // A character that fills the part is read again, in a larger part.
    size = last ? PART : size * 2;
    if (last) from += last.index + last.segment.length;
  }
  return undefined;
}

/** An end of a part that is not within a surrogate pair. */
function endOf(text: string, end: number): number {
  const isSplit = /^[\ud800-\udbff]$/.test(text[end - 1] ?? "");
  return Math.min(text.length, isSplit ? end + 1 : end);
}
