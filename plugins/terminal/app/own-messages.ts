import type { TurnOutcome } from "@scorel/agent/contract";
import { inSendingOrder, takeBackQueued } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { joined } from "../input/line-mode.ts";
import { illustrated } from "../input/picture-marks.ts";
import type { Submission } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { Listener } from "./listener.ts";

/** A message with its attachments. */
export type Outgoing = Pick<Submission, "text"> & Partial<Pick<Submission, "attachments">>;

interface OwnMessagesParts {
  client: Client;
  words: Words;
  listener: Pick<Listener, "told" | "offered">;
  /** The id of the session that is shown. */
  sessionId(): string | undefined;
}

/** The messages that the user sends here: reports how their turns end, and takes back those that are still queued. */
export class OwnMessages {
  private readonly parts: OwnMessagesParts;
  /** Ids of own messages in the queue. */
  private readonly queued = new Set<string>();

  constructor(parts: OwnMessagesParts) {
    this.parts = parts;
  }

  async send(
    sessionId: string,
    { messageId, ...message }: Outgoing & { messageId: string },
    running: "follow_up" | "steer",
  ): Promise<void> {
    const { contentOf } = await import("../input/content.ts");
    const { id, status } = await this.parts.client.request("send_message", {
      sessionId,
      content: contentOf(message),
      messageId,
      running,
    });
    if (status === "queued") this.queued.add(id);
    this.follow(sessionId, id);
  }

  /**
   * Reports how the turn of a message ends, unless the conversation shows it already. It also shows a turn that has ended together with the
   * process that ran it: the session then continues in another one.
   */
  follow(sessionId: string, id: string): void {
    const { listener } = this.parts;
    this.outcome(sessionId, id).catch((thrown) => {
      if (codeOf(thrown) !== "LINK_ENDED") listener.told(messageOf(thrown), "error");
    });
  }

  /** Takes own messages out of the queue and offers their text and pictures, in the shown order, to the field. Returns false if there were none. */
  async takeBack(sessionId: string): Promise<boolean> {
    const { client, listener } = this.parts;
    if (this.queued.size === 0) return false;
    const items = await takeBackQueued(client, sessionId, ({ id }) => this.queued.has(id));
    for (const { id } of items) this.queued.delete(id);
    if (items.length === 0) return false;
    listener.offered(joined(inSendingOrder(items).map(illustrated)));
    return true;
  }

  private async outcome(sessionId: string, id: string): Promise<void> {
    const outcome = await this.parts.client.request("wait_turn", { sessionId, id });
    this.queued.delete(id);
    if (sessionId === this.parts.sessionId()) this.tellEnd(outcome);
  }

  private tellEnd({ reason, stopReason, text, error }: TurnOutcome): void {
    const { listener, words } = this.parts;
    if (error) return;
    if (stopReason === "length") listener.told(words.cutAnswer, "warning");
    else if (reason === "completed" && text.trim() === "") listener.told(words.emptyAnswer, "info");
  }
}
