import { isEvent, type Session, type StoredEvent, type TreeView } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";
import type { Checkpoint, FileState, NotCovered } from "../contract.ts";
import { asCheckpoint, KIND } from "../record/state.ts";

/** The state of a file at a place in the log. */
interface Known {
  at: number;
  state: FileState;
}

/** Changes that no checkpoint recorded, with the seq of the event that says so. */
type Gap = NotCovered & { at: number };

/** What the log says about files over time. All branches share the same files, which changed in the order of the log. */
export class History {
  private readonly pathNow: (path: string) => string | undefined;
  private readonly files = new Map<string, Known[]>();
  private readonly gaps: Gap[] = [];
  /** Gaps of calls whose changes were not recorded when the session closed. */
  private readonly pending: (Gap & { calls: Set<string> })[] = [];

  /** `pathNow` returns the present path of a file, as `movedPaths` does. */
  constructor({ tree }: Session, pathNow: (path: string) => string | undefined = (path) => path) {
    this.pathNow = pathNow;
    for (const event of tree.ofType("custom")) {
      const checkpoint = checkpointOf(event);
      if (checkpoint) this.add(checkpoint, sinceWhen(tree, event, checkpoint));
    }
    for (const known of this.files.values()) known.sort((a, b) => a.at - b.at);
  }

  get paths(): string[] {
    return [...this.files.keys()].sort();
  }

  /**
   * The state of a file at a place in the log. If a later call touched the file, this is what that call found, so that
   * the user's own changes in between are kept; otherwise it is what the last call left.
   */
  stateAt(path: string, place: number): FileState {
    const known = this.files.get(path) ?? [];
    return (known.find(({ at }) => at > place) ?? known.at(-1) ?? nothing).state;
  }

  /** The state of a file before this session's tools touched it. */
  first(path: string): FileState {
    return (this.files.get(path)?.[0] ?? nothing).state;
  }

  /** The last state of a file in the log. */
  last(path: string): FileState {
    return (this.files.get(path)?.at(-1) ?? nothing).state;
  }

  /** The files whose changes after a place were not covered. */
  gapsAfter(place: number): NotCovered[] {
    const unrecorded = this.pending.filter(({ calls }) => calls.size > 0);
    return [...this.gaps, ...unrecorded].filter(({ at }) => at > place).map(({ path, reason }) => ({ path, reason }));
  }

  private add({ calls, files, notCovered, pending }: Checkpoint, at: number): void {
    if (pending) {
      for (const gap of notCovered) this.pending.push({ ...gap, at, calls: new Set(calls) });
      return;
    }
    for (const gap of this.pending) for (const call of calls) gap.calls.delete(call);
    for (const { path: then, before, after } of files) {
      const path = this.pathNow(then);
      if (path === undefined) continue;
      const known = this.files.get(path) ?? [];
      for (const state of [before, after]) if (state) known.push({ at, state });
      this.files.set(path, known);
    }
    for (const gap of notCovered) this.gaps.push({ ...gap, at });
  }
}

const nothing: { state: FileState } = { state: { kind: "absent" } };

/** The number of events that are read at once while looking for a call. */
const STRETCH = 256;

/**
 * The place of a checkpoint in the log. The effects of commands are found after their results were stored, and belong
 * before the last of these results.
 */
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
  if (!isEvent(event, "custom")) return undefined;
  const { kind, data } = event;
  return kind === KIND ? asCheckpoint(data) : undefined;
}

function messageIn(event: StoredEvent): ScorelMessage | undefined {
  return isEvent(event, "message") ? event.message : undefined;
}
