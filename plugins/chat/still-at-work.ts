import type {} from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
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
