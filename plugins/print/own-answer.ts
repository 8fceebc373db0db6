import type { TurnOutcome } from "@scorel/agent/contract";
import type { Delivered } from "@scorel/host/contract";

interface MessageEvent {
  type: string;
  clientId: string;
  message?: { role?: unknown; content?: unknown; stopReason?: unknown };
}

/**
 * The answer to the own prompt among the events of a session. Messages of others that waited are answered in the same turn, whose outcome
 * has the text of the last reply. What somebody says in between, while tools run, is a part of the work on the prompt.
 */
export class OwnAnswer {
  private text: string | undefined;
  private hasBegun = false;
  /** The last reply has asked for no tool, so that nothing more was to come. */
  private isComplete = false;
  /** A message of somebody else came after it. */
  private isOver = false;

  hear({ event }: Delivered, isMine: (clientId: string) => boolean): void {
    const { type, clientId, message } = event as unknown as MessageEvent;
    if (type !== "message" || !message) return;
    if (message.role === "user") this.asked(isMine(clientId));
    else if (message.role === "assistant" && this.hasBegun && !this.isOver) {
      this.text = textOf(message.content);
      this.isComplete = message.stopReason !== "toolUse";
    }
  }

  /** The outcome of the turn, with the own answer if others were answered after it. */
  in(outcome: TurnOutcome): TurnOutcome {
    return this.isOver && this.text !== undefined ? { ...outcome, text: this.text } : outcome;
  }

  private asked(isMine: boolean): void {
    if (!isMine) this.isOver ||= this.hasBegun && this.isComplete;
    else {
      this.hasBegun = true;
      this.isComplete = false;
      this.isOver = false;
      this.text = undefined;
    }
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" && typeof part.text === "string" ? part.text : "")).join("");
}
