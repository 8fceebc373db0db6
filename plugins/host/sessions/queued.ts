import { codeOf } from "@scorel/kernel";
import { typedContent } from "@scorel/kit/session/typed";
import type { Operations } from "../contract.ts";
import type { OpenSession } from "./open-session.ts";

/** Returns the queued messages in the form that clients receive. */
export function queueOf({ kernel }: Pick<OpenSession, "kernel">): Operations["get_queue"]["result"] {
  const { session } = kernel;
  try {
    const items = session.projection("queue");
    return {
      seq: session.projection("queueSeq"),
      items: items.map(({ id, mode, message, clientId }) => ({
        id,
        mode,
        content: typedContent(message.content),
        clientId,
        ...(message.meta?.messageId !== undefined && { messageId: message.meta.messageId }),
      })),
    };
  } catch (thrown) {
    // No plugin that keeps a queue is loaded.
    if (codeOf(thrown) === "PROJECTION_UNKNOWN") return { seq: 0, items: [] };
    throw thrown;
  }
}
