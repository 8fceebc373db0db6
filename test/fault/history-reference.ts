import type { EventId } from "@scorel/kernel";

/** What the reference knows about an event of the conversation. */
export interface Known {
  id: EventId;
  parent: EventId | null;
  role: "user" | "assistant" | "result" | "summary";
  words: string;
  /** The calls without a result at this event. */
  waiting: readonly string[];
  /** Of a summary: the event after which messages are kept. */
  after?: EventId;
}

/**
 * A simple model of a session's tree, written independently of the implementation: a list of events with parents, a leaf, and a
 * stack of leaves for redo.
 */
export class Reference {
  readonly events: Known[] = [];
  leaf: EventId | null = null;
  undone: EventId[] = [];

  add(known: Omit<Known, "parent">): void {
    this.events.push({ ...known, parent: this.leaf });
    this.leaf = known.id;
    this.undone = [];
  }

  get(id: EventId | null): Known | undefined {
    return this.events.find((event) => event.id === id);
  }

  /** The path from the root to an event. */
  path(id: EventId | null): Known[] {
    const event = this.get(id);
    return event ? [...this.path(event.parent), event] : [];
  }

  isPoint(id: EventId): boolean {
    return this.get(id)?.waiting.length === 0;
  }

  isLeaf(id: EventId): boolean {
    return this.events.every(({ parent }) => parent !== id);
  }

  /** The messages that a model gets at an event. */
  context(id: EventId | null): string[] {
    const path = this.path(id);
    const last = path.findLastIndex(({ role }) => role === "summary");
    const summary = path[last];
    const from = summary?.after === undefined ? 0 : path.findIndex((event) => event.id === summary.after) + 1;
    const rest = path.slice(from).filter(({ role }) => role !== "summary");
    return [...(summary ? [summary.words] : []), ...rest.map(({ words }) => words)];
  }

  /** Events from which a summary may keep messages: at or after the last summary's own. */
  cuts(): Known[] {
    const path = this.path(this.leaf);
    const last = path.findLast(({ role }) => role === "summary");
    const from = last === undefined ? 0 : path.findIndex(({ id }) => id === last.after);
    return path.slice(from).filter(({ waiting, role }) => waiting.length === 0 && role !== "summary");
  }

  /** The target of an undo; undefined when there is nothing to undo. */
  undoTarget(from = this.leaf): EventId | null | undefined {
    const path = this.path(from);
    const asked = path.findLastIndex(({ role }) => role === "user");
    return asked < 0 ? undefined : (path.slice(0, asked).findLast(({ waiting }) => waiting.length === 0)?.id ?? null);
  }

  /** A move to the origin of the last undo is its redo; one to anything earlier is an undo, and one to the same place neither. */
  jump(to: EventId | null): void {
    const from = this.leaf;
    if (to === from) return;
    if (this.undone.length > 0 && this.undone.at(-1) === to) this.undone.pop();
    else if (from !== null && (to === null || this.path(from).some(({ id }) => id === to))) this.undone.push(from);
    else this.undone = [];
    this.leaf = to;
  }
}
