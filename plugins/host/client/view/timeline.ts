import type { AnyEvent, DisplayAction, EventId, StoredEvent } from "@scorel/kernel";
import { isEvent } from "@scorel/kernel/is-event";
import type { CardChange } from "@scorel/messages/contract";
import type { Delivered } from "../../contract.ts";

/** A stored event that is shown. */
export interface Row {
  /** Id of the event. */
  id: EventId;
  seq: number;
  type: string;
  /** The client that caused the event; `ts` is the time of the event. */
  clientId: string;
  ts: number;
  display: DisplayAction;
  event: StoredEvent;
  /** Whether the event belongs to the current conversation. False for rewound events and those of other branches. */
  active: boolean;
}

/** The effect of an added event: with `isNew`, a new row at `index`; otherwise all rows from `index` on may have changed. */
export type RowChange = { index: number; isNew: boolean };

/** The received stored events of a session, and which of them belong to the current conversation. */
export class Timeline {
  /** In seq order, without gaps. The arrays are modified in place. */
  readonly events: Delivered[] = [];
  readonly rows: Row[] = [];
  private readonly parents = new Map<EventId, EventId | null>();
  /** The events that are parents of other events. All others are leaves or side events. */
  private readonly followed = new Set<EventId | null>();
  /** The events from the active leaf up to the first one, and the parent of that, which was not received. */
  private readonly path = new Set<EventId | null>([null]);
  private leaf: EventId | null = null;
  private last = 0;

  has(id: EventId): boolean {
    return this.parents.has(id);
  }

  /** The seq of the last event; 0 if there are no events. */
  get lastSeq(): number {
    return this.last;
  }

  clear(): void {
    this.events.length = 0;
    this.rows.length = 0;
    this.parents.clear();
    this.followed.clear();
    this.path.clear();
    this.path.add(null);
    this.leaf = null;
    this.last = 0;
  }

  /** Adds an event after all others. Returns undefined for an event that was already added. */
  add(delivered: Delivered): RowChange[] | undefined {
    const event = delivered.event as StoredEvent;
    if (event.seq <= this.last || this.parents.has(event.id)) return undefined;
    this.last = event.seq;
    this.events.push(delivered);
    const changes = [...this.link(event), ...this.changeCards(event)];
    if (delivered.display.display === "hidden") return changes;
    this.rows.push(rowOf(delivered, this.isActive(event)));
    return [...changes, { index: this.rows.length - 1, isNew: true }];
  }

  /** Changes the cards of calls whose work went on after their results, as an event says. */
  private changeCards({ type, data }: StoredEvent & { data?: unknown }): RowChange[] {
    const cards = type === "harness_item" ? (data as { cards?: unknown } | null | undefined)?.cards : undefined;
    return Object.entries(Object(cards) as Record<string, unknown>).flatMap(([id, change]) => {
      const index = this.rows.findLastIndex((row) => row.id === id);
      const row = this.rows[index];
      if (row?.display.display !== "card" || !isCardChange(change)) return [];
      const { status, text } = change;
      this.rows[index] = { ...row, display: { ...row.display, status, text } };
      return [{ index, isNew: false }];
    });
  }

  /** Adds older events before all others. */
  addBefore(older: readonly Delivered[]): void {
    const first = (this.events[0]?.event as StoredEvent | undefined)?.seq ?? Number.POSITIVE_INFINITY;
    const all = [...older.filter(({ event }) => (event as StoredEvent).seq < first), ...this.events];
    this.clear();
    for (const delivered of all) this.add(delivered);
  }

  /**
   * Moves the active leaf. The parent of an event is the leaf that was active when it was appended, so it shows whether the event before
   * it had become the leaf. For the latest event, this is not known yet.
   */
  private link(event: StoredEvent): RowChange[] {
    const { id, parentId } = event;
    this.parents.set(id, parentId);
    this.followed.add(parentId);
    const changes = this.move(parentId);
    const target = targetOf(event);
    if (target !== undefined) return [...changes, ...this.move(target)];
    this.path.add(id);
    this.leaf = id;
    return changes;
  }

  private move(to: EventId | null): RowChange[] {
    const from = this.leaf;
    if (to === from) return [];
    const added: (EventId | null)[] = [];
    let common: EventId | null | undefined = to;
    while (common !== undefined && !this.path.has(common)) {
      added.push(common);
      common = common === null ? undefined : this.parents.get(common);
    }
    const isLast = from !== null && this.parents.get(from) === to && !this.followed.has(from);
    for (let at: EventId | null | undefined = from; at !== common && at !== undefined; ) {
      this.path.delete(at);
      at = at === null ? undefined : this.parents.get(at);
    }
    for (const each of added) this.path.add(each);
    this.leaf = to;
    // The previous event turned out to be a side event of the leaf, which belongs to the conversation, so no row changes.
    return isLast ? [] : this.refresh(this.firstAfter(common ?? null));
  }

  /** The index of the first row after an event. */
  private firstAfter(id: EventId | null): number {
    const index = id === null ? -1 : this.rows.findLastIndex((row) => row.id === id);
    return index + 1;
  }

  /** Recomputes which rows from index `from` on belong to the conversation. */
  private refresh(from: number): RowChange[] {
    let changed: RowChange[] = [];
    for (let index = this.rows.length - 1; index >= from; index--) {
      const row = this.rows[index] as Row;
      const active = this.isActive(row.event);
      if (active === row.active) continue;
      this.rows[index] = { ...row, active };
      changed = [{ index, isNew: false }];
    }
    return changed;
  }

  private isActive({ id, parentId }: StoredEvent): boolean {
    return this.path.has(id) || (!this.followed.has(id) && this.path.has(parentId));
  }
}

/** The rows of the current conversation among stored events, of which later ones may have gone back before earlier ones. */
export function conversationRows(events: readonly Delivered[]): Row[] {
  const timeline = new Timeline();
  timeline.addBefore(events);
  return timeline.rows.filter(({ active }) => active);
}

/** A row of the conversation. The card of a call whose work goes on counts as running until an event changes it. */
function rowOf({ event: given, display }: Delivered, active: boolean): Row {
  const event = given as StoredEvent;
  const { id, seq, type, clientId, ts } = event;
  const shown = goesOn(event) && display.display === "card" ? { ...display, status: "running" as const } : display;
  return { id, seq, type, clientId, ts, display: shown, event, active };
}

/** Whether a value is a change of a card. Plugins write it. */
function isCardChange(value: unknown): value is CardChange {
  const { status, text } = Object(value) as Partial<CardChange>;
  return (status === "done" || status === "error") && typeof text === "string";
}

/** Whether an event is the result of a call whose work goes on, such as a command in the background. */
function goesOn(event: StoredEvent & { message?: { details?: unknown } }): boolean {
  const { goesOn } = Object(event.message?.details) as { goesOn?: unknown };
  return event.type === "message" && goesOn === true;
}

/** The target of a jump; undefined for other events. */
function targetOf(event: AnyEvent): EventId | null | undefined {
  if (isEvent(event, "rewind")) return event.targetEventId;
  return isEvent(event, "branch") ? event.leafEventId : undefined;
}
