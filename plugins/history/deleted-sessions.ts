import type { Completion } from "@scorel/cli/contract";
import { everyPage } from "@scorel/host/client";
import type { HostService } from "@scorel/host/contract";
import { errors } from "./errors.ts";

/** Returns the sessions in the trash, latest deleted first, as shells offer them. */
export async function deletedSessions(host: HostService | undefined): Promise<Completion[]> {
  if (!host) return [];
  const client = host.connect();
  try {
    const { sessions } = await everyPage((page) => client.request("list_trash", page));
    return sessions.map(({ sessionId, title }) => ({ value: sessionId, description: title }));
  } finally {
    await client.close();
  }
}

/** Returns the id of the session that was deleted last. Throws HISTORY_TRASH_EMPTY. */
export async function latestDeleted(host: HostService | undefined): Promise<string> {
  const [latest] = await deletedSessions(host);
  if (!latest) throw errors.HISTORY_TRASH_EMPTY();
  return latest.value;
}
