import { setMaxListeners } from "node:events";
import type { AgentEvent } from "@mariozechner/pi-agent-core";
import type { AssistantMessage as PiAssistant } from "@mariozechner/pi-ai";
import type { EventId } from "@scorel/kernel";
import type { ToolCallBlock } from "@scorel/messages/contract";
import { breath } from "../breath.ts";
import { redaction } from "../environment.ts";
import type { Redaction } from "../messages/redaction.ts";
import type { UnreadableArguments } from "../reply/flaws.ts";
import type { Turn } from "../turn/turn.ts";
import { Call } from "./call.ts";
import { CallReply } from "./call-reply.ts";

interface Proposed {
  kept: boolean;
  exactly?: EventId | undefined;
  left?: ReadonlySet<string>;
}

/** The tool calls of the current reply, in its order. Calls that do not conflict run at the same time; see plugin `tools`. */
export class Calls {
  private readonly turn: Turn;
  private readonly redaction: Redaction;
  private readonly byId = new Map<string, Call>();
  /** Parse errors of the next reply's arguments, by call id. */
  private unreadable = new Map<string, UnreadableArguments>();

  constructor(turn: Turn) {
    this.turn = turn;
    this.redaction = redaction(turn.env.ctx);
    // Every concurrent call may add listeners, so Node's leak warning would be false.
    setMaxListeners(0, turn.signal);
  }

  /**
   * Records, before the reply ends, that a call's arguments could not be parsed. The call is then refused, so that the model can write
   * them again.
   */
  refuse(id: string, flaw: UnreadableArguments): void {
    this.unreadable.set(id, flaw);
  }

  /**
   * Replaces the calls by those of a reply that has ended. `kept`: whether the reply is in the log. `exactly`: the reply's event, if the log
   * has the calls exactly as they are here. `left`: the ids of the calls to run; default: all.
   */
  propose(message: PiAssistant, { kept, exactly, left }: Proposed): void {
    const all = message.content.filter((block) => block.type === "toolCall");
    const calls = left ? all.filter(({ id }) => left.has(id)) : all;
    const { env } = this.turn;
    const limit = env.ctx.config.callsPerReply;
    const isExact = exactly !== undefined && this.unreadable.size === 0;
    const reply = new CallReply(message, all, {
      kept,
      place: isExact ? { reply: exactly } : undefined,
      limit,
      redaction: this.redaction,
      unreadable: this.unreadable,
    });
    this.unreadable = new Map();
    this.byId.clear();
    for (const call of calls) this.byId.set(call.id, new Call(this.turn, reply, call));
    if (kept && calls.length > 0) env.ctx.find("tools")?.beginBatch(calls as unknown as ToolCallBlock[]);
  }

  of(id: string): Call {
    return this.byId.get(id) as Call;
  }

  /** Handles the library's events about calls. */
  hear(event: AgentEvent): Promise<void> | void {
    if (event.type === "tool_execution_start") {
      this.of(event.toolCallId).begin();
      return breath();
    }
    if (event.type === "tool_execution_update") return this.of(event.toolCallId).update(event.partialResult);
    if (event.type === "tool_execution_end") return this.of(event.toolCallId).settle(event.result, event.isError);
  }

  /** Ids of the results that are in the log, in the order of the calls. */
  resultIds(): EventId[] {
    return [...this.byId.values()].filter(({ stored }) => stored).map(({ eventId }) => eventId);
  }
}
