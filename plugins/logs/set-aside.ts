import * as fs from "node:fs";

/**
 * Removes an incomplete last record from a log, so that the next record does not continue it. Its bytes are saved before, in
 * `<sessionId>.torn-<n>` beside the log.
 */
export function setAside(path: string, fd: number, torn: { offset: number; length: number }): void {
  const copy = freeName(path.replace(/\.jsonl$/, ""));
  try {
    fs.writeFileSync(copy, bytesOf(fd, torn), { flag: "wx", mode: 0o600, flush: true });
  } catch (thrown) {
    fs.rmSync(copy, { force: true });
    throw thrown;
  }
  fs.ftruncateSync(fd, torn.offset);
}

function freeName(base: string): string {
  let n = 1;
  while (fs.existsSync(`${base}.torn-${n}`)) n++;
  return `${base}.torn-${n}`;
}

function bytesOf(fd: number, { offset, length }: { offset: number; length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, offset));
}
