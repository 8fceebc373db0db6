import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const PIECE = 16 * 1024 * 1024;

/**
 * Searches the writable memory of a process for texts, in UTF-8 and UTF-16. Returns which of the wanted texts are
 * there, and which of the unwanted ones are not. Linux only.
 */
export function found(pid: number, wanted: readonly string[], unwanted: readonly string[]) {
  const seen = new Set<string>();
  const patterns = [...wanted, ...unwanted].flatMap((text) =>
    (["utf8", "utf16le"] as const).map((encoding) => ({ text, bytes: Buffer.from(text, encoding) })),
  );
  const overlap = Math.max(...patterns.map(({ bytes }) => bytes.length));
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const [from, to] of writable(pid))
      for (let at = from; at < to; at += PIECE) {
        const piece = readPiece(memory, at, Math.min(PIECE + overlap, to - at));
        for (const { text, bytes } of patterns) if (!seen.has(text) && piece.includes(bytes)) seen.add(text);
      }
  } finally {
    closeSync(memory);
  }
  return { held: wanted.filter((text) => seen.has(text)), none: unwanted.filter((text) => !seen.has(text)) };
}

/** Address ranges of a process's writable memory. */
function writable(pid: number): [from: number, to: number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, from, to, rights] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    return rights?.startsWith("rw") ? [[Number.parseInt(from as string, 16), Number.parseInt(to as string, 16)]] : [];
  });
}

/** The readable part of this range: memory may be released while it is read. */
function readPiece(memory: number, at: number, length: number): Buffer {
  const piece = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    let count: number;
    try {
      count = readSync(memory, piece, read, length - read, at + read);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EIO") throw thrown;
      break;
    }
    if (count === 0) break;
    read += count;
  }
  return piece.subarray(0, read);
}
