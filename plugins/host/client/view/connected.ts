import type { Client } from "../../contract.ts";
import type { SessionView } from "./follow.ts";

/** Milliseconds that a leaving client waits for a host in another process. The host finishes the work even without the client. */
const LEAVING_MS = 2_000;

/** Whether the host of a session can be reached now. */
export function isConnected({ status }: SessionView): boolean {
  return status.connection !== "reconnecting" && status.connection !== "closed";
}

/**
 * Runs the last request of a leaving client and resolves with its result. Resolves with undefined if the connection to the host is or gets
 * lost, or if a host in another process does not answer within LEAVING_MS. Without a connection, `work` is not called.
 */
export async function whileConnected<T>(
  client: Pick<Client, "state">,
  view: SessionView,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (!isConnected(view)) return undefined;
  let stopListening = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = new Promise<undefined>((resolve) => {
    stopListening = view.subscribe(() => !isConnected(view) && resolve(undefined));
    // No time limit for a host in this process, because the process must not end before the host has finished.
    if (client.state !== undefined) timer = setTimeout(() => resolve(undefined), LEAVING_MS);
  });
  const done = work();
  // Prevents an unhandled rejection if it fails after this function has resolved.
  done.catch(() => {});
  try {
    return await Promise.race([done, lost]);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
