import * as fs from "node:fs";
import { dirname } from "node:path";
import { codeOf, errors, messageOf, ScorelError } from "./errors.ts";
import { encodeLine, readLog, type Scan, scanBytes } from "./scan.ts";
import type { Opened, Store } from "./store.ts";
import type { SessionHeader } from "./types.ts";

/** The format this version writes; a log of a newer one is opened for reading only. */
export const LOG_VERSION = 1;

export interface JsonlOptions {
  /** The header of a new log; the file appears with the first append. */
  create?: SessionHeader;
  /** Neither repairs nor appends. */
  readOnly?: boolean;
}

/**
 * A log in one plain file. What `append` has taken survives a killed process; a failed append leaves
 * the file as it was. Opening moves a torn tail beside the log and truncates nothing else.
 */
export function createJsonlStore(path: string, options: JsonlOptions = {}): Store {
  return new JsonlStore(path, options);
}

class JsonlStore implements Store {
  private readonly path: string;
  private readonly options: JsonlOptions;
  private fd: number | undefined;
  /** Bytes of a failed append stand behind the last whole record. */
  private tainted = false;
  /** Bytes known to be whole records. */
  private size = 0;
  private readOnly: string | undefined;
  private directorySynced = true;
  /** Written before the next record: the header of a new log, or a newline that got lost. */
  private pending = "";

  constructor(path: string, options: JsonlOptions) {
    this.path = path;
    this.options = options;
  }

  open(): Opened {
    if (this.options.create) return this.openNew(this.options.create);
    const bytes = readLog(this.path);
    const scan = scanBytes(this.path, bytes);
    this.readOnly = this.whyReadOnly(scan);
    this.size = scan.torn?.offset ?? scan.bytes;
    if (this.readOnly === undefined) this.openForAppend(scan, bytes);
    return {
      header: scan.header,
      events: scan.events,
      problems: scan.problems,
      ...(this.readOnly && { readOnly: this.readOnly }),
    };
  }

  append(records: readonly string[]): void {
    if (this.readOnly !== undefined) throw errors.STORE_READ_ONLY({ path: this.path, reason: this.readOnly });
    const bytes = Buffer.from(this.pending + records.map(encodeLine).join(""));
    try {
      this.writeAll(this.writable(), bytes);
    } catch (thrown) {
      this.undo();
      if (thrown instanceof ScorelError) throw thrown;
      throw errors.STORE_WRITE({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    this.size += bytes.length;
    this.pending = "";
  }

  async sync(): Promise<void> {
    const fd = this.fd;
    if (fd === undefined) return;
    const data = settled((done) => fs.fdatasync(fd, done), this.path);
    if (this.directorySynced) return data;
    await Promise.all([data, syncDirectory(dirname(this.path))]);
    this.directorySynced = true;
  }

  async close(): Promise<void> {
    if (this.fd !== undefined) fs.closeSync(this.fd);
    this.fd = undefined;
    this.readOnly = "it is closed";
  }

  private openNew(header: SessionHeader): Opened {
    this.pending = encodeLine(JSON.stringify({ ...header, checksum: "crc32" }));
    this.directorySynced = false;
    return { header: { ...header, checksum: "crc32" }, events: [], problems: [] };
  }

  private openForAppend(scan: Scan, bytes: Buffer): void {
    try {
      this.fd = fs.openSync(this.path, "a");
      if (scan.torn) this.setAside(bytes.subarray(scan.torn.offset));
    } catch (thrown) {
      if (this.fd !== undefined) fs.closeSync(this.fd);
      throw errors.STORE_OPEN({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    if (scan.unterminated) this.pending = "\n";
  }

  private whyReadOnly(scan: Scan): string | undefined {
    if (this.options.readOnly) return "it was opened so";
    if (scan.header.version > LOG_VERSION)
      return `its format ${scan.header.version} is newer than this version of Scorel knows (${LOG_VERSION}); update Scorel to go on in it`;
    return undefined;
  }

  /** Keeps the torn bytes in a file of their own before they are cut off, so that nothing is glued to them. */
  private setAside(torn: Buffer): void {
    const base = this.path.replace(/\.jsonl$/, "");
    let n = 1;
    while (fs.existsSync(`${base}.torn-${n}`)) n++;
    try {
      fs.writeFileSync(`${base}.torn-${n}`, torn, { flag: "wx", mode: 0o600, flush: true });
    } catch (thrown) {
      fs.rmSync(`${base}.torn-${n}`, { force: true });
      throw thrown;
    }
    fs.ftruncateSync(this.fd as number, this.size);
  }

  /** The log's descriptor, whole records before it. Throws STORE_GONE when the file has no name any more. */
  private writable(): number {
    this.fd ??= fs.openSync(this.path, "ax", 0o600);
    if (fs.fstatSync(this.fd).nlink === 0)
      throw errors.STORE_GONE({ path: this.path, ...(process.platform === "linux" && { copy: this.openBytes() }) });
    if (this.tainted) this.cutBack(this.fd);
    return this.fd;
  }

  /** Linux keeps a deleted file's bytes as long as someone has it open, under this name. */
  private openBytes(): string {
    return `/proc/${process.pid}/fd/${this.fd}`;
  }

  /** A disk that fills answers with a short count first; only the next write says why. */
  private writeAll(fd: number, bytes: Buffer): void {
    this.tainted = true;
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written, bytes.length - written);
    this.tainted = false;
  }

  /** A new log that could not get its first record leaves no empty file behind. */
  private undo(): void {
    if (this.fd === undefined || !this.tainted) return;
    try {
      if (this.size > 0) this.cutBack(this.fd);
      else this.discard(this.fd);
    } catch {
      // Tried again before the next append, which fails by it; if none comes, opening sets the torn tail aside.
    }
  }

  private cutBack(fd: number): void {
    fs.ftruncateSync(fd, this.size);
    this.tainted = false;
  }

  private discard(fd: number): void {
    fs.ftruncateSync(fd, 0);
    fs.rmSync(this.path, { force: true });
    fs.closeSync(fd);
    this.fd = undefined;
    this.tainted = false;
  }
}

function settled(start: (done: (error: Error | null) => void) => void, path: string): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) =>
      error ? reject(errors.STORE_SYNC({ path, reason: codeOf(error) }, { cause: error })) : resolve(),
    ),
  );
}

/** Makes a new file's name survive a power loss. */
async function syncDirectory(path: string): Promise<void> {
  // Not fs.promises: its file handles bring the web streams along, at the first turn of a session.
  const fd = fs.openSync(path, "r");
  try {
    await settled((done) => fs.fsync(fd, done), path);
  } finally {
    fs.closeSync(fd);
  }
}
