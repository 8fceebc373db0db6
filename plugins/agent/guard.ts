import {
  type Api,
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type Model,
} from "@mariozechner/pi-ai";
import { type Awaitable, messageOf, newId, type ScorelError } from "@scorel/kernel";
import { assistantText } from "./convert.ts";
import { errors } from "./errors.ts";
import { noUsage, tokensOf } from "./usage.ts";

export interface GuardOptions {
  signal: AbortSignal;
  /** Milliseconds without any event after which the stream is given up. */
  idleMs: number;
  model: Model<Api>;
  /** Ids of calls that the context holds already; a call that repeats one gets a new id. */
  takenIds: ReadonlySet<string>;
  /** Why the stream ends with an `error` event; not called for an abort. */
  onFailure(error: ScorelError): void;
}

/** An event of a guarded stream; on those of a tool call, the id the call will have. */
export type GuardedEvent = AssistantMessageEvent & { callId?: string };

/**
 * A model's stream that always ends: at once on abort, after `idleMs` of silence, and with an error where
 * the library would report success for a cut stream, cut arguments or a reply at the output limit. So no
 * call can run whose arguments the model did not finish.
 */
export function guardStream(
  source: () => Awaitable<AsyncIterable<AssistantMessageEvent>>,
  options: GuardOptions,
): AssistantMessageEventStream {
  const guard = new Guard(options);
  void guard.run(source);
  return guard.out;
}

class Guard {
  readonly out = createAssistantMessageEventStream();
  private readonly options: GuardOptions;
  private readonly ids: Ids;
  private readonly rawArguments = new Map<number, string>();
  private readonly onAbort = () => this.abort();
  private watchdog: NodeJS.Timeout | undefined;
  private last: AssistantMessage | undefined;
  private closed = false;

  constructor(options: GuardOptions) {
    this.options = options;
    this.ids = new Ids(options.takenIds);
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
      this.fail(errors.AGENT_MODEL({ reason: messageOf(thrown) }, { cause: thrown }));
    }
  }

  private take(event: AssistantMessageEvent): void {
    this.watchdog?.refresh();
    if (event.type === "done") this.finish(event.message);
    else if (event.type === "error") this.refused(event.error);
    else {
      this.last = event.partial;
      this.out.push(isCallEvent(event) ? this.callEvent(event) : event);
    }
  }

  private callEvent(event: Extract<AssistantMessageEvent, { contentIndex: number }>): GuardedEvent {
    const { contentIndex, partial } = event;
    if (event.type === "toolcall_delta")
      this.rawArguments.set(contentIndex, (this.rawArguments.get(contentIndex) ?? "") + event.delta);
    const block = partial.content[contentIndex];
    return { ...event, callId: this.ids.of(contentIndex, block?.type === "toolCall" ? block.id : "") };
  }

  private finish(message: AssistantMessage): void {
    const problem = this.problemOf(message);
    if (problem) this.fail(problem, message);
    else this.succeed(message);
  }

  private succeed(message: AssistantMessage): void {
    const content = message.content.map((block, index) =>
      block.type === "toolCall" ? { ...block, id: this.ids.of(index, block.id) } : block,
    );
    const reason = message.stopReason === "length" || message.stopReason === "toolUse" ? message.stopReason : "stop";
    this.close();
    this.out.push({ type: "done", reason, message: { ...message, content } });
  }

  /** What a reply that calls itself finished lacks. */
  private problemOf(message: AssistantMessage): ScorelError | undefined {
    const calls = [...message.content.entries()].filter(([, block]) => block.type === "toolCall");
    const silent = calls.length === 0 && assistantText(message.content).trim() === "";
    if (message.stopReason === "length" && (calls.length > 0 || silent)) return errors.AGENT_LENGTH();
    for (const [index, block] of calls)
      if (block.type === "toolCall" && !isWhole(this.rawArguments.get(index), block.arguments))
        return errors.AGENT_STREAM_ARGUMENTS({ tool: block.name });
    // Adapters answer "stop" for a body that just ends; a real end reports tokens or says something.
    return silent && tokensOf(message.usage) === 0 ? this.cut() : undefined;
  }

  /** The provider's own error; "aborted" by anyone but us is one too. */
  private refused(message: AssistantMessage): void {
    if (this.options.signal.aborted) this.abort();
    else this.fail(errors.AGENT_MODEL({ reason: message.errorMessage ?? "no reason given" }), message);
  }

  private idle(): void {
    const { idleMs, model } = this.options;
    this.fail(errors.AGENT_STREAM_IDLE({ provider: model.provider, seconds: idleMs / 1_000 }));
  }

  private cut(): ScorelError {
    return errors.AGENT_STREAM_CUT({ provider: this.options.model.provider });
  }

  private abort(): void {
    this.end("aborted", errors.AGENT_CANCELLED().message, this.last);
  }

  private fail(error: ScorelError, message = this.last): void {
    if (this.closed) return;
    this.options.onFailure(error);
    this.end("error", error.message, message);
  }

  /** The content is copied: what arrives later changes the adapter's message, not this one. */
  private end(reason: "error" | "aborted", errorMessage: string, message = emptyReply(this.options.model)): void {
    if (this.closed) return;
    this.close();
    const content = structuredClone(message.content);
    this.out.push({ type: "error", reason, error: { ...message, content, stopReason: reason, errorMessage } });
  }

  private close(): void {
    this.closed = true;
    clearTimeout(this.watchdog);
    this.options.signal.removeEventListener("abort", this.onAbort);
  }
}

/** Call ids of one reply, by place: never empty, never one that is taken. */
class Ids {
  private readonly byIndex = new Map<number, string>();
  private readonly taken: Set<string>;

  constructor(taken: ReadonlySet<string>) {
    this.taken = new Set(taken);
  }

  of(index: number, given: string): string {
    let id = this.byIndex.get(index);
    if (id === undefined) {
      id = given === "" || this.taken.has(given) ? `call_${newId()}` : given;
      this.taken.add(id);
      this.byIndex.set(index, id);
    }
    return id;
  }
}

function isCallEvent(
  event: AssistantMessageEvent,
): event is Extract<AssistantMessageEvent, { type: `toolcall_${string}` }> {
  return event.type.startsWith("toolcall_");
}

/** The library repairs cut JSON; only what parses as it came is what the model meant. */
function isWhole(raw: string | undefined, parsed: unknown): boolean {
  if (raw === undefined || raw.trim() === "") return isRecord(parsed);
  try {
    return isRecord(JSON.parse(raw));
  } catch {
    return false;
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
