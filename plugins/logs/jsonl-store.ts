import * as fs from "node:fs";
import { dirname } from "node:path";
import {
  codeOf,
  type LogImage,
  messageOf,
  type Opened,
  type Problem,
  ScorelError,
  type SessionHeader,
  type Store,
  type StoredEvent,
} from "@scorel/kernel";
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

export interface JsonlOptions extends LogOptions {
  /** Bytes from which on a log has an index, and after which it gets a new one. Default: what is read in some ten milliseconds. */
  indexFrom?: number;
}

const INDEX_FROM = 8 * 2 ** 20;
/** Rows whose replay costs more than writing an index. */
const WORTH_KEEPING = 100_000;

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
  private readonly file: LogFile;
  private readonly texts: TextSearch;
  /** Bytes of a failed append stand behind the last whole record. */
  private tainted = false;
  private readOnly: string | undefined;
  private directorySynced = true;
  /** The file had a name in this turn of the event loop. */
  private looked = false;
  /** Records were written since without looking again. */
  private unseen = false;
  private header: SessionHeader | undefined;
  /** What opening found; nothing for a new log. */
  private scan: Scan | undefined;
  /** Records written since. */
  private added = 0;
  /** Bytes that the index speaks of. */
  private indexedSize: number | undefined;
  /** Written before the next record: the header of a new log, or a newline that got lost. */
  private pending = "";

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
    const text = this.pending + (lines.length === 1 ? lines[0] : lines.join(""));
    const length = Buffer.byteLength(text);
    try {
      this.writeAll(this.writable(), text, length);
    } catch (thrown) {
      this.undo();
      if (thrown instanceof ScorelError) throw thrown;
      throw errors.STORE_WRITE({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    this.place(lines, length, events);
    file.lastNumber = next + lines.length - 1;
    this.pending = "";
  }

  search(text: string, first: number): readonly number[] {
    return this.texts.rowsWith(text, first);
  }

  /** Only a writer's word holds, and only of a log that a checksum guards and that ends in a whole line. */
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
      // A full or read-only disk: the log is read next time, and nothing else depends on the index.
    }
  }

  async sync(): Promise<void> {
    const fd = this.file.fd;
    if (fd === undefined) return;
    const data = syncData(fd, this.path);
    if (this.directorySynced) await data;
    else await Promise.all([data, syncDirectory(dirname(this.path))]);
    this.directorySynced = true;
    // Nobody is told that an event is safe whose file went within the turn of the loop that wrote it.
    if (this.unseen && this.file.fd === fd) this.look();
  }

  async close(): Promise<void> {
    // What it said of a record is not so any more.
    if (this.file.spoiled && this.readOnly === undefined && this.options.index)
      fs.rmSync(this.options.index, { force: true });
    const changed = this.readOnly === undefined ? this.changed() : undefined;
    if (this.file.fd !== undefined) fs.closeSync(this.file.fd);
    this.file.fd = undefined;
    this.readOnly = "it is closed";
    // Nothing is reported for a deleted log, since deleting it was intended; bytes that others removed or added are reported.
    if (changed?.code === "STORE_CHANGED") throw changed;
  }

  private openNew(header: SessionHeader): Opened {
    this.pending = encodeLine(JSON.stringify({ ...header, checksum: "crc32" }));
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
      throw errors.STORE_OPEN({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    if (scan.unterminated) this.pending = "\n";
  }

  /** The records stand at the end of what was written, each with its newline. */
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

  /** The log's descriptor, whole records before it. Throws what `look` throws. */
  private writable(): number {
    const { file } = this;
    file.fd ??= fs.openSync(this.path, "ax+", 0o600);
    if (this.looked) this.unseen = true;
    else this.look();
    if (this.tainted) this.cutBack(file.fd);
    return file.fd;
  }

  /**
   * Nothing outside is heard of within one turn of the event loop: the file is looked at once in it. Throws STORE_GONE,
   * STORE_MOVED and STORE_CHANGED.
   */
  private look(): void {
    this.looked = false;
    const changed = this.changed();
    if (changed) throw changed;
    this.unseen = false;
    this.looked = true;
    setImmediate(() => {
      this.looked = false;
    });
  }

  /** The error for a file that somebody else deleted, moved or changed, to which nothing may be written. */
  private changed(): ScorelError | undefined {
    const { fd, size } = this.file;
    return fd === undefined ? undefined : changeOf(this.path, fd, size, this.tainted);
  }

  /** A disk that fills answers with a short count first; only the next write says why. */
  private writeAll(fd: number, text: string, length: number): void {
    this.tainted = true;
    let written = fs.writeSync(fd, text);
    if (written < length) {
      const bytes = Buffer.from(text);
      while (written < length) written += fs.writeSync(fd, bytes, written, length - written);
    }
    this.tainted = false;
  }

  /** A new log that could not get its first record leaves no empty file behind. */
  private undo(): void {
    if (this.file.fd === undefined || !this.tainted) return;
    try {
      if (this.file.size > 0) this.cutBack(this.file.fd);
      else this.discard(this.file.fd);
    } catch {
      // Tried again before the next append, which fails by it; if none comes, opening sets the torn tail aside.
    }
  }

  /** Never makes a file longer that somebody else has cut. */
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
