import { closeSync, openSync, readSync } from "node:fs";
import type { StoredEvent } from "@scorel/kernel";

const END = 2 ** 17;

/** Reads the events in the first and last bytes of a large log. Throws file system errors. */
export function readEnds(path: string, size: number): { head: StoredEvent[]; tail: StoredEvent[] } {
  const fd = openSync(path, "r");
  try {
    return { head: parsed(textAt(fd, 0, END)), tail: tailOf(fd, size) };
  } finally {
    closeSync(fd);
  }
}

/** The last events. If the last record is long, more bytes are read until there is a complete one. */
function tailOf(fd: number, size: number): StoredEvent[] {
  for (let length = END; ; length *= 8) {
    const tail = parsed(textAt(fd, Math.max(0, size - length), length));
    if (tail.length > 0 || length >= size) return tail;
  }
}

function textAt(fd: number, offset: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.toString("utf8", 0, readSync(fd, bytes, 0, length, offset));
}

function parsed(text: string): StoredEvent[] {
  const [, ...lines] = text.split("\n");
  return lines.flatMap(parsedLine);
}

/** The event in a line; an empty list for a line that is cut off. */
function parsedLine(line: string): StoredEvent[] {
  try {
    const event = JSON.parse(line) as StoredEvent | null;
    return typeof event?.type === "string" && typeof event.ts === "number" ? [event] : [];
  } catch {
    return [];
  }
}
