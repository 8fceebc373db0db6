import type { Client } from "../../contract.ts";
import type { SessionView } from "./follow.ts";

/** How long whoever leaves waits for a host in another process, which does what is left without them. */
const LEAVING_MS = 2_000;

/** Whether the host of a session can be reached now. */
export function isConnected({ status }: SessionView): boolean {
  return status.connection !== "reconnecting" && status.connection !== "closed";
}

/**
 * Resolves with the result of `work`, the last that is asked of the host. Resolves with undefined as soon as the connection to the host is
 * lost, and when a host in another process does not answer, since nobody knows how long that lasts. Without a connection, `work` is not begun.
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
    // A host in this process has to end its work first.
    if (client.state !== undefined) timer = setTimeout(() => resolve(undefined), LEAVING_MS);
  });
  const done = work();
  // It may fail later, when nobody waits for it any more.
  done.catch(() => {});
  try {
    return await Promise.race([done, lost]);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}
