import { closeSync, constants, openSync, renameSync, statSync, writeSync } from "node:fs";

/** Size in bytes from which the file is renamed to `<name>.1`, and a new one is begun. */
const FULL = 4 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;

/** A private file of text lines, opened with the first write. */
export class LineFile {
  private readonly path: string;
  private fd: number | undefined;
  private size = 0;
  /** Whether the last line was written only in part. */
  private torn = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Appends lines. Throws file system errors; refuses a symbolic link. */
  write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      if (this.size > FULL) this.close();
      this.fd ??= this.open();
      const start = this.torn ? "\n" : "";
      const bytes = Buffer.from(start + lines.map((line) => `${line}\n`).join(""));
      // A full disk accepts a part of the bytes first, and refuses the rest.
      for (let written = 0; written < bytes.length; this.torn = written < bytes.length)
        written += writeSync(this.fd, bytes, written);
      this.size += bytes.length;
    } catch (thrown) {
      // The system's error for a write to an open file does not name it.
      throw thrown instanceof Error ? Object.assign(thrown, { path: this.path }) : thrown;
    }
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private open(): number {
    this.size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (this.size > FULL) {
      renameSync(this.path, `${this.path}.1`);
      this.size = 0;
    }
    return openSync(this.path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  }
}
