import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage as PiAssistant } from "@mariozechner/pi-ai";
import { newId } from "@scorel/kernel";
import type { AssistantMessage } from "@scorel/messages/contract";
import { asStored } from "../messages/before-store.ts";
import { assistantText, toAssistant } from "../messages/convert.ts";
import type { Redaction } from "../messages/redaction.ts";
import type { Turn } from "../turn/turn.ts";
import type { GuardedEvent } from "./outlet.ts";

type BlockEvent = Extract<GuardedEvent, { contentIndex: number }>;

/** A streaming reply of the model, announced with the id that it will have in the log. */
export class Reply {
  readonly id = newId();
  private readonly turn: Turn;
  private readonly redaction: Redaction;
  private readonly streams = new Map<number, ReturnType<Redaction["stream"]>>();
  private readonly named = new Set<number>();

  constructor(turn: Turn, redaction: Redaction, model: string) {
    this.turn = turn;
    this.redaction = redaction;
    const { session } = turn.env.ctx;
    session.emit("message_start", { eventId: this.id, parentId: session.activeLeaf, role: "assistant", model });
  }

  /** Emits only the new part of an event, not the whole message so far. */
  update(event: GuardedEvent): void {
    if (!("contentIndex" in event) || this.turn.signal.aborted) return;
    const stream = this.streamOf(event.contentIndex);
    if ("delta" in event) this.send(event, stream.write(event.delta));
    else if (event.type.endsWith("_end")) this.send(event, stream.end());
  }

  /**
   * Writes the reply to the log. A partial reply is kept with its text but without its calls; without text it is
   * cancelled. Returns the message, whether it is in the log, and whether the log has its calls as the model wrote them.
   */
  async end(ended: PiAssistant): Promise<{ message: AssistantMessage; kept: boolean; exact: boolean }> {
    const whole = this.withoutLostCalls(toAssistant(ended, this.redaction));
    const silent = whole.partial && assistantText(whole.content).trim() === "";
    const stored = silent ? undefined : await this.stored(whole);
    const kept = stored !== undefined && (await this.turn.keep(stored, this.id));
    const message = stored ?? whole;
    // A reply that the disk refuses was paid for, so the outcome has it.
    this.turn.result.count(message, stored !== undefined);
    if (!stored) await this.turn.noteSpent(`${message.provider}/${message.model}`, message.usage);
    if (!kept)
      this.turn.env.ctx.session.emit("message_cancelled", { eventId: this.id, reason: this.turn.result.dropReason });
    return { message, kept, exact: kept && isDeepStrictEqual(callsOf(message), callsOf(ended)) };
  }

  /** Applies `beforeStore` to the reply. If it must not be stored, fails the turn and returns undefined. */
  private async stored(message: AssistantMessage): Promise<AssistantMessage | undefined> {
    try {
      return await asStored(this.turn.env, message);
    } catch (thrown) {
      this.turn.fail(thrown);
      return undefined;
    }
  }

  private withoutLostCalls(message: AssistantMessage): AssistantMessage {
    if (message.stopReason === "stop" || message.stopReason === "toolUse") return message;
    const content = message.content.filter(({ type }) => type !== "toolCall");
    const stopReason = this.turn.result.dropReason === "max_tokens" ? "length" : message.stopReason;
    const errorMessage = message.errorMessage && this.redaction.text(message.errorMessage);
    const retried = this.turn.repeating && { meta: { ...message.meta, retried: true as const } };
    return { ...message, content, stopReason, partial: true, ...(errorMessage && { errorMessage }), ...retried };
  }

  private send(event: BlockEvent, delta: string): void {
    const { session } = this.turn.env.ctx;
    const eventId = this.id;
    if (event.type.startsWith("toolcall_")) this.sendCall(event, delta);
    else if (delta === "") return;
    else if (event.type.startsWith("text_")) session.emit("text_delta", { eventId, delta });
    else session.emit("thinking_delta", { eventId, delta, blockIndex: event.contentIndex });
  }

  /** Emits a piece of a call's arguments. The first piece carries the tool's name, even without arguments. */
  private sendCall(event: BlockEvent, delta: string): void {
    const block = event.partial.content[event.contentIndex];
    const name = block?.type === "toolCall" && !this.named.has(event.contentIndex) ? block.name : "";
    if (name === "" && delta === "") return;
    if (name !== "") this.named.add(event.contentIndex);
    this.turn.env.ctx.session.emit("tool_call_delta", {
      eventId: this.id,
      toolCallId: event.callId ?? "",
      ...(name !== "" && { toolName: name }),
      delta,
    });
  }

  private streamOf(index: number): ReturnType<Redaction["stream"]> {
    let stream = this.streams.get(index);
    if (!stream) {
      stream = this.redaction.stream();
      this.streams.set(index, stream);
    }
    return stream;
  }
}

function callsOf({ content }: Pick<PiAssistant | AssistantMessage, "content">): object[] {
  return content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    const { id, name, arguments: args } = block;
    return [{ id, name, args }];
  });
}
