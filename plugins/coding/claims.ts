import type { EventOf, Session } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";

/**
 * Tokens that calls of one reply have taken while their results are not stored, so that nothing else counts them:
 * calls that run side by side share what is free instead of each taking it.
 */
export class Claims {
  private readonly session: Session;
  private readonly claimed = new Map<string, number>();
  private reply: string | undefined;
  /** The leaf when the log was last looked at: what lies before it is known. */
  private looked: string | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  /** What a call's result will take; a later claim of the same call replaces the first. */
  claim(toolCallId: string, tokens: number): void {
    this.forgetStored();
    this.claimed.set(toolCallId, tokens);
  }

  /** Tokens claimed and not stored. */
  total(): number {
    if (this.claimed.size === 0) return 0;
    this.forgetStored();
    return [...this.claimed.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Results count for themselves once they are stored; a call that never stored one ends with its reply. */
  private forgetStored(): void {
    const { tree, activeLeaf } = this.session;
    let event = activeLeaf === null ? undefined : tree.get(activeLeaf);
    for (; event && event.id !== this.looked; event = tree.parent(event.id)) {
      if (event.type !== "message") continue;
      const { message } = event as EventOf<"message">;
      if (message.role === "tool_result") this.claimed.delete(message.toolCallId);
      if (message.role === "assistant") break;
    }
    // Up to the leaf of the last look the reply is still the same.
    if (event?.id !== this.looked && event?.id !== this.reply) this.claimed.clear();
    if (event?.id !== this.looked) this.reply = event?.id;
    this.looked = activeLeaf ?? undefined;
  }
}
