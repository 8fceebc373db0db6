import type { Client, Delivered, SessionStatus } from "@scorel/host/contract";
import type { StoredEvent } from "@scorel/kernel";

/** The messages of a session's active branch, up to the anchor of a status. */
export async function conversationOf(
  client: Client,
  { sessionId, leafId, anchor }: SessionStatus,
): Promise<Delivered[]> {
  const parents = new Map<string, string | null>();
  const messages: Delivered[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await client.request("get_events", { sessionId, ...(after !== undefined && { after }) });
    for (const delivered of page.events) {
      const { id, parentId, seq, type } = delivered.event as StoredEvent;
      // Later events arrive through the subscription, which starts at this anchor.
      if (seq > anchor.persistentSeq) continue;
      parents.set(id, parentId);
      if (type === "message") messages.push(delivered);
    }
    const last = page.events.at(-1)?.event as StoredEvent | undefined;
    if (!page.more || last === undefined || last.seq >= anchor.persistentSeq) break;
    after = last.id;
  }
  const path = new Set<string>();
  for (let at: string | null | undefined = leafId; at != null && !path.has(at); at = parents.get(at)) path.add(at);
  return messages.filter(({ event }) => path.has((event as StoredEvent).id));
}
