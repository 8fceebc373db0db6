import type { StoredEvent } from "@scorel/kernel";
import type { Hit } from "./contract.ts";
import { logsIn, type Shelf } from "./logs.ts";
import { type Query, queryOf } from "./pattern.ts";
import { readableTexts } from "./readable-text.ts";
import { matchingLines } from "./ripgrep.ts";
import { readDetails, type SessionDetails, unknownDetails } from "./session-details.ts";

export interface SearchOptions extends Shelf {
  text: string;
  caseSensitive?: boolean | undefined;
  /** Restricts the search to sessions for which this returns true. */
  belongs?: ((sessionId: string) => boolean) | undefined;
  signal: AbortSignal;
}

const WIDTH = 160;
/** Characters shown before the match when the line is too long. */
const BEFORE = 50;

/**
 * Yields hits as they are found; ending the iteration stops the search. Throws FIND_ errors and the signal's reason.
 */
export async function* search({ text, caseSensitive = false, belongs, ...wanted }: SearchOptions): AsyncGenerator<Hit> {
  const query = queryOf(text, caseSensitive);
  const files = logsIn(wanted).filter(({ sessionId }) => belongs?.(sessionId) ?? true);
  const names = new Map(files.map(({ file, sessionId }) => [file, sessionId]));
  const lines = matchingLines({
    ...wanted,
    files: [...names.keys()],
    pattern: query.recorded,
    ignoreCase: !caseSensitive,
  });
  let last: { file: string; details: SessionDetails } | undefined;
  try {
    for await (const { file, line } of lines) {
      const record = parsed(line);
      const found = record && placeIn(record, query);
      if (!found) continue;
      if (last?.file !== file) {
        await last?.details[Symbol.asyncDispose]();
        last = { file, details: known(wanted, names.get(file) as string) };
      }
      yield { ...hitOf(record, names.get(file) as string, last.details), ...found };
    }
  } finally {
    await last?.details[Symbol.asyncDispose]();
  }
}

/** Returns details of a session, or unknown ones when its log is damaged or was deleted; the hits are still valid. */
function known(shelf: Shelf, sessionId: string): SessionDetails {
  try {
    return readDetails(shelf, sessionId);
  } catch {
    return unknownDetails;
  }
}

/** Parses a line; undefined when it is damaged, which `scorel session verify` reports. */
function parsed(line: Buffer): StoredEvent | undefined {
  try {
    return JSON.parse(line.toString("utf8")) as StoredEvent;
  } catch {
    return undefined;
  }
}

function placeIn(record: unknown, { read }: Query): Pick<Hit, "who" | "text"> | undefined {
  for (const { who, text } of readableTexts(record)) {
    const match = read.exec(text);
    if (match) return { who, text: lineAround(text, match.index, match.index + match[0].length) };
  }
  return undefined;
}

function hitOf(record: StoredEvent, sessionId: string, details: SessionDetails): Omit<Hit, "who" | "text"> {
  const { id: eventId, ts = details.createdAt } = record;
  const { title, updatedAt, cwd } = details;
  const place = { sessionId, title, cwd, updatedAt, ts };
  if (eventId === undefined) return { ...place, eventId: null };
  return { ...place, eventId, ...(isLeft(record, details) && { left: true as const }) };
}

/** True for an event on an abandoned branch and for a reply that was retried. Settings are on no branch. */
function isLeft(event: StoredEvent & { message?: { meta?: { retried?: boolean } } }, details: SessionDetails): boolean {
  if (event.type === "session_info") return false;
  return event.message?.meta?.retried === true || !details.isActive(event.id);
}

/** Returns the match and its surroundings as one line of at most WIDTH characters. */
function lineAround(text: string, from: number, to: number): string {
  const begin = text.lastIndexOf("\n", from - 1) + 1;
  const next = text.indexOf("\n", to);
  const end = next < 0 ? text.length : next;
  const start = end - begin <= WIDTH ? begin : Math.max(begin, from - BEFORE);
  const stop = Math.min(end, start + WIDTH);
  // Drop halves of surrogate pairs at the cut.
  const line = text.slice(start, stop).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${start > begin ? "…" : ""}${line.replace(/\s+/g, " ").trim()}${stop < end ? "…" : ""}`;
}
