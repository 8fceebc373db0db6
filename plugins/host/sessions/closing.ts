import type { Awaitable } from "@scorel/kernel";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { acquireLock } from "../storage/lock.ts";
import { besideLog } from "../storage/session-store.ts";
import type { Shelf } from "./shelf.ts";

/** The sessions that are being closed, or that must stay closed while their logs are changed. */
export class Closing {
  private readonly works = new Map<string, Promise<void>>();

  /** Resolves when the work on a session has ended; undefined if there is none. Never rejects. */
  get(id: string): Promise<void> | undefined {
    return this.works.get(id);
  }

  all(): Promise<void>[] {
    return [...this.works.values()];
  }

  /** Makes all openings of the session wait until `work` has settled. */
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

/** Runs `work` on the log of a closed session, while a lock keeps other processes from opening it. */
export async function withLock<R>(shelf: Shelf, id: string, work: () => Awaitable<R>): Promise<R> {
  makePrivateFolder(shelf.directory);
  const lock = acquireLock(besideLog(shelf.path(id), "lock"), id);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
