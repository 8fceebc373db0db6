import type { TurnOutcome } from "@scorel/agent/contract";
import type { Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";

/**
 * Finds the answer to this command's prompt. Queued messages of others are answered in the same turn, so the text of its outcome, which is
 * that of the last reply, may be an answer to them. Messages of others while tools run count as part of the work on the prompt.
 */
export class OwnAnswer {
  private text: string | undefined;
  private hasBegun = false;
  /** Whether the last reply called no tool, so that it is the whole answer. */
  private isComplete = false;
  /** Whether a message of another client came after the complete answer. */
  private isOver = false;

  hear({ event }: Delivered, isMine: (clientId: string) => boolean): void {
    if (!isEvent(event, "message")) return;
    const { clientId, message } = event;
    if (message.role === "user") this.asked(isMine(clientId));
    else if (message.role === "assistant" && this.hasBegun && !this.isOver) {
      this.text = textOf(message.content);
      this.isComplete = message.stopReason !== "toolUse";
    }
  }

  /** The outcome of the turn, with the answer to this command's prompt as its text if others were answered after it. */
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
