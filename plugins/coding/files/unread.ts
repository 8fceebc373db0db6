import type { ByteRange } from "../contract.ts";
import { countBreaks, lineAt } from "./text-file.ts";

/** Longer lines may not fit into a Read, so they are named by byte. */
const LONG_LINE = 8_000;

/** Names the lines of an unread range, and the offset to read it from. */
export function describeUnread(bytes: Buffer, [from, to]: ByteRange): { lines: string; offset: string } {
  const first = lineAt(bytes, from);
  const last = first + countBreaks(bytes, from, to - 1);
  const start = bytes.lastIndexOf(10, from - 1) + (from > 0 ? 1 : 0);
  if (from - start > LONG_LINE)
    return { lines: `byte ${from - start} of line ${first}`, offset: `${first}:${from - start}` };
  return { lines: first === last ? `line ${first}` : `lines ${first}-${last}`, offset: String(first) };
}
