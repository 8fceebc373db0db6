import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { codeOf, messageOf } from "../values/coded-error.ts";
import { userDir } from "./home.ts";
import { takeLock } from "./lock.ts";
import { openRegular } from "./open.ts";
import { replaceFile } from "./private.ts";
import { flawOf } from "./private-folder.ts";
import { inOwnFolder, inStateFolder, removeStateFile } from "./state-folder.ts";

/** Milliseconds to wait for another process that changes the file. */
const PATIENCE_MS = 10_000;

interface Options<T> {
  /** A folder in `~/.scorel` that only its user can enter, such as `host`, and a file in it. */
  folder: string;
  file: string;
  schema: z.ZodType<T>;
  /** What is there before anything was stored. */
  empty: T;
  /** The error for a file that cannot be used. */
  failed(found: { path: string; problem: string }, options?: ErrorOptions): Error;
}

/** How old a file has to be, in milliseconds, before its times tell it from one that was written right after it. */
const SETTLED_MS = 100;

/** What a plugin keeps in a JSON file that only its user can read. Several processes may change it. */
export class Stored<T> {
  private readonly options: Options<T>;
  /** The value that was last read, and the inode, size and times of the file that it was read from. */
  private last: { which: string; value: T } | undefined;

  constructor(options: Options<T>) {
    this.options = options;
  }

  /**
   * Returns what is stored, which must not be changed: it is read again only after the file has changed. Throws for a damaged file, and for
   * one that another user may have written.
   */
  read(): T {
    try {
      return this.parse();
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return this.options.empty;
      throw this.options.failed({ path: this.path, problem: messageOf(thrown) }, { cause: thrown });
    }
  }

  /** Replaces what is stored while no other process does, and returns it. What stays as it was is not written again. */
  async change(change: (now: T) => T): Promise<T> {
    inOwnFolder(folderOf(this.options.folder), () => {});
    const lock = await takeLock(`${this.path}.lock`, PATIENCE_MS);
    if (!lock) throw this.options.failed({ path: this.path, problem: "another process is changing it" });
    try {
      const now = this.read();
      const next = change(now);
      if (next !== now) replaceFile(this.path, `${JSON.stringify(next, null, 2)}\n`, { durable: true });
      return next;
    } finally {
      lock.release();
    }
  }

  private parse(): T {
    const file = openRegular(this.path);
    if (!file) throw new Error("it is not a regular file");
    try {
      const flaw = flawOf(file.stat);
      if (flaw !== undefined) throw new Error(flaw);
      const { dev, ino, size, mtimeMs, ctimeMs } = file.stat;
      const which = [dev, ino, size, mtimeMs, ctimeMs].join();
      if (this.last?.which === which) return this.last.value;
      const value = this.options.schema.parse(JSON.parse(readFileSync(file.fd, "utf8")), { jitless: true });
      this.last = Date.now() - ctimeMs > SETTLED_MS ? { which, value } : undefined;
      return value;
    } finally {
      closeSync(file.fd);
    }
  }

  private get path(): string {
    return join(folderOf(this.options.folder), this.options.file);
  }
}

/** Whether there is such a file, also one that cannot be read. */
export function hasStored(folder: string, file: string): boolean {
  return inStateFolder(folderOf(folder), (opened) => opened.names().includes(file)) ?? false;
}

export function removeStored(folder: string, file: string): void {
  removeStateFile(folderOf(folder), file);
}

function folderOf(name: string): string {
  return join(userDir(), name);
}
