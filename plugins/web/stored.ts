import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { openRegular } from "@scorel/kit/files/open";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import { inOwnFolder, inStateFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import type { z } from "zod";

/** Milliseconds to wait for another process that changes the file. */
const PATIENCE_MS = 10_000;

interface Options<T> {
  /** In the folder of the host, `~/.scorel/host`. */
  file: string;
  schema: z.ZodType<T>;
  /** What is there before anything was stored. */
  empty: T;
  /** The error for a file that cannot be used. */
  failed(found: { path: string; problem: string }, options?: ErrorOptions): Error;
}

/** What the page keeps at the host, in a file that only its user can read. */
export class Stored<T> {
  private readonly options: Options<T>;

  constructor(options: Options<T>) {
    this.options = options;
  }

  /** Throws for a damaged file, and for one that another user may have written. */
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
    inOwnFolder(folder(), () => {});
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
      return this.options.schema.parse(JSON.parse(readFileSync(file.fd, "utf8")), { jitless: true });
    } finally {
      closeSync(file.fd);
    }
  }

  private get path(): string {
    return join(folder(), this.options.file);
  }
}

/** Whether there is such a file, also one that cannot be read. */
export function hasStored(file: string): boolean {
  return inStateFolder(folder(), (opened) => opened.names().includes(file)) ?? false;
}

export function removeStored(file: string): void {
  removeStateFile(folder(), file);
}

function folder(): string {
  return join(userDir(), "host");
}
