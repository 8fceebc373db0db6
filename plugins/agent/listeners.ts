import type { AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";
import { frozenCopy } from "@scorel/kit/values/copy";

type Listener = (event: AgentEvent, signal?: AbortSignal) => void | Promise<void>;

/** Number of waiting events per listener from which update events are dropped. Other events are never dropped. */
const capacity = 10_000;

/**
 * Delivers pi's events to listeners. Each listener has its own queue, so a slow or failing one does not affect the
 * turn, and gets frozen copies, because pi-agent-core changes its own objects.
 */
export class Listeners {
  readonly live = new LiveState();
  private readonly queues = new Set<ListenerQueue>();
  private readonly onError: (thrown: unknown) => void;

  constructor(onError: (thrown: unknown) => void) {
    this.onError = onError;
  }

  add(listener: Listener): () => void {
    const queue = new ListenerQueue(listener, this.onError);
    this.queues.add(queue);
    return () => {
      this.queues.delete(queue);
      queue.close();
    };
  }

  get any(): boolean {
    return this.queues.size > 0;
  }

  publish(event: AgentEvent, signal: AbortSignal): void {
    this.live.hear(event);
    if (this.queues.size === 0) return;
    const kept = frozenCopy(event);
    for (const queue of this.queues) queue.push(kept, signal);
  }
}

class ListenerQueue {
  private readonly listener: Listener;
  private readonly onError: (thrown: unknown) => void;
  private waiting: [AgentEvent, AbortSignal][] = [];
  private running = false;
  private closed = false;

  constructor(listener: Listener, onError: (thrown: unknown) => void) {
    this.listener = listener;
    this.onError = onError;
  }

  push(event: AgentEvent, signal: AbortSignal): void {
    if (event.type.endsWith("_update") && this.waiting.length >= capacity) return;
    this.waiting.push([event, signal]);
    if (!this.running) void this.drain();
  }

  close(): void {
    this.closed = true;
  }

  private async drain(): Promise<void> {
    this.running = true;
    await null;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      for (const [event, signal] of batch) await this.tell(event, signal);
    }
    this.running = false;
  }

  private async tell(event: AgentEvent, signal: AbortSignal): Promise<void> {
    if (this.closed) return;
    try {
      await this.listener(event, signal);
    } catch (thrown) {
      this.onError(thrown);
    }
  }
}

/** The live part of pi's read-only state: the streaming message, pending calls and the last error. */
export class LiveState {
  streamingMessage: AgentMessage | undefined;
  errorMessage: string | undefined;
  readonly pendingToolCalls = new Set<string>();

  hear(event: AgentEvent): void {
    if (event.type === "message_update" || event.type === "message_start") this.streamingMessage = event.message;
    else if (event.type === "message_end") this.endMessage(event.message);
    else if (event.type === "tool_execution_start") this.pendingToolCalls.add(event.toolCallId);
    else if (event.type === "tool_execution_end") this.pendingToolCalls.delete(event.toolCallId);
  }

  private endMessage(message: AgentMessage): void {
    this.streamingMessage = undefined;
    if (message.role === "assistant") this.errorMessage = message.errorMessage;
  }
}
