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
    const { reply, stored } = latestReply(this.session);
    if (reply !== this.reply) this.claimed.clear();
    this.reply = reply;
    for (const id of stored) this.claimed.delete(id);
  }
}

/** The reply whose calls run now, and those of its calls whose results are stored. */
function latestReply({ tree, activeLeaf }: Session): { reply: string | undefined; stored: string[] } {
  const stored: string[] = [];
  for (let event = activeLeaf === null ? undefined : tree.get(activeLeaf); event; event = tree.parent(event.id)) {
    if (event.type !== "message") continue;
    const { message } = event as EventOf<"message">;
    if (message.role === "assistant") return { reply: event.id, stored };
    if (message.role === "tool_result") stored.push(message.toolCallId);
  }
  return { reply: undefined, stored };
}
