import type { EventId, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";

type Node = StoredEvent & Record<string, unknown>;

/** A simple model of a conversation, written in a few lines and without the kernel, to compare the kernel with. */
export class Reference {
  readonly events: Node[] = [];
  leaf: EventId | null = null;

  /** Adds a stored event. */
  add(event: StoredEvent): void {
    const node = event as Node;
    this.events.push(node);
    if (node.type === "rewind") this.leaf = node.targetEventId as EventId;
    else if (node.type === "branch") this.leaf = node.leafEventId as EventId;
    else if (isPath(node)) this.leaf = node.id;
  }

  /** The path from the first event to the leaf. */
  path(): Node[] {
    const path: Node[] = [];
    for (let at = this.get(this.leaf); at; at = this.get(at.parentId)) path.unshift(at);
    return path;
  }

  /** The messages for a model: all since the start of the last summary. */
  context(): ScorelMessage[] {
    const path = this.path();
    const summary = path.findLast(({ type }) => type === "compact");
    const since = summary ? path.slice(indexOf(path, summary.compactedThrough) + 1) : path;
    const spoken = since.flatMap((event) => (event.message === undefined ? [] : [event.message as ScorelMessage]));
    const first = summary ? [summaryOf(summary)] : [];
    return [...first, ...spoken.filter(({ role }) => role !== "internal")];
  }

  /** Whether a summary may keep messages from this event on: it is on the path and not before those kept last time. */
  mayCut(after: EventId): boolean {
    const path = this.path();
    const last = path.findLast(({ type }) => type === "compact");
    return indexOf(path, after) >= Math.max(0, last ? indexOf(path, last.compactedThrough) : 0);
  }

  private get(id: EventId | null): Node | undefined {
    return this.events.find((event) => event.id === id);
  }
}

/** Whether an event is part of the conversation, and not a side event or a rewind. */
export function isPath({ type }: StoredEvent): boolean {
  return type === "message" || type === "custom_message" || type === "compact";
}

function indexOf(path: readonly Node[], id: unknown): number {
  return path.findIndex((event) => event.id === id);
}

function summaryOf(compact: Node): ScorelMessage {
  const content = `The conversation up to here was replaced by this summary:\n\n<summary>\n${compact.summary}\n</summary>`;
  return { role: "user", content, timestamp: compact.ts };
}
