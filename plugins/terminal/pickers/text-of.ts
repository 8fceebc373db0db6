import type { TreeRow } from "@scorel/history/contract";
import type { Client } from "@scorel/host/contract";
import { typedContent } from "@scorel/kit/session/typed";
import type { UserMessage } from "@scorel/messages/contract";
import { type Illustrated, illustrated } from "../input/picture-marks.ts";

const PAGE = 500;

/** The whole text of a message, with its pictures: the rows of the tree contain only the beginning of the text. */
export async function wholeOf(
  client: Client,
  sessionId: string,
  { id, parentId, text }: TreeRow,
): Promise<Illustrated> {
  let after = parentId ?? undefined;
  for (;;) {
    const { events, more } = await client.request("get_events", { sessionId, limit: PAGE, ...(after && { after }) });
    const found = events.find(({ event }) => (event as { id?: string }).id === id);
    if (found) {
      const { message } = found.event as { message?: Partial<UserMessage> };
      return illustrated({ content: typedContent(message?.content ?? text) });
    }
    const last = (events.at(-1)?.event as { id?: string } | undefined)?.id;
    if (!more || last === undefined) return { text, attachments: [] };
    after = last;
  }
}
