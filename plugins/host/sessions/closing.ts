import type { Awaitable } from "@scorel/kernel";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { acquireLock } from "../storage/lock.ts";
import { besideLog } from "../storage/session-store.ts";
import type { Shelf } from "./shelf.ts";

/** The sessions that are closing, or that stay closed while something is done with their logs. */
export class Closing {
  private readonly works = new Map<string, Promise<void>>();

  /** What is being done with a session now. It never rejects. */
  get(id: string): Promise<void> | undefined {
    return this.works.get(id);
  }

  all(): Promise<void>[] {
    return [...this.works.values()];
  }

  /** Makes everyone who opens the session wait until `work` has settled. */
  async during(id: string, work: Promise<unknown>): Promise<void> {
    const closing = work.finally(() => this.works.delete(id));
    this.works.set(
      id,
      closing.then(
        () => {},
        () => {},
      ),
    );
    await closing;
  }
}

/** Works on the log of a closed session, which no other process can open meanwhile. */
export async function withLock<R>(shelf: Shelf, id: string, work: () => Awaitable<R>): Promise<R> {
  makePrivateFolder(shelf.directory);
  const lock = acquireLock(besideLog(shelf.path(id), "lock"), id);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
