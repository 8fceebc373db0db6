import { codeOf, type EventId, messageOf } from "@scorel/kernel";
import { addUsage, noUsage } from "@scorel/kit/session/usage";
import type { AssistantMessage, Usage } from "@scorel/messages/contract";
import type { TurnLimits, TurnOutcome } from "../contract.ts";
import { assistantText } from "../messages/convert.ts";

/** Collects the result of a turn while it runs: the text of the last reply, the usage, and the failure or cancellation. */
export class TurnResult {
  usage: Usage = noUsage();
  /** Why the turn failed. Later failures are its consequences and are not recorded. */
  failure: { code: string; message: string } | undefined;
  /** Set once the turn is cancelled, by a client or by the session (`by` is then undefined). */
  cancelled: { by: string | undefined } | undefined;
  /** The limit that ended the turn. */
  limit: keyof TurnLimits | undefined;
  private text = "";
  private stopReason = "stop";
  private readonly startedAt = performance.now();
  private readonly redact: (text: string) => string;

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  /** Adds a reply's usage, and makes its text that of the turn if the reply `counts`. */
  count(message: AssistantMessage, counts: boolean): void {
    this.charge(message.usage);
    if (!counts || message.meta?.retried) return;
    this.text = assistantText(message.content);
    this.stopReason = message.stopReason;
  }

  /** Adds the usage of a reply, of a tool, or of a model call outside the conversation. */
  charge(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
  }

  fail(thrown: unknown): void {
    this.failure ??= { code: codeOf(thrown, "AGENT_UNEXPECTED"), message: this.redact(messageOf(thrown)) };
  }

  /** The reason given when a reply is dropped. */
  get dropReason(): "user_cancel" | "max_tokens" | "error" {
    if (this.cancelled) return "user_cancel";
    return this.failure?.code === "AGENT_LENGTH" ? "max_tokens" : "error";
  }

  outcome(leafId: EventId | null): TurnOutcome {
    const { failure, cancelled, limit } = this;
    const reason = failure ? "error" : cancelled ? "cancelled" : "completed";
    const stopReason = { error: "error", cancelled: "aborted", completed: this.stopReason }[reason];
    return {
      reason,
      ...(failure && { error: failure }),
      ...(reason === "cancelled" && limit && { limit }),
      text: this.text,
      stopReason,
      usage: this.usage,
      durationMs: Math.round(performance.now() - this.startedAt),
      leafId,
    };
  }
}
