import * as fs from "node:fs";
import { dirname } from "node:path";
import { ScorelError, type SessionHeader, type StoredEvent } from "@scorel/kernel";
import type { LogImage, Opened, Problem, Store } from "@scorel/kernel/store";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { changeOf } from "./changes.ts";
import type { LogOptions } from "./contract.ts";
import { errors } from "./errors.ts";
import { isCounted } from "./header.ts";
import { type Indexed, readIndex, writeIndex } from "./index-file.ts";
import { LogFile } from "./log-file.ts";
import { encodeLine } from "./record-bytes.ts";
import { type Resumed, type Scan, scanFile, tailOf } from "./scan.ts";
import { setAside } from "./set-aside.ts";
import { syncData, syncDirectory } from "./sync.ts";
import { TextSearch } from "./text-search.ts";

/** Options of `createJsonlStore`. */
export interface JsonlOptions extends LogOptions {
  /** How many bytes without an index cause one to be written. Default: as many as are read in about ten milliseconds. */
  indexFrom?: number;
}

const INDEX_FROM = 8 * 2 ** 20;
/** From this number of replayed rows on, replaying costs more than writing an index. */
const WORTH_KEEPING = 100_000;

/**
 * A log in a single file. Records survive a killed process as soon as `append` returns. A failed append leaves the file unchanged.
 * Opening moves an incomplete last record to a file of its own and truncates nothing else.
 */
export function createJsonlStore(path: string, options: JsonlOptions = {}): Store {
  return new JsonlStore(path, options);
}

class JsonlStore implements Store {
  private readonly path: string;
  private readonly options: JsonlOptions;
  private readonly file: LogFile;
  private readonly texts: TextSearch;
  /** Bytes of a failed append may follow the last complete record. */
  private tainted = false;
  private readOnly: string | undefined;
  private directorySynced = true;
  /** Whether the file was checked in this turn of the event loop. */
  private isChecked = false;
  /** Whether records were written after that check. */
  private hasUncheckedWrites = false;
  private header: SessionHeader | undefined;
  /** What was found at opening; undefined for a new log. */
  private scan: Scan | undefined;
  /** Records written since opening. */
  private added = 0;
  /** How many bytes the index covers. */
  private indexedSize: number | undefined;
  /** Text to write before the next record: the header of a new log, or a missing newline. */
  private pending = "";
  /** Whether the header was not written yet. */
  private isNew = false;

  constructor(path: string, options: JsonlOptions) {
    this.path = path;
    this.options = options;
    this.file = new LogFile(path);
    this.texts = new TextSearch(this.file);
  }

  open(onDamage: (problem: Problem) => void = () => {}): Opened {
    if (this.options.create) return this.openNew(this.options.create);
    const { file, options } = this;
    const tail = options.readOnly && options.tail !== undefined ? tailOf(file, options.tail) : undefined;
    const indexed = tail || options.index === undefined ? undefined : readIndex(options.index, file);
    const scan = scanFile(file, tail ?? (indexed && resumedBehind(indexed)));
    const { header, problems } = scan;
    this.scan = scan;
    this.header = header;
    this.indexedSize = indexed?.facts.size;
    this.readOnly = this.options.readOnly ? "it was opened so" : scan.readOnly;
    if (this.readOnly === undefined) this.openForAppend(scan);
    file.onDamage = (problem) => {
      problems.push(problem);
      onDamage(problem);
    };
    return {
      header,
      ledger: file.ledger,
      problems,
      ...(indexed && { image: indexed.image }),
      ...(this.readOnly && { readOnly: this.readOnly }),
    };
  }

  append(records: readonly string[], events: readonly StoredEvent[] = []): void {
    if (this.readOnly !== undefined) throw errors.STORE_READ_ONLY({ path: this.path, reason: this.readOnly });
    const { file } = this;
    const next = (file.lastNumber ?? 0) + 1;
    const lines = records.map((record, index) => encodeLine(record, file.counted ? next + index : undefined));
    // The header may change until now, for example the name of the session.
    if (this.isNew) this.pending = encodeLine(JSON.stringify(this.header));
    const text = this.pending + (lines.length === 1 ? lines[0] : lines.join(""));
    const length = Buffer.byteLength(text);
    try {
      this.writeAll(this.writable(), text, length);
    } catch (thrown) {
      this.undo();
      if (thrown instanceof ScorelError) throw thrown;
      throw errors.STORE_WRITE({ path: this.path, reason: reasonOf(thrown) }, { cause: thrown });
    }
    this.place(lines, length, events);
    file.lastNumber = next + lines.length - 1;
    this.pending = "";
    this.isNew = false;
  }

  search(text: string, first: number): readonly number[] {
    return this.texts.rowsWith(text, first);
  }

  /** Writes an index, but only if this process writes the log, all records have checksums, and the last line is complete. */
  keep(image: () => LogImage, replayed: number): void {
    const { file, options, scan } = this;
    const { index, indexFrom = INDEX_FROM } = options;
    if (index === undefined || this.readOnly !== undefined || file.fd === undefined || file.spoiled) return;
    const isNew = file.size - (this.indexedSize ?? 0) >= indexFrom;
    const isBetter = this.indexedSize !== undefined && replayed >= WORTH_KEEPING;
    if (!file.checked || this.pending !== "" || !(isNew || isBetter) || this.changed() !== undefined) return;
    const problems = scan?.problems.filter(({ offset }) => offset !== scan.torn?.offset) ?? [];
    const lines = (scan?.lines ?? 1) + (scan?.unterminated ? 1 : 0) + this.added;
    try {
      writeIndex(index, file, { header: this.header as SessionHeader, problems, lines }, image());
      this.indexedSize = file.size;
    } catch {
      // The disk may be full or read-only. Without an index the whole log is read next time.
    }
  }

  async sync(): Promise<void> {
    const fd = this.file.fd;
    if (fd === undefined) return;
    const data = syncData(fd, this.path);
    if (this.directorySynced) await data;
    else await Promise.all([data, syncDirectory(dirname(this.path))]);
    this.directorySynced = true;
    // The file may have been deleted in the turn that wrote the records; then they must not be reported as safe.
    if (this.hasUncheckedWrites && this.file.fd === fd) this.assertUnchanged();
  }

  async close(): Promise<void> {
    // A record was damaged after the index was written, so the index is wrong.
    if (this.file.spoiled && this.readOnly === undefined && this.options.index)
      fs.rmSync(this.options.index, { force: true });
    const changed = this.readOnly === undefined ? this.changed() : undefined;
    if (this.file.fd !== undefined) fs.closeSync(this.file.fd);
    this.file.fd = undefined;
    this.readOnly = "it is closed";
    // Deleting a log is usually intended and not reported; bytes that others removed or added are reported.
    if (changed?.code === "STORE_CHANGED") throw changed;
  }

  private openNew(header: SessionHeader): Opened {
    this.isNew = true;
    this.directorySynced = false;
    this.header = { ...header, checksum: "crc32" };
    this.file.counted = isCounted(header);
    return { header: this.header, ledger: this.file.ledger, problems: [] };
  }

  private openForAppend(scan: Scan): void {
    const { file } = this;
    try {
      file.fd = fs.openSync(this.path, "a+");
      if (scan.torn) setAside(this.path, file.fd, scan.torn);
    } catch (thrown) {
      if (file.fd !== undefined) fs.closeSync(file.fd);
      file.fd = undefined;
      throw errors.STORE_OPEN({ path: this.path, reason: reasonOf(thrown) }, { cause: thrown });
    }
    if (scan.unterminated) this.pending = "\n";
  }

  /** Records the places of the lines that were written, which are at the end of the written bytes. */
  private place(lines: readonly string[], written: number, events: readonly StoredEvent[]): void {
    const { file } = this;
    const end = file.size + written;
    let offset = file.size + Buffer.byteLength(this.pending);
    for (let n = 0; n < lines.length; n++) {
      const length = n === lines.length - 1 ? end - offset : Buffer.byteLength(lines[n] as string);
      file.place(offset, length - 1, events[n]);
      offset += length;
    }
    file.size = end;
    this.added += lines.length;
  }

  /** Returns the file descriptor, after checking the file and removing bytes of a failed append. Throws errors of `assertUnchanged`. */
  private writable(): number {
    const { file } = this;
    file.fd ??= fs.openSync(this.path, "ax+", 0o600);
    if (this.isChecked) this.hasUncheckedWrites = true;
    else this.assertUnchanged();
    if (this.tainted) this.cutBack(file.fd);
    return file.fd;
  }

  /**
   * Checks that nobody else has deleted, moved or changed the file. Done once in each turn of the event loop, to save time. Throws
   * STORE_GONE, STORE_MOVED and STORE_CHANGED.
   */
  private assertUnchanged(): void {
    this.isChecked = false;
    const changed = this.changed();
    if (changed) throw changed;
    this.hasUncheckedWrites = false;
    this.isChecked = true;
    setImmediate(() => {
      this.isChecked = false;
    });
  }

  /** The error for a file that someone else deleted, moved or changed; nothing may be written to it. */
  private changed(): ScorelError | undefined {
    const { fd, size } = this.file;
    return fd === undefined ? undefined : changeOf(this.path, fd, size, this.tainted);
  }

  /** Writes all of the text. On a full disk, the first call writes only a part, and the next call throws the error. */
  private writeAll(fd: number, text: string, length: number): void {
    this.tainted = true;
    let written = fs.writeSync(fd, text);
    if (written < length) {
      const bytes = Buffer.from(text);
      while (written < length) written += fs.writeSync(fd, bytes, written, length - written);
    }
    this.tainted = false;
  }

  /** Removes the bytes of a failed append. A new log without a first record is deleted. */
  private undo(): void {
    if (this.file.fd === undefined || !this.tainted) return;
    try {
      if (this.file.size > 0) this.cutBack(this.file.fd);
      else this.discard(this.file.fd);
    } catch {
      // The next append tries again, and fails if it cannot. Otherwise, opening moves the incomplete record away.
    }
  }

  /** Cuts the file back to its complete records. Does not make it longer if someone else has truncated it. */
  private cutBack(fd: number): void {
    if (fs.fstatSync(fd).size > this.file.size) fs.ftruncateSync(fd, this.file.size);
    this.tainted = false;
  }

  private discard(fd: number): void {
    fs.ftruncateSync(fd, 0);
    fs.rmSync(this.path, { force: true });
    fs.closeSync(fd);
    this.file.fd = undefined;
    this.tainted = false;
  }
}

function resumedBehind({ facts: { header, problems, size, lines, lastNumber } }: Indexed): Resumed {
  return { header, problems, offset: size, lines, lastNumber };
}
