import { useEffect, useRef, useState } from "react";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";

/** The least time between two readings, in milliseconds. */
const PAUSE = 1_000;

export interface Reading<T> {
  /** The latest that was read; what was read before stays until then. */
  value?: T;
  error?: (Error & { code?: string }) | undefined;
}

/** Something that the host tells about a session, read again after something was added to the session. `key` says what is read. */
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
