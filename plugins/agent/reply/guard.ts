import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Model,
  ToolCall,
} from "@mariozechner/pi-ai";
import { type Awaitable, codeOf } from "@scorel/kernel";
import { noUsage, soundUsage } from "@scorel/kit/session/usage";
import { breath } from "../breath.ts";
import { CallIds } from "../calls/call-ids.ts";
import { errors } from "../errors.ts";
import type { Failure } from "../turn/failure.ts";
import {
  cutFailure,
  flawOfArguments,
  flawOfReply,
  longFailure,
  providerFailure,
  silentFailure,
  thrownFailure,
  type UnreadableArguments,
} from "./flaws.ts";
import { type Ending, type GuardedEvent, Outlet } from "./outlet.ts";

/**
 * Maximum characters of text, thinking and arguments in a reply: far more than any model writes, and still fits in
 * memory.
 */
const longestReply = 16_000_000;
/** A timer with a longer delay would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Options of `guardStream`. */
export interface GuardOptions {
  signal: AbortSignal;
  /** Milliseconds without any event after which the stream fails. */
  idleMs: number;
  model: Model<Api>;
  /** Returns the ids of all calls in the context. Read at the first call; a call that repeats one gets a new id. */
  takenIds(): ReadonlySet<string>;
  /** Called before the stream ends with an `error` event; not called for an abort. */
  onFailure(failure: Failure): void;
  onSuccess?(): void;
  /** Called for each call of a complete reply whose arguments are not a JSON object, before the reply ends. */
  onUnreadable?(callId: string, flaw: UnreadableArguments): void;
}

/**
 * Wraps a model's stream so that it always ends: at once on abort, after `idleMs` of silence, and with an error for a
 * cut stream or a reply at the output limit, which pi-ai would report as success. Calls with unparsable arguments are
 * passed to `onUnreadable`. Together this ensures that no call runs with arguments that the model did not finish.
 */
export function guardStream(
  source: () => Awaitable<AsyncIterable<AssistantMessageEvent>>,
  options: GuardOptions,
): AssistantMessageEventStream {
  const guard = new Guard(options);
  void guard.run(source);
  // AssistantMessageEventStream has private fields; Outlet implements the members that the loop reads.
  return guard.out as unknown as AssistantMessageEventStream;
}

class Guard {
  readonly out = new Outlet(() => this.options.signal.removeEventListener("abort", this.onAbort));
  private readonly options: GuardOptions;
  private readonly ids: CallIds;
  private readonly rawArguments = new Map<number, string>();
  private readonly onAbort = () => this.abort();
  private watchdog: NodeJS.Timeout | undefined;
  private last: AssistantMessage | undefined;
  private size = 0;
  private closed = false;

  constructor(options: GuardOptions) {
    this.options = options;
    this.ids = new CallIds(() => options.takenIds());
  }

  async run(source: () => Awaitable<AsyncIterable<AssistantMessageEvent>>): Promise<void> {
    const { signal, idleMs } = this.options;
    if (signal.aborted) return this.abort();
    signal.addEventListener("abort", this.onAbort, { once: true });
    const limit = Math.min(idleMs, longestTimerMs);
    this.watchdog = setTimeout(() => this.fail(silentFailure(this.options.model, idleMs)), limit);
    try {
      for await (const event of await source()) {
        if (this.closed) return;
        this.take(event);
        const pause = breath();
        if (pause) await pause;
      }
      this.fail(cutFailure(this.options.model));
    } catch (thrown) {
      this.fail(thrownFailure(thrown));
    }
  }

  private take(event: AssistantMessageEvent): void {
    this.watchdog?.refresh();
    if (event.type === "done") this.finish(event.message);
    else if (event.type !== "error") this.pass(event);
    else if (this.options.signal.aborted) this.abort();
    else this.fail(...providerFailure(this.options.model, event.error));
  }

  private pass(event: Exclude<AssistantMessageEvent, { type: "done" | "error" }>): void {
    this.last = event.partial;
    if ("delta" in event) this.size += event.delta.length;
    if (this.size > longestReply)
      this.fail(
        longFailure(this.options.model, longestReply),
        this.upToLimit(event.partial ?? emptyReply(this.options.model)),
      );
    else this.out.push(isCallEvent(event) ? this.callEvent(event) : event);
  }

  private callEvent(event: Extract<AssistantMessageEvent, { contentIndex: number }>): GuardedEvent {
    const { contentIndex, partial } = event;
    if (event.type === "toolcall_delta")
      this.rawArguments.set(contentIndex, (this.rawArguments.get(contentIndex) ?? "") + event.delta);
    const block = partial.content[contentIndex];
    return { ...event, callId: this.ids.of(contentIndex, block?.type === "toolCall" ? block.id : "") };
  }

  private finish(given: AssistantMessage): void {
    const message = { ...given, usage: soundUsage(given.usage) };
    const problem = flawOfReply(this.options.model, message);
    this.last = message;
    if (problem) this.fail(problem, message);
    else this.succeed(message);
  }

  /** Keeps only the message's text, up to the limit. */
  private upToLimit(message: AssistantMessage): AssistantMessage {
    let room = longestReply;
    const content = message.content.flatMap((block) => {
      if (block.type !== "text") return [];
      const text = block.text.slice(0, room);
      room -= text.length;
      return [{ ...block, text }];
    });
    return { ...message, content };
  }

  private succeed(message: AssistantMessage): void {
    const content = message.content.map((block, index) =>
      block.type === "toolCall" ? this.call(block, index) : block,
    );
    const reason = message.stopReason === "length" || message.stopReason === "toolUse" ? message.stopReason : "stop";
    this.close();
    this.options.onSuccess?.();
    this.out.push({ type: "done", reason, message: { ...message, content } });
  }

  /**
   * Returns the call with a unique id. pi-ai repairs broken JSON, so a call with unparsable arguments is reported and
   * must not run.
   */
  private call(block: ToolCall, index: number): ToolCall {
    const id = this.ids.of(index, block.id);
    const flaw = flawOfArguments(this.rawArguments.get(index), block.arguments);
    if (flaw === undefined) return { ...block, id };
    this.options.onUnreadable?.(id, flaw);
    return { ...block, id, arguments: {} };
  }

  /** Ends the stream as aborted, even if the whole reply has arrived, as long as its end was not read. */
  private abort(): void {
    this.close();
    this.out.overtake(this.ending("aborted", cancellation(this.options.signal.reason).message, this.last));
  }

  private fail(failure: Failure, message = this.last): void {
    if (this.closed) return;
    this.close();
    this.options.onFailure(failure);
    this.out.push(this.ending("error", failure.error.message, message));
  }

  /** Creates the ending event. Copies the content, because the adapter keeps modifying its own message. */
  private ending(reason: "error" | "aborted", errorMessage: string, from = emptyReply(this.options.model)): Ending {
    const content = structuredClone(from.content);
    const usage = soundUsage(from.usage);
    return { type: "error", reason, error: { ...from, content, usage, stopReason: reason, errorMessage } };
  }

  private close(): void {
    this.closed = true;
    clearTimeout(this.watchdog);
  }
}

/** The error to show for a cancelled reply. Other errors that end a turn are shown separately. */
function cancellation(reason: unknown): Error {
  const code = codeOf(reason);
  if (code === "AGENT_HOST_STOPPED") return errors.AGENT_HOST_STOPPED();
  return code === "AGENT_SESSION_CLOSED" || code === "KERNEL_STOPPING"
    ? errors.AGENT_SESSION_CLOSED()
    : errors.AGENT_CANCELLED();
}

function isCallEvent(
  event: AssistantMessageEvent,
): event is Extract<AssistantMessageEvent, { type: `toolcall_${string}` }> {
  return event.type.startsWith("toolcall_");
}

function emptyReply(model: Model<Api>): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: noUsage(),
    stopReason: "error",
    timestamp: Date.now(),
  };
}
