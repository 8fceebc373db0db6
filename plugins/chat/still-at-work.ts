import type {} from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";

/** What still goes on in the background of a session that somebody leaves, in words, by commas. */
export async function stillAtWork(client: Client, sessionId: string): Promise<string> {
  try {
    const { items } = await client.request("list_background", { sessionId });
    return items.map(({ title }) => lineOf(title)).join(", ");
  } catch {
    // A host that is ending, or an older one. Nobody is kept from leaving for the want of this line.
    return "";
  }
}
