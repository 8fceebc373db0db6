import { isDeepStrictEqual } from "node:util";
import type { Session } from "@scorel/kernel";
import { assertSameRequest } from "@scorel/kit/session/message-id";
import type { UserMessage } from "@scorel/messages/contract";
import type { SendOptions } from "../contract.ts";
import { keepLatest } from "./keep-latest.ts";

/** The options of a send; `hash` identifies its content as the client sent it. */
export type Sending = SendOptions & { hash?: string };

/** The messages that were sent with a `messageId`, which a client may send again. */
export class SentMessages {
  private readonly session: Session;
  /** Hashes of the contents sent with the latest `messageId`s, also if `beforeStore` has changed what is stored. */
  private readonly hashes = new Map<string, string>();

  constructor(session: Session) {
    this.session = session;
  }

  /**
   * The id of the event or queue item of the message with this `messageId`, if there is one. Throws MESSAGE_ID_REUSED for different
   * content. A message that is not known counts as sent from now on.
   */
  known({ messageId, hash }: Pick<Sending, "messageId" | "hash">): string | undefined {
    if (messageId === undefined) return undefined;
    const known = this.session.projection("sent").find((sent) => sent.messageId === messageId);
    const before = this.hashes.get(messageId) ?? known?.hash ?? hash;
    if (known) assertSameRequest(hash === undefined || hash === before, { operation: "send_message", messageId });
    else if (hash !== undefined) keepLatest(this.hashes, messageId, hash);
    return known?.id;
  }
}

/**
 * A message as it is stored, with its `messageId`. The hash is stored only if the content is stored unchanged, because it could reveal what
 * `beforeStore` has removed.
 */
export function withMessageId(given: UserMessage, stored: UserMessage, { messageId, hash }: Sending): UserMessage {
  if (messageId === undefined) return stored;
  const isWhole = isDeepStrictEqual(given.content, stored.content);
  return { ...stored, meta: { ...stored.meta, messageId, ...(isWhole && hash !== undefined && { sentHash: hash }) } };
}
