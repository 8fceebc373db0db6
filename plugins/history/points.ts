import type { EventId, StoredEvent, TreeView } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { describeEvent, messageIn, oneLine } from "./event-text.ts";

/**
 * Determines where a conversation can continue: at a path event where no tool call waits for a result. That holds for
 * user messages, ends of turns, the last of a set of results, and summaries. Caches its findings, so that checking all
 * events of a chain, in either direction, takes a few steps for each.
 */
export class Points {
  private readonly tree: TreeView;
  /** Whether no call waits for its result at an event, for events that were checked. */
  private readonly known = new Map<EventId, boolean>();
  /** The calls that wait for results at the last checked event of each chain. */
  private readonly waiting = new Map<EventId, Set<string>>();

  constructor(tree: TreeView) {
    this.tree = tree;
  }

  has(id: EventId): boolean {
    return this.tree.isPath(id) && (this.known.get(id) ?? this.learn(id));
  }

  /**
   * Walks up to the message with the calls, or to an event for which the waiting calls are known, and then down again.
   */
  private learn(id: EventId): boolean {
    const passed: StoredEvent[] = [];
    let calls = new Set<string>();
    for (let event = this.tree.get(id); event; event = this.tree.parent(event.id)) {
      const left = this.known.get(event.id) ? new Set<string>() : this.waiting.get(event.id);
      if (left) {
        this.waiting.delete(event.id);
        calls = left;
        break;
      }
      passed.push(event);
      const begun = callsBegunAt(event);
      if (begun) {
        calls = begun;
        break;
      }
    }
    return this.descend(passed.reverse(), calls);
  }

  private descend(events: readonly StoredEvent[], calls: Set<string>): boolean {
    for (const event of events) {
      const message = messageIn(event);
      if (message?.role === "tool_result") calls.delete(message.toolCallId);
      this.known.set(event.id, calls.size === 0);
    }
    const last = events.at(-1);
    if (last && calls.size > 0) this.waiting.set(last.id, calls);
    return calls.size === 0;
  }
}

/** The ids of a reply's calls; none for a user's message; undefined for events that only continue a turn. */
function callsBegunAt(event: StoredEvent): Set<string> | undefined {
  const message = messageIn(event);
  if (message?.role === "user") return new Set();
  if (message?.role !== "assistant") return undefined;
  return new Set(message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
}

/** Returns the names of calls without a result at an event. Looks up only to the message with the calls. */
function callsWithoutResult(tree: TreeView, at: StoredEvent | undefined): string[] {
  const answered = new Set<string>();
  for (let event = at; event; event = tree.parent(event.id)) {
    const message = messageIn(event);
    if (message?.role === "user") return [];
    if (message?.role === "tool_result") answered.add(message.toolCallId);
    if (message?.role === "assistant")
      return message.content.flatMap((block) =>
        block.type === "toolCall" && !answered.has(block.id) ? [block.name] : [],
      );
  }
  return [];
}

/** Throws HISTORY_NO_POINT, naming the nearest points, when a conversation cannot continue from an event. */
export function requirePoint(tree: TreeView, id: EventId): void {
  const points = new Points(tree);
  if (points.has(id)) return;
  const event = tree.get(id) as StoredEvent;
  const before = pointBefore(tree, id, points);
  const nearest = [...(before ? [before] : []), ...pointsAfter(tree, id, points)];
  const shown = [...(before ? [] : ["the start"]), ...nearest.map(describeEvent)];
  const reason = tree.isPath(id)
    ? `its tool calls (${oneLine(callsWithoutResult(tree, tree.get(id)).join(", "))}) wait for their results`
    : `it is a side event, not part of the conversation`;
  throw errors.HISTORY_NO_POINT({ eventId: describeEvent(event), reason, nearest: nearest.map(idOf), shown });
}

/** Returns the nearest point above an event; undefined for the start. */
export function pointBefore(tree: TreeView, id: EventId, points = new Points(tree)): StoredEvent | undefined {
  let event = tree.parent(id);
  while (event && !points.has(event.id)) event = tree.parent(event.id);
  return event;
}

/** Returns the nearest points below an event, up to three. */
function pointsAfter(tree: TreeView, id: EventId, points: Points): StoredEvent[] {
  const found: StoredEvent[] = [];
  const open = tree.children(id).slice(0, NAMED);
  for (let event = open.shift(); event && found.length < NAMED; event = open.shift())
    if (points.has(event.id)) found.push(event);
    else open.push(...tree.children(event.id).slice(0, NAMED));
  return found;
}
const NAMED = 3;

function idOf({ id }: StoredEvent): EventId {
  return id;
}
