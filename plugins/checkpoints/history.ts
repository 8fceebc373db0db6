import type { EventId, EventOf, Session, StoredEvent, TreeView } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";
import type { Checkpoint, FileState, NotCovered } from "./contract.ts";
import { asCheckpoint, KIND } from "./state.ts";

/** What a file was known to be at a place in the log. */
interface Known {
  at: number;
  state: FileState;
}

/**
 * What the log knows of the files, by time: whatever branch an event is on, the files were one set, and changed in the
 * order of the log.
 */
export class History {
  private readonly files = new Map<string, Known[]>();
  private readonly gaps: (NotCovered & { at: number })[] = [];
  private readonly tree: TreeView;

  constructor({ tree }: Session) {
    this.tree = tree;
    for (const event of tree.ofType("custom")) {
      const checkpoint = checkpointOf(event);
      if (checkpoint) this.add(checkpoint, sinceWhen(tree, event, checkpoint));
    }
    for (const known of this.files.values()) known.sort((a, b) => a.at - b.at);
  }

  get paths(): string[] {
    return [...this.files.keys()].sort();
  }

  /** The place of an event in the log: its seq. */
  placeOf(id: EventId): number | undefined {
    return this.tree.get(id)?.seq;
  }

  /**
   * What a file was at a place: what the first to touch it afterwards found there, so that a user's own changes in
   * between are kept; else what the last one left.
   */
  stateAt(path: string, place: number): FileState {
    const known = this.files.get(path) ?? [];
    return (known.find(({ at }) => at > place) ?? known.at(-1) ?? nothing).state;
  }

  /** What a file was before this session's tools touched it. */
  first(path: string): FileState {
    return (this.files.get(path)?.[0] ?? nothing).state;
  }

  /** What a file is, as far as the log knows. */
  last(path: string): FileState {
    return (this.files.get(path)?.at(-1) ?? nothing).state;
  }

  /** What was not covered after a place. */
  gapsAfter(place: number): NotCovered[] {
    return this.gaps.filter(({ at }) => at > place).map(({ path, reason }) => ({ path, reason }));
  }

  private add({ files, notCovered }: Checkpoint, at: number): void {
    for (const { path, before, after } of files) {
      const known = this.files.get(path) ?? [];
      for (const state of [before, after]) if (state) known.push({ at, state });
      this.files.set(path, known);
    }
    this.gaps.push(...notCovered.map((gap) => ({ ...gap, at })));
  }
}

const nothing: { state: FileState } = { state: { kind: "absent" } };

/** How much of the log is read at once in looking for a call. */
const STRETCH = 256;

/** Effects of commands are found after their results were stored, and belong before the last of these. */
function sinceWhen(tree: TreeView, { seq }: StoredEvent, { calls }: Checkpoint): number {
  for (let to = seq - 1; calls.length > 0 && to > 0; to -= STRETCH)
    for (const event of tree.between(to - STRETCH + 1, to).reverse()) {
      const message = messageIn(event);
      if (message?.role === "tool_result" && calls.includes(message.toolCallId)) return event.seq - 0.5;
      if (message?.role === "assistant" && asksFor(message, calls)) return seq;
    }
  return seq;
}

function asksFor({ content }: AssistantMessage, calls: readonly string[]): boolean {
  return content.some((block) => block.type === "toolCall" && calls.includes(block.id as string));
}

function checkpointOf(event: StoredEvent): Checkpoint | undefined {
  if (event.type !== "custom") return undefined;
  const { kind, data } = event as EventOf<"custom">;
  return kind === KIND ? asCheckpoint(data) : undefined;
}

function messageIn(event: StoredEvent): ScorelMessage | undefined {
  return event.type === "message" ? (event as EventOf<"message">).message : undefined;
}
