import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Limits } from "../contract.ts";
import { errors } from "../errors.ts";

export const defaultLimits: Limits = { entries: 10_000, fileBytes: 64 * 1024 * 1024, allBytes: 256 * 1024 * 1024 };

/** The most bytes that the headers and the long name of an entry may have, besides its content. */
const OVERHEAD = 4096;
const LONGEST = 1_024;
const DEEPEST = 64;

/** One file that is being written. */
export interface OpenFile {
  write(chunk: Buffer): void;
  close(): void;
}

/** Writes untrusted files below one folder: never outside it, each path once, and within limits. Throws ARCHIVE errors. */
export class TreeWriter {
  /** Path as a file system that ignores case compares it -> path as written. */
  private readonly names = new Map<string, { path: string; isFile: boolean }>();
  private entries = 0;
  private folders = 0;
  private bytes = 0;
  private passed = 0;
  private readonly source: string;
  private readonly into: string;
  private readonly limits: Limits;

  /** `source` is the name in errors; `into` must be an empty folder. */
  constructor(source: string, into: string, limits = defaultLimits) {
    this.limits = limits;
    this.source = source;
    this.into = into;
  }

  /** Counts an entry, even if it is not written. */
  count(): void {
    if (++this.entries > this.limits.entries) throw this.limit(`it holds more than ${this.limits.entries} entries`);
  }

  /** Counts unpacked bytes of any kind. */
  pass(bytes: number): void {
    this.passed += bytes;
    const { allBytes, entries } = this.limits;
    if (this.passed > allBytes + entries * OVERHEAD) throw this.limit(`it holds more than ${mebi(allBytes)}`);
  }

  folder(path: string): void {
    const clean = this.clean(path);
    if (clean !== "") this.makeFolders(clean);
  }

  file(path: string, isExecutable: boolean): OpenFile {
    const clean = this.clean(path);
    if (clean === "") throw this.refuse(path, "is the folder itself");
    if (clean.includes("/")) this.makeFolders(dirname(clean));
    this.claim(clean, true);
    const fd = fs.openSync(join(this.into, clean), "wx", isExecutable ? 0o700 : 0o600);
    const { fileBytes, allBytes } = this.limits;
    let size = 0;
    return {
      write: (chunk) => {
        size += chunk.length;
        this.bytes += chunk.length;
        if (size > fileBytes) throw this.refuse(path, `is larger than ${mebi(fileBytes)}`);
        if (this.bytes > allBytes) throw this.limit(`it holds more than ${mebi(allBytes)}`);
        // On a nearly full disk, a write may store only a part; the error comes with the next write.
        for (let done = 0; done < chunk.length; ) done += fs.writeSync(fd, chunk, done);
      },
      close: () => fs.closeSync(fd),
    };
  }

  refuse(entry: string, reason: string) {
    return errors.ARCHIVE_ENTRY({ path: this.source, entry: JSON.stringify(entry.slice(0, LONGEST)), reason });
  }

  /** Normalises to a relative path without `.` and without a trailing `/`. */
  private clean(path: string): string {
    if (path.length > LONGEST) throw this.refuse(path, `is longer than ${LONGEST} characters`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
    if (/[\\\u0000-\u001f\u007f]/.test(path)) throw this.refuse(path, "contains a backslash or a control character");
    if (/^\/|^[A-Za-z]:/.test(path)) throw this.refuse(path, "is an absolute path");
    // On Windows, a colon would name a hidden stream of the file.
    if (path.includes(":")) throw this.refuse(path, "contains a colon");
    const parts = path.split("/").filter((part) => part !== "" && part !== ".");
    if (parts.includes("..")) throw this.refuse(path, "leads out of the folder");
    // Removing a tree takes time quadratic in its depth.
    if (parts.length > DEEPEST) throw this.refuse(path, `is more than ${DEEPEST} folders deep`);
    return parts.join("/");
  }

  private makeFolders(path: string): void {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const folder = parts.slice(0, length).join("/");
      if (!this.claim(folder, false)) continue;
      // A single entry can create hundreds of folders.
      const { entries } = this.limits;
      if (++this.folders > entries) throw this.limit(`it holds more than ${entries} folders`);
      fs.mkdirSync(join(this.into, folder), { mode: 0o700 });
    }
  }

  /** Whether a name is new. Names that differ only in case would overwrite each other on some systems. */
  private claim(path: string, isFile: boolean): boolean {
    const key = path.normalize("NFC").toLowerCase();
    const other = this.names.get(key);
    if (other && other.path !== path)
      throw this.refuse(path, `differs from ${JSON.stringify(other.path)} only in case`);
    if (other && (other.isFile || isFile)) throw this.refuse(path, "occurs twice");
    this.names.set(key, { path, isFile });
    return !other;
  }

  private limit(reason: string) {
    return errors.ARCHIVE_LIMIT({ path: this.source, reason });
  }
}

const mebi = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
