import { closeSync, openSync, readSync } from "node:fs";
import type { StoredEvent } from "@scorel/kernel";

const END = 2 ** 17;

/** The events at the beginning and at the end of a large log that can be read from its bytes there. Throws what the system says. */
export function readEnds(path: string, size: number): { head: StoredEvent[]; tail: StoredEvent[] } {
  const fd = openSync(path, "r");
  try {
    const [, ...head] = textAt(fd, 0).split("\n");
    const [, ...tail] = textAt(fd, Math.max(0, size - END)).split("\n");
    return { head: head.flatMap(parsed), tail: tail.flatMap(parsed) };
  } finally {
    closeSync(fd);
  }
}

function textAt(fd: number, offset: number): string {
  const bytes = Buffer.allocUnsafe(END);
  return bytes.toString("utf8", 0, readSync(fd, bytes, 0, END, offset));
}

/** A line that is cut off says nothing. */
function parsed(line: string): StoredEvent[] {
  try {
    const event = JSON.parse(line) as StoredEvent | null;
    return typeof event?.type === "string" && typeof event.ts === "number" ? [event] : [];
  } catch {
    return [];
  }
}
