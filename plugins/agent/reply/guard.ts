import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Model,
  ToolCall,
} from "@mariozechner/pi-ai";
import { type Awaitable, messageOf, type ScorelError } from "@scorel/kernel";
import type { RequestFailure } from "@scorel/model/contract";
import { CallIds } from "../calls/call-ids.ts";
import { errors } from "../errors.ts";
import { assistantText } from "../messages/convert.ts";
import { type Failure, judge, type Verdict } from "../turn/failure.ts";
import { noUsage, soundUsage, tokensOf } from "../turn/usage.ts";
import { type Ending, type GuardedEvent, Outlet } from "./outlet.ts";

/**
 * Maximum characters of text, thinking and arguments in a reply: far more than any model writes, and still fits in
 * memory.
 */
const longestReply = 16_000_000;

/** Share of the context window from which a request counts as cut to fit by the server. */
const fullWindow = 0.99;

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

/** Arguments as the model wrote them, and why they cannot be parsed. */
export interface UnreadableArguments {
  text: string;
  reason: string;
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
    this.watchdog = setTimeout(() => this.idle(), idleMs);
    try {
      for await (const event of await source()) {
        if (this.closed) return;
        this.take(event);
      }
      this.fail(this.cut());
    } catch (thrown) {
      const reason = messageOf(thrown);
      this.fail(final(errors.AGENT_MODEL({ reason }, { cause: thrown }), reason));
    }
  }

  private take(event: AssistantMessageEvent): void {
    this.watchdog?.refresh();
    if (event.type === "done") this.finish(event.message);
    else if (event.type !== "error") this.pass(event);
    else if (this.options.signal.aborted) this.abort();
    else this.refused(event.error);
  }

  private pass(event: Exclude<AssistantMessageEvent, { type: "done" | "error" }>): void {
    this.last = event.partial;
    if ("delta" in event) this.size += event.delta.length;
    if (this.size > longestReply) this.tooLong();
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
    const problem = this.problemOf(message);
    this.last = message;
    if (problem) this.fail(problem, message);
    else this.succeed(message);
  }

  /** Fails the reply as too long and keeps the text up to the limit; `last` may hold more. */
  private tooLong(): void {
    let room = longestReply;
    const content = (this.last?.content ?? []).flatMap((block) => {
      if (block.type !== "text") return [];
      const text = block.text.slice(0, room);
      room -= text.length;
      return [{ ...block, text }];
    });
    const error = errors.AGENT_REPLY_SIZE({ provider: this.options.model.provider, limit: longestReply });
    this.fail(final(error, "the reply is too long"), { ...(this.last ?? emptyReply(this.options.model)), content });
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
    const flaw = flawIn(this.rawArguments.get(index), block.arguments);
    if (flaw === undefined) return { ...block, id };
    this.options.onUnreadable?.(id, flaw);
    return { ...block, id, arguments: {} };
  }

  /** Returns why a reply that claims to be finished is not, or undefined when it is. */
  private problemOf(message: AssistantMessage): Failure | undefined {
    const calls = [...message.content.entries()].filter(([, block]) => block.type === "toolCall");
    const silent = calls.length === 0 && assistantText(message.content).trim() === "";
    if (message.stopReason === "length" && silent && this.isFull(message)) return this.tooFull();
    if (message.stopReason === "length" && (calls.length > 0 || silent))
      return final(errors.AGENT_LENGTH(), "the output limit");
    // Adapters report "stop" when the body just ends; a real end has token counts or some text.
    return silent && tokensOf(message.usage) === 0 ? this.cut() : undefined;
  }

  /** Handles the provider's error event, including "aborted" when our own signal did not abort. */
  private refused(message: AssistantMessage): void {
    const { failure, ...said } = message as AssistantMessage & { failure?: RequestFailure };
    const { kind, retryAfterMs } = judge(said, failure);
    const reason = said.errorMessage ?? "no reason given";
    const error = this.refusal(kind, reason, failure?.advice);
    const retryable = kind === "retryable";
    const overflow = kind === "overflow";
    this.fail({ error, reason, retryable, overflow, ...(retryAfterMs !== undefined && { retryAfterMs }) }, said);
  }

  /** True when the server cut the conversation to fit, which leaves no room for a reply. */
  private isFull({ usage }: AssistantMessage): boolean {
    return tokensOf(usage) >= fullWindow * this.options.model.contextWindow;
  }

  private tooFull(): Failure {
    const reason = "no room is left for a reply";
    return { ...final(this.refusal("overflow", reason), reason), overflow: true };
  }

  private refusal(kind: Verdict["kind"], reason: string, advice?: string): ScorelError {
    const { provider, id } = this.options.model;
    if (kind === "overflow") return errors.AGENT_OVERFLOW({ model: `${provider}/${id}`, reason });
    if (kind === "no_tools") return errors.AGENT_NO_TOOLS({ model: `${provider}/${id}`, reason });
    return errors.AGENT_MODEL({ reason, advice });
  }

  private idle(): void {
    const { idleMs, model } = this.options;
    const seconds = idleMs / 1_000;
    this.fail(passing(errors.AGENT_STREAM_IDLE({ provider: model.provider, seconds }), `silent for ${seconds} s`));
  }

  private cut(): Failure {
    return passing(errors.AGENT_STREAM_CUT({ provider: this.options.model.provider }), "the reply was cut");
  }

  /** Ends the stream as aborted, even when the whole reply has arrived but its end was not read yet. */
  private abort(): void {
    this.close();
    this.out.overtake(this.ending("aborted", errors.AGENT_CANCELLED().message, this.last));
  }

  private fail(failure: Failure, message = this.last): void {
    if (this.closed) return;
    this.close();
    this.options.onFailure(failure);
    this.out.push(this.ending("error", failure.error.message, message));
  }

  /** Creates the ending event. Copies the content, because the adapter goes on changing its own message. */
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

const final = (error: ScorelError, reason: string): Failure => ({ error, reason, retryable: false });
const passing = (error: ScorelError, reason: string): Failure => ({ error, reason, retryable: true });

function isCallEvent(
  event: AssistantMessageEvent,
): event is Extract<AssistantMessageEvent, { type: `toolcall_${string}` }> {
  return event.type.startsWith("toolcall_");
}

/** Returns why the raw arguments are not a JSON object, with the raw text; undefined when they are one. */
function flawIn(raw: string | undefined, parsed: unknown): UnreadableArguments | undefined {
  const text = raw?.trim() ?? "";
  if (text === "") return isRecord(parsed) ? undefined : { text, reason: "they are no JSON object" };
  try {
    return isRecord(JSON.parse(text)) ? undefined : { text, reason: "they are no JSON object" };
  } catch (thrown) {
    return { text, reason: messageOf(thrown) };
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
