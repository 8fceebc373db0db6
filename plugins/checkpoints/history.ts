import type { EventId, EventOf, Session, StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
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
  private readonly places = new Map<EventId, number>();

  constructor(session: Session) {
    const results = new Map<string, number>();
    let place = 0;
    for (const event of session.tree) {
      this.places.set(event.id, place);
      const call = resultOf(event);
      if (call !== undefined && !results.has(call)) results.set(call, place);
      const checkpoint = checkpointOf(event);
      if (checkpoint) this.add(checkpoint, sinceWhen(checkpoint, results, place));
      place++;
    }
    for (const known of this.files.values()) known.sort((a, b) => a.at - b.at);
  }

  get paths(): string[] {
    return [...this.files.keys()].sort();
  }

  /** The place of an event in the log. */
  placeOf(id: EventId): number | undefined {
    return this.places.get(id);
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

/** Effects of commands are found after their results were stored, and belong before the last of these. */
function sinceWhen({ calls }: Checkpoint, results: ReadonlyMap<string, number>, place: number): number {
  const ended = calls.flatMap((call) => results.get(call) ?? []);
  return ended.length === 0 ? place : Math.max(...ended) - 0.5;
}

function checkpointOf(event: StoredEvent): Checkpoint | undefined {
  if (event.type !== "custom") return undefined;
  const { kind, data } = event as EventOf<"custom">;
  return kind === KIND ? asCheckpoint(data) : undefined;
}

function resultOf(event: StoredEvent): string | undefined {
  if (event.type !== "message") return undefined;
  const { message } = event as EventOf<"message">;
  return message.role === "tool_result" ? message.toolCallId : undefined;
}
