import * as fs from "node:fs";
import { dirname } from "node:path";
import { codeOf, errors, messageOf } from "./errors.ts";
import { encodeLine, type Scan, scanBytes } from "./scan.ts";
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
    const bytes = fs.readFileSync(this.path);
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
      this.fd ??= fs.openSync(this.path, "ax", 0o600);
      this.writeAll(this.fd, bytes);
    } catch (thrown) {
      this.cutBack();
      throw errors.STORE_WRITE({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    this.size += bytes.length;
    this.pending = "";
  }

  async sync(): Promise<void> {
    const fd = this.fd;
    if (fd === undefined) return;
    await settled((done) => fs.fdatasync(fd, done), this.path);
    if (this.directorySynced) return;
    await syncDirectory(dirname(this.path));
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
    this.fd = fs.openSync(this.path, "a");
    if (scan.torn) this.setAside(bytes.subarray(scan.torn.offset));
    if (scan.unterminated) this.pending = "\n";
  }

  private whyReadOnly(scan: Scan): string | undefined {
    if (this.options.readOnly) return "it was opened so";
    if (scan.header.version > LOG_VERSION)
      return `its format ${scan.header.version} is newer than this version of Scorel knows (${LOG_VERSION})`;
    return undefined;
  }

  /** Keeps the torn bytes in a file of their own before they are cut off, so that nothing is glued to them. */
  private setAside(torn: Buffer): void {
    const base = this.path.replace(/\.jsonl$/, "");
    let n = 1;
    while (fs.existsSync(`${base}.torn-${n}`)) n++;
    fs.writeFileSync(`${base}.torn-${n}`, torn, { flag: "wx", mode: 0o600, flush: true });
    fs.ftruncateSync(this.fd as number, this.size);
  }

  /** A disk that fills answers with a short count first; only the next write says why. */
  private writeAll(fd: number, bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written, bytes.length - written);
  }

  private cutBack(): void {
    if (this.fd === undefined) return;
    try {
      fs.ftruncateSync(this.fd, this.size);
    } catch {
      // The next open finds the torn tail and sets it aside; the append is refused either way.
      this.readOnly = "a failed write could not be undone";
    }
  }
}

function settled(start: (done: (error: Error | null) => void) => void, path: string): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) =>
      error ? reject(errors.STORE_WRITE({ path, reason: codeOf(error) }, { cause: error })) : resolve(),
    ),
  );
}

/** Makes a new file's name survive a power loss. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await fs.promises.open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
