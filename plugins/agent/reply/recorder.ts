import type { AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";
import { type EventId, newId } from "@scorel/kernel";
import type { AssistantMessage, ToolCallBlock, ToolResultMessage } from "@scorel/messages/contract";
import type { ToolOutput } from "@scorel/tools/contract";
import { argumentChange } from "../calls/argument-change.ts";
import { resultContent } from "../calls/result.ts";
import { redaction, tools } from "../environment.ts";
import type { Redaction } from "../messages/redaction.ts";
import type { Turn } from "../turn/turn.ts";
import { Reply } from "./reply.ts";

type Of<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

interface RunningCall {
  eventId: EventId;
  startedAt: number;
  toolName: string;
  /** Arguments as the model wrote them. */
  written: unknown;
  /** Validated arguments in JSON form; unset until then. */
  args?: unknown;
  announced: boolean;
}

/** Turns pi-agent-core's events into ours: deltas at once, replies and results into the log as each ends. */
export class Recorder {
  private readonly turn: Turn;
  private readonly redaction: Redaction;
  private readonly running = new Map<string, RunningCall>();
  private started: readonly AgentMessage[];
  private reply: Reply | undefined;
  private last: { message: AssistantMessage; kept: boolean; id: EventId } | undefined;
  /** Results of this round that are in the log, by call id. */
  private readonly results = new Map<string, EventId>();
  private roundOpen = false;

  constructor(turn: Turn, started: readonly AgentMessage[]) {
    this.turn = turn;
    this.started = started;
    this.redaction = redaction(turn.env.ctx);
  }

  /**
   * Event callback of the library. A failed append fails the turn instead of rejecting here, which would leave tools
   * running.
   */
  readonly hear = (event: AgentEvent): Promise<void> | void => {
    this.turn.env.listeners.publish(event, this.turn.signal);
    switch (event.type) {
      case "message_update":
        return this.reply?.update(event.assistantMessageEvent);
      case "turn_start":
        return this.startRound();
      case "message_start":
        return this.startReply(event);
      case "message_end":
        return this.endReply(event);
      case "tool_execution_start":
        return this.startCall(event);
      case "tool_execution_update":
        return this.updateCall(event);
      case "tool_execution_end":
        return this.endCall(event);
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
    this.results.clear();
    this.session.emit("turn_start", { turnIndex: this.turn.rounds });
    // pi's own agent announces the prompt here; pi-agent-core announces only messages that it is given.
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
    const { message, id } = this.last;
    const resultIds = message.content.flatMap((block) =>
      block.type === "toolCall" ? (this.results.get(block.id as string) ?? []) : [],
    );
    return { messageId: id, ...(resultIds.length > 0 && { resultIds }) };
  }

  /** Starts a reply. One that was aborted before it began is not announced. */
  private startReply({ message }: Of<"message_start">): void {
    if (message.role !== "assistant" || message.stopReason === "aborted") return;
    this.reply = new Reply(this.turn, this.redaction, message.model);
  }

  private async endReply({ message }: Of<"message_end">): Promise<void> {
    if (message.role !== "assistant" || !this.reply) return;
    this.last = { ...(await this.reply.end(message)), id: this.reply.id };
    this.reply = undefined;
    const calls = message.content.filter((block) => block.type === "toolCall");
    if (this.last.kept && calls.length > 0 && !this.last.message.partial)
      this.turn.env.ctx.find("tools")?.beginBatch(calls as ToolCallBlock[]);
  }

  /** Notes the call. It is announced later, when its validated arguments are known. */
  private startCall({ toolCallId, toolName, args }: Of<"tool_execution_start">): void {
    const startedAt = performance.now();
    this.running.set(toolCallId, { eventId: newId(), startedAt, toolName, written: args, announced: false });
  }

  /** Announces that a tool starts, with its validated arguments. */
  validated(toolCallId: string, args: unknown): void {
    const call = this.running.get(toolCallId);
    if (!call) return;
    call.args = jsonForm(args);
    this.announce(toolCallId, call);
  }

  /** Announces the call once, with validated arguments, or with the model's when it ended before validation. */
  private announce(toolCallId: string, call: RunningCall): void {
    if (call.announced) return;
    call.announced = true;
    this.session.emit("tool_execution_start", {
      eventId: call.eventId,
      parentId: this.session.activeLeaf as EventId,
      toolCallId,
      toolName: call.toolName,
      args: this.redaction.value(call.args ?? call.written),
    });
  }

  private updateCall({ toolCallId, partialResult }: Of<"tool_execution_update">): void {
    const call = this.running.get(toolCallId);
    if (!call) return;
    const partial = this.redaction.value(partialResult);
    this.session.emit("tool_execution_update", { eventId: call.eventId, toolCallId, partial });
  }

  /** Stores the result, then announces that the tool has ended and lets later calls proceed. */
  private async endCall(event: Of<"tool_execution_end">): Promise<void> {
    const { toolCallId, toolName, isError } = event;
    const call = this.running.get(toolCallId) as RunningCall;
    const { eventId, startedAt } = call;
    const durationMs = Math.round(performance.now() - startedAt);
    this.announce(toolCallId, call);
    this.running.delete(toolCallId);
    const kept = this.last?.kept && (await this.turn.keep(this.resultMessage(event, call), eventId));
    if (kept) this.results.set(toolCallId, eventId);
    else this.session.emit("message_cancelled", { eventId, reason: this.turn.cancelReason });
    this.session.emit("tool_execution_end", { eventId, toolCallId, toolName, durationMs, isError });
    if (this.last?.kept) this.turn.env.ctx.find("tools")?.settle(toolCallId);
  }

  private resultMessage(
    { toolCallId, toolName, result, isError }: Of<"tool_execution_end">,
    { written, args }: RunningCall,
  ): ToolResultMessage {
    const { content, details } = result as ToolOutput;
    const change = args === undefined ? undefined : argumentChange(written, args);
    const known = tools(this.turn.env.ctx).map(({ name }) => name);
    return {
      role: "tool_result",
      toolCallId,
      toolName,
      content: resultContent(toolName, content, known, this.redaction),
      ...(details !== undefined && { details: this.redaction.value(details) }),
      isError,
      timestamp: Date.now(),
      ...(change && { meta: { arguments: this.redaction.value(change) } }),
    };
  }

  private get session() {
    return this.turn.env.ctx.session;
  }
}

/** Returns the JSON form of validated arguments; undefined when the schema made values that JSON cannot hold. */
function jsonForm(args: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(args)) as unknown;
  } catch {
    return undefined;
  }
}
