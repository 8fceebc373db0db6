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
  const readAt = useRef(Number.NEGATIVE_INFINITY);
  const current = useRef(read);
  current.current = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was added to the session may have changed what is read.
  useEffect(() => {
    let isWanted = true;
    const begin = () => {
      readAt.current = performance.now();
      current.current().then(
        (value) => isWanted && setFound({ key, value }),
        (error) => isWanted && setFound((before) => ({ ...(before.key === key && before), key, error })),
      );
    };
    const timer = setTimeout(begin, Math.max(0, readAt.current + PAUSE - performance.now()));
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, last, connection]);
  return found.key === key ? found : {};
}
