import { useEffect, useRef, useState } from "react";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";

/** Shortest time between two requests, in milliseconds. */
const PAUSE = 1_000;

export interface Reading<T> {
  /** The latest result. It stays until the next one arrives. */
  value?: T;
  error?: (Error & { code?: string }) | undefined;
}

/** Requests something about a session from the host, again after each change of the session. `key` identifies what is requested. */
export function useReading<T>(session: OpenSession, key: string, read: () => Promise<T>): Reading<T> {
  const entries = useStore(session.entries);
  const { connection } = useStore(session.status);
  const last = entries.findLast(({ row }) => row !== undefined)?.key;
  const [found, setFound] = useState<Reading<T> & { key?: string }>({});
  const current = useRef(read);
  current.current = read;
  const begun = useRef(Number.NEGATIVE_INFINITY);
  const repeated = useRef<Repeated>(undefined);
  // Before the next effect, which asks.
  useEffect(() => {
    const reading = new Repeated(begun, () =>
      current.current().then(
        (value) => reading.isWanted && setFound({ key, value }),
        (error) => reading.isWanted && setFound((before) => ({ ...(before.key === key && before), key, error })),
      ),
    );
    repeated.current = reading;
    return () => reading.end();
  }, [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was added to the session may have changed what is read.
  useEffect(() => repeated.current?.ask(), [key, last, connection]);
  return found.key === key ? found : {};
}

/**
 * Work that is repeated when it is asked for, one at a time: if it is asked for while it is under way, it is done once more. It is not begun
 * anew instead, since a session whose turn is running may change faster than the host answers, and nothing would ever be shown.
 */
export class Repeated {
  isWanted = true;
  private isDue = false;
  private isBusy = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly begun: { current: number };
  private readonly work: () => Promise<unknown>;

  /** `begun`: when such work was last begun, as `performance.now()`. */
  constructor(begun: { current: number }, work: () => Promise<unknown>) {
    this.begun = begun;
    this.work = work;
  }

  ask(): void {
    this.isDue = true;
    if (!this.isBusy) void this.run();
  }

  end(): void {
    this.isWanted = false;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.isDue && this.isWanted) {
      await this.pause();
      this.isDue = false;
      this.begun.current = performance.now();
      await this.work();
    }
    this.isBusy = false;
  }

  private pause(): Promise<void> {
    const ms = Math.max(0, this.begun.current + PAUSE - performance.now());
    return new Promise((resolve) => {
      this.timer = setTimeout(resolve, ms);
    });
  }
}
