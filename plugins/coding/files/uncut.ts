/** Byte ranges of secrets in a text, ascending and disjoint. */
export type Spans = readonly (readonly [from: number, to: number])[];

const PLACEHOLDER = Buffer.from("[redacted]");

/**
 * A part of a text with every secret that it touches replaced completely, so that a cut reveals nothing. Line breaks in secrets
 * are kept, so that line numbers stay correct.
 */
export function sliceRedacted(bytes: Buffer, spans: Spans, from: number, to: number): Buffer {
  const touched = spans.filter(([start, end]) => start < to && end > from);
  if (touched.length === 0) return bytes.subarray(from, to);
  const parts: Buffer[] = [];
  let at = from;
  for (const [start, end] of touched) {
    if (start > at) parts.push(bytes.subarray(at, start));
    parts.push(PLACEHOLDER, breaksIn(bytes.subarray(Math.max(start, from), Math.min(end, to))));
    at = end;
  }
  if (at < to) parts.push(bytes.subarray(at, to));
  return Buffer.concat(parts);
}

function breaksIn(bytes: Buffer): Buffer {
  return bytes.filter((byte) => byte === 10) as Buffer;
}
