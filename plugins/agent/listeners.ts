import type { AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessage } from "@mariozechner/pi-ai";
import { LiveState } from "./live.ts";

type Listener = (event: AgentEvent, signal?: AbortSignal) => void | Promise<void>;

/** Updates a listener may lag behind before further ones are left out; all other events reach it. */
const capacity = 10_000;

/**
 * Those who listen to pi's events. Each has its own queue, so that a slow or failing one neither slows
 * nor ends the turn; and each event is a snapshot, since the library goes on changing its messages.
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

  publish(event: AgentEvent, signal: AbortSignal): void {
    this.live.hear(event);
    if (this.queues.size === 0) return;
    const kept = snapshot(event);
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

function snapshot(event: AgentEvent): AgentEvent {
  if (event.type === "message_update") {
    const message = copyMessage(event.message);
    const inner = { ...event.assistantMessageEvent, partial: message as AssistantMessage };
    return { ...event, message, assistantMessageEvent: inner as typeof event.assistantMessageEvent };
  }
  return event.type === "message_start" || event.type === "message_end"
    ? { ...event, message: copyMessage(event.message) }
    : event;
}

/** Down to the blocks: texts are immutable, and arguments are replaced rather than changed. */
function copyMessage(message: AgentMessage): AgentMessage {
  const { content } = message;
  if (typeof content === "string") return { ...message };
  return { ...message, content: content.map((block) => ({ ...block })) } as AgentMessage;
}
