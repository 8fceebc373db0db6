import { isEvent, type Session } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";

/**
 * Tokens reserved by calls whose results are not stored yet. Concurrent calls thus share the free context instead of each using
 * all of it.
 */
export class Claims {
  private readonly session: Session;
  private readonly claimed = new Map<string, number>();
  private reply: string | undefined;
  /** The active leaf when the log was last read; the events up to it are already counted. */
  private looked: string | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  /** Reserves context for a call's result, replacing an earlier reservation of the same call. */
  claim(toolCallId: string, tokens: number): void {
    this.forgetStored();
    this.claimed.set(toolCallId, tokens);
  }

  /** The sum of all reservations. */
  total(): number {
    if (this.claimed.size === 0) return 0;
    this.forgetStored();
    return [...this.claimed.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Drops reservations of stored results, and of calls from earlier replies. */
  private forgetStored(): void {
    const { tree, activeLeaf } = this.session;
    let event = activeLeaf === null ? undefined : tree.get(activeLeaf);
    for (; event && event.id !== this.looked; event = tree.parent(event.id)) {
      if (!isEvent(event, "message")) continue;
      const { message } = event;
      if (message.role === "tool_result") this.claimed.delete(message.toolCallId);
      if (message.role === "assistant") break;
    }
    // If the walk ends at the previous leaf or the same reply, the reservations still belong to the current reply.
    if (event?.id !== this.looked && event?.id !== this.reply) this.claimed.clear();
    if (event?.id !== this.looked) this.reply = event?.id;
    this.looked = activeLeaf ?? undefined;
  }
}
