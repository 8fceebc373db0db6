import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { codeOf, ScorelError } from "@scorel/kernel";
import { outputName } from "@scorel/kit/files/kept-outputs";

const MAX_SPILL = 64 * 1024 * 1024;
/** Bytes reserved for the line about left-out output, and for the exit code. */
const NOTE = 256;

/** A command's output, reduced to a size limit. */
export interface Kept {
  text: string;
  /** The size of all output, in UTF-8 bytes. */
  bytes: number;
  truncated: boolean;
  /** The file with all output, up to 64 MiB; set when something was cut. */
  spill?: string;
}

/** Collects output of any length: head and tail in memory, and everything in a private file when it is too long. */
export class Output {
  private readonly limit: number;
  private readonly folder: () => string;
  private readonly tail: Tail;
  private head = "";
  private headBytes = 0;
  private bytes = 0;
  private spill: Spill | undefined;

  /** Keeps at most `limit` bytes in memory; `folder` is called when a file is needed. */
  constructor(limit: number, folder: () => string) {
    this.limit = limit;
    this.folder = folder;
    this.tail = new Tail(limit);
  }

  write(text: string): void {
    if (text === "") return;
    const size = Buffer.byteLength(text);
    this.bytes += size;
    if (this.bytes > this.limit) this.spill ??= this.startSpill();
    this.spill?.write(text);
    if (this.headBytes < this.limit / 2) {
      this.head += text;
      this.headBytes += size;
    }
    this.tail.write(text, size);
  }

  /** The last lines so far, for live display. Says how much output comes before them. */
  recent(limit: number): string {
    if (this.bytes <= limit) return this.tail.text;
    const end = wholeLines(lastBytes(this.tail.text, limit), "start");
    const where = this.spill ? `; ${this.spill.kept}` : "";
    return `[${this.bytes - Buffer.byteLength(end)} bytes before this are not shown${where}]\n${end}`;
  }

  /** Closes the file, if any, and returns the result. */
  close(): Kept {
    this.spill?.close();
    if (!this.spill) return { text: this.tail.text, bytes: this.bytes, truncated: false };
    const part = Math.max(0, this.limit - NOTE) / 2;
    const head = wholeLines(firstBytes(this.head, part), "end");
    const tail = wholeLines(lastBytes(this.tail.text, part), "start");
    const cut = this.bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    const { path, kept } = this.spill;
    return {
      text: `${head}\n[${cut} bytes cut here; ${kept}]\n${tail}`,
      bytes: this.bytes,
      truncated: true,
      ...(path !== undefined && { spill: path }),
    };
  }

  /** Removes the file, if any. */
  discard(): void {
    this.spill?.close();
    if (this.spill?.path !== undefined) rmSync(this.spill.path, { force: true });
  }

  private startSpill(): Spill {
    const spill = new Spill(() => join(this.folder(), outputName()));
    spill.write(this.tail.text);
    return spill;
  }
}

/** The end of a text: at least the last `limit` bytes, at most about twice as many. */
class Tail {
  private readonly limit: number;
  private parts: string[] = [];
  private size = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get text(): string {
    if (this.parts.length > 1) this.parts = [this.parts.join("")];
    return this.parts[0] ?? "";
  }

  write(text: string, size: number): void {
    this.parts.push(text);
    this.size += size;
    if (this.size <= this.limit * 2) return;
    this.parts = [lastBytes(this.text, this.limit)];
    this.size = Buffer.byteLength(this.text);
  }
}

/** A file that only this user can read. Writes are synchronous, so that output waits instead of filling memory. */
class Spill {
  /** Undefined when the file could not be created. */
  path: string | undefined;
  private fd: number | undefined;
  private size = 0;
  private whole = true;
  private failure = "";

  /** `place` may throw if there is no folder for the file. */
  constructor(place: () => string) {
    this.attempt(() => {
      const path = place();
      this.fd = openSync(path, "wx", 0o600);
      this.path = path;
    });
  }

  /** A sentence part about which output is in the file. */
  get kept(): string {
    if (this.path === undefined) return `it could not be saved to a file: ${this.failure}`;
    if (this.failure) return `the first ${this.size} bytes, until ${this.failure}: ${this.path}`;
    return `${this.whole ? "all of it" : `the first ${MAX_SPILL} bytes`}: ${this.path}`;
  }

  write(text: string): void {
    const { fd } = this;
    if (fd === undefined || this.failure) return;
    const bytes = Buffer.from(text);
    const room = Math.min(bytes.length, MAX_SPILL - this.size);
    this.whole &&= room === bytes.length;
    this.attempt(() => {
      for (let at = 0; at < room; ) {
        const count = writeSync(fd, bytes, at, room - at);
        at += count;
        this.size += count;
      }
    });
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  /** Records errors: a full disk must not end the command. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.failure = thrown instanceof ScorelError ? thrown.message : codeOf(thrown);
    }
  }
}

/** At most the first `limit` bytes of a text, in whole characters. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = Math.max(0, Math.floor(limit));
  while (end > 0 && continues(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** At most the last `limit` bytes of a text, in whole characters. */
export function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, Math.ceil(bytes.length - limit));
  while (start < bytes.length && continues(bytes[start])) start++;
  return start === 0 ? text : bytes.toString("utf8", start);
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Drops a partial line, unless it is most of the text. */
function wholeLines(text: string, side: "start" | "end"): string {
  const at = side === "end" ? text.lastIndexOf("\n") : text.indexOf("\n");
  const rest = side === "end" ? text.slice(0, Math.max(at, 0)) : text.slice(at + 1);
  return at >= 0 && rest.length > text.length / 2 ? rest : text;
}
