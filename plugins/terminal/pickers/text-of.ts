import type { TreeRow } from "@scorel/history/contract";
import type { Client } from "@scorel/host/contract";
import type { UserMessage } from "@scorel/messages/contract";

const PAGE = 500;

/** The whole text of a message: the rows of the tree contain only its beginning. */
export async function textOf(client: Client, sessionId: string, { id, parentId, text }: TreeRow): Promise<string> {
  let after = parentId ?? undefined;
  for (;;) {
    const { events, more } = await client.request("get_events", { sessionId, limit: PAGE, ...(after && { after }) });
    const found = events.find(({ event }) => (event as { id?: string }).id === id);
    if (found) return contentText((found.event as { message?: Partial<UserMessage> }).message?.content) ?? text;
    const last = (events.at(-1)?.event as { id?: string } | undefined)?.id;
    if (!more || last === undefined) return text;
    after = last;
  }
}

function contentText(content: UserMessage["content"] | undefined): string | undefined {
  if (content === undefined || typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
