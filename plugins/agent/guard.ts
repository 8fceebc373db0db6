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
import { CallIds } from "./call-ids.ts";
import { assistantText } from "./convert.ts";
import { errors } from "./errors.ts";
import { type Failure, judge, type Verdict } from "./failure.ts";
import { type Ending, type GuardedEvent, Outlet } from "./outlet.ts";
import { noUsage, soundUsage, tokensOf } from "./usage.ts";

/** Characters of text, thinking and arguments that a reply may hold: far above any model, far below what memory bears. */
const longestReply = 16_000_000;

/** The share of a window that a request fills when the server cut it to fit. */
const fullWindow = 0.99;

export interface GuardOptions {
  signal: AbortSignal;
  /** Milliseconds without any event after which the stream is given up. */
  idleMs: number;
  model: Model<Api>;
  /** Ids of calls that the context holds already, asked for at the first call; a call that repeats one gets a new id. */
  takenIds(): ReadonlySet<string>;
  /** Why the stream ends with an `error` event; not called for an abort. */
  onFailure(failure: Failure): void;
  onSuccess?(): void;
  /** A call of a whole reply has arguments that are no JSON object; told before the reply ends. */
  onUnreadable?(callId: string, flaw: UnreadableArguments): void;
}

/** Arguments as the model wrote them, and why they cannot be read. */
export interface UnreadableArguments {
  text: string;
  reason: string;
}

/**
 * A model's stream that always ends: at once on abort, after `idleMs` of silence, and with an error where
 * the library would report success for a cut stream or a reply at the output limit. Calls of a whole reply whose arguments
 * are no JSON are told to `onUnreadable`. So no call can run whose arguments the model did not finish.
 */
export function guardStream(
  source: () => Awaitable<AsyncIterable<AssistantMessageEvent>>,
  options: GuardOptions,
): AssistantMessageEventStream {
  const guard = new Guard(options);
  void guard.run(source);
  // The library's class has private fields; what it reads of a stream is here.
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

  /** What fits is kept; the library's message holds all of it. */
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

  /** A call under an id of its own. The library repairs arguments that are no JSON: such a call is told, and must not run. */
  private call(block: ToolCall, index: number): ToolCall {
    const id = this.ids.of(index, block.id);
    const flaw = flawIn(this.rawArguments.get(index), block.arguments);
    if (flaw === undefined) return { ...block, id };
    this.options.onUnreadable?.(id, flaw);
    return { ...block, id, arguments: {} };
  }

  /** What a reply that calls itself finished lacks. */
  private problemOf(message: AssistantMessage): Failure | undefined {
    const calls = [...message.content.entries()].filter(([, block]) => block.type === "toolCall");
    const silent = calls.length === 0 && assistantText(message.content).trim() === "";
    if (message.stopReason === "length" && silent && this.isFull(message)) return this.tooFull();
    if (message.stopReason === "length" && (calls.length > 0 || silent))
      return final(errors.AGENT_LENGTH(), "the output limit");
    // Adapters answer "stop" for a body that just ends; a real end reports tokens or says something.
    return silent && tokensOf(message.usage) === 0 ? this.cut() : undefined;
  }

  /** The provider's own error; "aborted" by anyone but us is one too. */
  private refused(message: AssistantMessage): void {
    const { failure, ...said } = message as AssistantMessage & { failure?: RequestFailure };
    const { kind, retryAfterMs } = judge(said, failure);
    const reason = said.errorMessage ?? "no reason given";
    const error = this.refusal(kind, reason, failure?.advice);
    const retryable = kind === "retryable";
    const overflow = kind === "overflow";
    this.fail({ error, reason, retryable, overflow, ...(retryAfterMs !== undefined && { retryAfterMs }) }, said);
  }

  /** Some servers cut a conversation to what fits, which leaves no room for a reply. */
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

  /** Also after the reply has arrived, as long as the loop has not read its end. */
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

  /** The content is copied: what arrives later changes the adapter's message, not this one. */
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

/** Says why the text of arguments is not a JSON object, and quotes the text. */
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
