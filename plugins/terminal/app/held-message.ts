import { inSendingOrder } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import type { Attachment, Submission } from "../parts.ts";
import type { Conversation } from "./conversation.ts";
import type { Outgoing } from "./own-messages.ts";
import type { ShownSession } from "./shown-session.ts";
import { textIn, wholeText } from "./strip.ts";

type Session = Pick<ShownSession, "view">;
type Sender = Pick<Conversation, "changeQueue" | "send">;

/** A queued message that is edited while a turn runs. It is taken out of the queue meanwhile, so that its old text is not sent. */
export class HeldMessage {
  readonly item: QueuedMessage;
  /** Its place in the order in which messages are sent. */
  readonly place: number;
  private readonly conversation: Sender;
  /** Resolves with true if it was still in the queue and has been taken out. */
  readonly isTaken: Promise<boolean>;
  /** The message before it was edited. */
  private readonly old: Outgoing & { attachments: readonly Attachment[] };

  constructor(item: QueuedMessage, session: Session, conversation: Sender) {
    this.item = item;
    this.conversation = conversation;
    this.place = inSendingOrder(session.view?.queue ?? []).findIndex(({ id }) => id === item.id);
    this.old = { text: textIn(item), attachments: picturesIn(item) };
    this.isTaken = conversation.changeQueue((items) =>
      items.some(({ id }) => id === item.id) ? items.filter(({ id }) => id !== item.id) : undefined,
    );
  }

  /** Puts it back into the queue, with new content if `entered` is given. Returns false if it was delivered before it was taken out. */
  async putBack(entered?: Pick<Submission, "text" | "attachments">): Promise<boolean> {
    if (!(await this.isTaken)) return false;
    const { conversation, item, old } = this;
    const { text, attachments } = entered ?? old;
    await conversation.send({ text, attachments }, item.mode);
    await conversation.changeQueue((items, queue) => this.moved(items, queue, text));
    return true;
  }

  /** The queue with its last message, which is the one just put back, moved to its old place. */
  private moved(items: { id: string }[], queue: readonly QueuedMessage[], text: string): { id: string }[] | undefined {
    const last = queue.at(-1);
    if (!last || !wholeText(last).startsWith(text)) return undefined;
    const order = inSendingOrder(queue).flatMap(({ id }) => items.filter((each) => each.id === id && id !== last.id));
    order.splice(this.place, 0, { id: last.id });
    return order;
  }
}

function picturesIn({ content }: QueuedMessage): Attachment[] {
  const blocks = typeof content === "string" ? [] : content;
  return blocks.flatMap((block) =>
    block.type === "image" ? [{ mark: "", image: Buffer.from(block.data, "base64") }] : [],
  );
}
