import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { codeOf, messageOf } from "../values/coded-error.ts";
import { describeIssues } from "../values/issue-text.ts";
import { userDir } from "./home.ts";
import { takeLock } from "./lock.ts";
import { openRegular } from "./open.ts";
import { replaceFile } from "./private.ts";
import { flawOf } from "./private-folder.ts";
import { inOwnFolder, inStateFolder, removeStateFile } from "./state-folder.ts";

/** Milliseconds to wait for another process that changes the file. */
const PATIENCE_MS = 10_000;

interface Options<T> {
  /** A folder in `~/.scorel` that only its user can enter, such as `host`. `file` is the name of a file in it. */
  folder: string;
  file: string;
  schema: z.ZodType<T>;
  /** The value if nothing has been stored yet. */
  empty: T;
  /** The error for a file that cannot be used. */
  failed(found: { path: string; problem: string }, options?: ErrorOptions): Error;
}

/** A file older than this, in milliseconds, has other times than any file written after it. Younger files are not cached. */
const SETTLED_MS = 100;

/** A plugin's data in a JSON file that only its user can read. Several processes may change it. */
export class Stored<T> {
  private readonly options: Options<T>;
  /** The value that was last read, and the inode, size and times of the file that it was read from. */
  private last: { which: string; value: T } | undefined;

  constructor(options: Options<T>) {
    this.options = options;
  }

  /**
   * Returns the stored value. The caller must not change it, because it is cached until the file changes. Throws for a damaged file, and
   * for a file that another user may have written.
   */
  read(): T {
    try {
      return this.parse();
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return this.options.empty;
      throw this.options.failed({ path: this.path, problem: messageOf(thrown) }, { cause: thrown });
    }
  }

  /** Replaces the stored value under a lock, and returns the new one. Writes nothing if `change` returns the value that it received. */
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
      const value = valueIn(readFileSync(file.fd, "utf8"), this.options.schema);
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

/** Throws an error that describes in one line what is wrong, and quotes nothing of the text, which may contain keys. */
function valueIn<T>(text: string, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(jsonIn(text), { jitless: true });
  if (error) throw new Error(describeIssues(error));
  return data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
}

/** Whether the file exists, even if it cannot be read. */
export function hasStored(folder: string, file: string): boolean {
  return inStateFolder(folderOf(folder), (opened) => opened.names().includes(file)) ?? false;
}

/** Removes the file, if it exists. Does nothing if another user owns the folder or can write to it. */
export function removeStored(folder: string, file: string): void {
  removeStateFile(folderOf(folder), file);
}

function folderOf(name: string): string {
  return join(userDir(), name);
}
