import type {} from "@scorel/commands/contract";
import type { Client, SessionLogs } from "@scorel/host/contract";
import { holderOf } from "@scorel/kit/files/lock";
import { ownIdentity } from "@scorel/kit/process/identity";
import { lineOf } from "@scorel/kit/text/one-line";

/** The work that still runs in the background of a session, as titles separated by commas. */
export async function stillAtWork(client: Client, sessionId: string): Promise<string> {
  try {
    const { items } = await client.request("list_background", { sessionId });
    return items.map(({ title }) => lineOf(title)).join(", ");
  } catch {
    // The host is ending, or is older and has no such operation. The line is left out, and the user can leave.
    return "";
  }
}

/** Says how much work ends when a session's process ends, such as "2 tasks in the background are running and end"; "" for none. */
export async function endingWith(client: Client, sessionId: string): Promise<string> {
  const { length } = await client.request("list_background", { sessionId }).then(
    ({ items }) => items,
    () => [],
  );
  if (length === 0) return "";
  return length === 1
    ? "1 task in the background is running and ends"
    : `${length} tasks in the background are running and end`;
}

/** Whether this process has a session open: what runs in it then ends with this process, also if the session continues in another one. */
export function isInThisProcess(sessionId: string, logs: SessionLogs | undefined): boolean {
  return logs !== undefined && holderOf(logs.lockFile(sessionId))?.pid === ownIdentity().pid;
}
