import type { AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessage as PiAssistant } from "@mariozechner/pi-ai";
import type { EventId } from "@scorel/kernel";
import type { AssistantMessage } from "@scorel/messages/contract";
import { breath } from "../breath.ts";
import type { Calls } from "../calls/calls.ts";
import { redaction } from "../environment.ts";
import { toAgentMessages } from "../messages/convert.ts";
import type { Redaction } from "../messages/redaction.ts";
import type { SuspendedTurn } from "../turn/suspended.ts";
import type { Turn } from "../turn/turn.ts";
import { Reply } from "./reply.ts";

type Of<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** The messages and the stored reply that the loop begins with. */
interface Beginning {
  /** The messages that the turn answers, if they were not announced yet. */
  started: readonly AgentMessage[];
  /** The suspended turn whose reply the library receives from the log, as its first one. */
  stored: SuspendedTurn | undefined;
}

/** Converts pi-agent-core's events to Scorel's: deltas are announced at once, replies and results stored when they end. */
export class Recorder {
  private readonly turn: Turn;
  private readonly redaction: Redaction;
  private readonly calls: Calls;
  private started: readonly AgentMessage[];
  private reply: Reply | undefined;
  private last: { message: AssistantMessage; kept: boolean; id: EventId } | undefined;
  /** The suspended turn, until the library has received its reply from the log. */
  private stored: SuspendedTurn | undefined;
  private roundOpen = false;

  constructor(turn: Turn, calls: Calls, { started, stored }: Beginning) {
    this.turn = turn;
    this.calls = calls;
    this.started = started;
    this.redaction = redaction(turn.env.ctx);
    this.stored = stored;
  }

  /**
   * Event callback of the library. A failed append fails the turn instead of rejecting here, which would leave tools
   * running.
   */
  readonly hear = (event: AgentEvent): Promise<void> | void => {
    if (this.stored && (event.type === "message_start" || event.type === "message_end"))
      return this.takeStored(event, this.stored);
    this.turn.env.listeners.publish(event, this.turn.signal);
    switch (event.type) {
      case "message_update":
        this.reply?.update(event.assistantMessageEvent);
        return breath();
      case "turn_start":
        return this.startRound();
      case "message_start":
        return this.startReply(event);
      case "message_end":
        return this.endReply(event);
      case "tool_execution_start":
      case "tool_execution_update":
      case "tool_execution_end":
        return this.calls.hear(event);
      case "turn_end":
        return this.endRound();
    }
  };

  /** Closes the round that the library left open when it failed. */
  close(): void {
    if (!this.roundOpen) return;
    this.endRound();
    this.turn.env.listeners.publish({ type: "agent_end", messages: [] }, this.turn.signal);
  }

  private startRound(): void {
    this.roundOpen = true;
    this.last = undefined;
    this.session.emit("turn_start", { turnIndex: this.turn.rounds });
    // pi's own agent announces the prompt here; pi-agent-core announces only messages that are passed to it.
    for (const message of this.started)
      for (const type of ["message_start", "message_end"] as const)
        this.turn.env.listeners.publish({ type, message }, this.turn.signal);
    this.started = [];
  }

  private endRound(): void {
    this.roundOpen = false;
    const { usage, stopReason } = this.last?.message ?? { stopReason: this.turn.signal.aborted ? "aborted" : "error" };
    const ids = this.writtenIds();
    this.session.emit("turn_end", { turnIndex: this.turn.rounds++, stopReason, ...(usage && { usage }), ...ids });
  }

  /** Event ids of this round's reply and results, in the order of the calls. */
  private writtenIds(): { messageId?: EventId; resultIds?: EventId[] } {
    if (!this.last?.kept) return {};
    const resultIds = this.calls.resultIds();
    return { messageId: this.last.id, ...(resultIds.length > 0 && { resultIds }) };
  }

  /** Starts a reply. A reply that was aborted before it began is not announced. */
  private startReply({ message }: Of<"message_start">): void {
    if (message.role !== "assistant" || message.stopReason === "aborted") return;
    this.reply = new Reply(this.turn, this.redaction, message.model);
  }

  private async endReply({ message }: Of<"message_end">): Promise<void> {
    if (message.role !== "assistant" || !this.reply) return;
    const ended = { ...(await this.reply.end(message)), id: this.reply.id };
    this.last = ended;
    this.reply = undefined;
    const { kept, message: stored, exact, id } = ended;
    this.calls.propose(message, { kept: kept && !stored.partial, exactly: exact ? id : undefined });
  }

  /** Takes over a reply from the log, which was already announced and stored when it was received. */
  private takeStored({ type }: AgentEvent, { reply, calls }: SuspendedTurn): void {
    if (type !== "message_end") return;
    this.stored = undefined;
    const message = reply.message as AssistantMessage;
    this.last = { message, kept: true, id: reply.id };
    const [whole] = toAgentMessages([message]) as [PiAssistant];
    this.calls.propose(whole, { kept: true, exactly: reply.id, left: new Set(calls.map(({ id }) => id)) });
  }

  private get session() {
    return this.turn.env.ctx.session;
  }
}
