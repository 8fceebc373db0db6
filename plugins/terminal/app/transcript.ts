import type { Live, Row, SessionView } from "@scorel/host/client";
import type { Look } from "../rows/look.ts";
import { type Item, isReply, itemOf, LiveItems, linesOf, noteItem } from "./items.ts";
import type { People } from "./people.ts";

/** The most items whose drawn lines are kept. */
const KEPT = 600;
/** The most items below the view whose lines are counted. */
const COUNTED = 200;

/** A place in the conversation: a line of an item. */
interface Place {
  index: number;
  line: number;
}
interface Drawn {
  width: number;
  look: Look;
  before: string | undefined;
  isOpen: boolean;
  lines: string[];
}
interface Note {
  /** The seq of the row that it stands after. */
  after: number;
  /** The reply that was arriving when it was added: it stands after that one. */
  beside: string | undefined;
  item: Item;
  /** The event that it is about: the note goes with it when the user goes back to before it. */
  about?: Row["id"] | undefined;
  /** Kept when another session is shown: the note does not belong to this one, and the user may not have seen it yet. */
  isLasting?: boolean;
}

/**
 * The conversation as lines. Only items in view are drawn, and drawn lines are kept, so that a further word costs the same in a short and
 * in a long conversation.
 */
export class Transcript {
  private view: SessionView | undefined;
  private people!: People;
  private items: Item[] = [];
  /** Notes and shell lines that came while a reply arrives. They are drawn below it, where they are seen. */
  private tail: Item[] = [];
  private readonly notes: Note[] = [];
  private noteCount = 0;
  /** Whether a model has said something. */
  private hasReply = false;
  /** The seq of the last row in `items`. A row that comes together with changes of others is already there after a rebuild. */
  private builtTo = 0;
  private readonly live = new LiveItems();
  private readonly drawn = new Map<string, Drawn>();
  private readonly open = new Set<string>();
  /** When running tools began, by the id of their result. */
  private readonly begun = new Map<string, number>();
  private readonly lasted = new Map<string, number>();
  /** Ids of the calls that wait for an answer to a question; `allowed` has the time of the answer for those that waited before. */
  private waiting = new Set<unknown>();
  private readonly allowed = new Map<unknown, number>();
  /** The first line in view; undefined while the end is in view. */
  private top: { key: string; place: Place } | undefined;
  private shownKeys: string[] = [];
  private size = { width: 80, height: 20 };

  /** Shows another session. */
  follow(view: SessionView, people: People): void {
    this.view = view;
    this.people = people;
    const after = view.rows.at(-1)?.seq ?? 0;
    const lasting = this.notes
      .filter(({ isLasting }) => isLasting)
      .map(({ item }) => ({ item, after, beside: undefined }));
    this.notes.splice(0, this.notes.length, ...lasting);
    this.top = undefined;
    this.rebuild();
  }

  /** Called when all rows from `index` on have changed; `isNew` says that the row at `index` was added. */
  changed(index: number, isNew: boolean): void {
    const { view } = this;
    const row = view?.rows[index];
    if (row && !isNew) this.drawn.delete(row.id);
    if (!view || !row || !isNew || index !== view.rows.length - 1) {
      this.rebuild();
      return;
    }
    const start = this.begun.get(row.id);
    if (start !== undefined) this.lasted.set(row.id, row.ts - start);
    const beside = this.notes.filter((note) => note.beside === row.id);
    for (const note of beside) note.after = row.seq;
    if (beside.length > 0) this.rebuild();
    else this.addRow(row);
  }

  rebuild(): void {
    this.forgetLeftOut();
    const isBeside = ({ beside }: Note) => this.replies.some(({ id }) => id === beside);
    const notes = this.notes.filter((note) => !isBeside(note));
    this.items = [];
    this.tail = [];
    this.builtTo = 0;
    // Of a long conversation only the end is loaded.
    this.hasReply = (this.view?.rows[0]?.seq ?? 0) > 10;
    for (const row of this.view?.rows ?? []) {
      while (notes[0] && notes[0].after < row.seq) this.items.push((notes.shift() as Note).item);
      this.addRow(row);
    }
    this.items.push(...notes.map(({ item }) => item));
    this.tail.push(...this.notes.filter(isBeside).map(({ item }) => item));
  }

  /** Removes the notes about events that the user has gone back to before. */
  private forgetLeftOut(): void {
    if (this.notes.every(({ about }) => about === undefined)) return;
    const left = new Set((this.view?.rows ?? []).filter(({ active }) => !active).map(({ id }) => id));
    const kept = this.notes.filter(({ about }) => about === undefined || !left.has(about));
    this.notes.splice(0, this.notes.length, ...kept);
  }

  private get replies(): readonly Live[] {
    return (this.view?.live ?? []).filter(({ kind }) => kind === "reply");
  }

  private addRow(row: Row): void {
    if (row.seq <= this.builtTo) return;
    this.builtTo = row.seq;
    const item = itemOf(row, this.people, this.hasReply);
    const isBeside = row.type === "shell_line" && this.replies.some(({ ts }) => ts <= row.ts);
    if (item) (isBeside ? this.tail : this.items).push(item);
    this.hasReply ||= isReply(row);
  }

  /** Adds a note at the end, which only this application shows. Returns a function that removes it. */
  add(draw: Item["draw"], isLasting = false): () => void {
    const item = noteItem(`note ${++this.noteCount}`, draw);
    const beside = this.replies.at(-1)?.id;
    this.notes.push({ after: this.view?.rows.at(-1)?.seq ?? 0, beside, item, isLasting });
    (beside === undefined ? this.items : this.tail).push(item);
    return () => this.remove(item);
  }

  private remove(item: Item): void {
    const at = this.notes.findIndex((note) => note.item === item);
    if (at < 0) return;
    this.notes.splice(at, 1);
    this.rebuild();
  }

  /** Adds a note that stays when another session is shown. */
  addLasting(draw: Item["draw"]): void {
    this.add(draw, true);
  }

  /** Adds a note about the last event, which is removed when the user goes back to before that. */
  addAbout(draw: Item["draw"]): () => void {
    const remove = this.add(draw);
    const note = this.notes.at(-1);
    if (note) note.about = this.view?.rows.findLast(({ active }) => active)?.id;
    return remove;
  }

  /** Called when replies and calls in flight, or the open questions, have changed. */
  liveChanged(): void {
    const live = this.view?.live ?? [];
    const asked = this.asked();
    for (const id of this.waiting) if (!asked.has(id)) this.allowed.set(id, Date.now());
    this.waiting = asked;
    for (const each of live) if (each.kind === "call") this.begun.set(each.id, this.startOf(each));
    this.live.keep(live);
    if (this.tail.length > 0 && this.replies.length === 0) this.rebuild();
  }

  /** Whether there are no items other than notes. */
  get isEmpty(): boolean {
    return this.items.length + this.tail.length === this.notes.length && (this.view?.live.length ?? 0) === 0;
  }
  get isAtEnd(): boolean {
    return this.top === undefined;
  }

  /** The lines in view. */
  render(width: number, height: number, look: Look): string[] {
    this.size = { width, height };
    const all = this.all();
    const lines: string[] = [];
    const keys: string[] = [];
    const start = this.start(all, look);
    for (let index = start.index; index < all.length && lines.length < height; index++) {
      const drawn = this.lines(all, index, look);
      const from = index === start.index ? start.line : 0;
      for (const line of drawn.slice(from, from + height - lines.length)) {
        lines.push(line);
        keys.push((all.at(index) as Item).key);
      }
    }
    this.shownKeys = keys;
    if (this.drawn.size > KEPT) for (const key of [...this.drawn.keys()].slice(0, KEPT / 2)) this.drawn.delete(key);
    return lines;
  }

  /** The number of lines below the view; `isMore` if there are more that were not counted. */
  below(look: Look): { count: number; isMore: boolean } {
    if (!this.top) return { count: 0, isMore: false };
    const all = this.all();
    const { index, line } = placeOf(all, this.top);
    let count = -line - this.size.height;
    let at = index;
    for (; at < all.length && at < index + COUNTED; at++) count += this.lines(all, at, look).length;
    return { count: Math.max(0, count), isMore: at < all.length };
  }

  /** Scrolls by lines, up when negative. Returns whether the beginning was reached. */
  scroll(by: number, look: Look): boolean {
    const all = this.all();
    if (all.length === 0) return true;
    let { index, line } = this.start(all, look);
    line += by;
    while (line < 0 && index > 0) line += this.lines(all, --index, look).length;
    const isFirst = line <= 0 && index === 0;
    line = Math.max(0, line);
    while (index < all.length - 1 && line >= this.lines(all, index, look).length)
      line -= this.lines(all, index++, look).length;
    this.settle(all, { index, line }, look);
    return isFirst;
  }

  toEnd(): void {
    this.top = undefined;
  }

  toStart(look: Look): void {
    this.settle(this.all(), { index: 0, line: 0 }, look);
  }

  /** Unfolds the item in a row of the view, or folds it again. */
  toggle(row: number): void {
    const key = this.shownKeys[row];
    if (key === undefined) return;
    if (!this.open.delete(key)) this.open.add(key);
    this.drawn.delete(key);
  }

  private all(): All {
    const { live: now = [] } = this.view ?? {};
    const asked = this.asked();
    // A call that waits for an answer is shown by its question.
    const shown = now.filter((each) => each.kind !== "call" || !asked.has(each.toolCallId));
    const live = shown.map((each) => this.live.itemOf(each, Date.now() - this.startOf(each), this.people));
    const { items, tail } = this;
    const end = items.length + live.length;
    const at = (index: number) => items[index] ?? live[index - items.length] ?? tail[index - end];
    return { at, end, length: end + tail.length, live: new Map() };
  }

  /** Ids of the calls that open questions are about. */
  private asked(): Set<unknown> {
    const { requests = [] } = this.view ?? {};
    return new Set(requests.map(({ data }) => (data as { toolCallId?: unknown } | undefined)?.toolCallId));
  }

  /** When work in flight began. Hosts of earlier versions do not say when a call runs; then it is the time when its question was answered. */
  startOf(live: Live): number {
    if (live.kind !== "call") return live.ts;
    return live.ranAt ?? Math.max(live.ts, this.allowed.get(live.toolCallId) ?? 0);
  }

  /** Makes a place the first line in view, or follows the end if that is in view from there. */
  private settle(all: All, place: Place, look: Look): void {
    const end = this.lastStart(all, look);
    const isEnd = place.index > end.index || (place.index === end.index && place.line >= end.line);
    this.top = isEnd ? undefined : { key: (all.at(place.index) as Item).key, place };
  }

  private start(all: All, look: Look): Place {
    if (!this.top) return this.lastStart(all, look);
    const place = placeOf(all, this.top);
    const height = this.lines(all, Math.min(place.index, all.length - 1), look).length;
    return { index: Math.min(place.index, all.length - 1), line: Math.min(place.line, Math.max(0, height - 1)) };
  }

  /** The first line in view when the last line is at the bottom. */
  private lastStart(all: All, look: Look): Place {
    let left = this.size.height;
    for (let index = all.length - 1; index >= 0; index--) {
      const { length } = this.lines(all, index, look);
      if (length >= left) return { index, line: length - left };
      left -= length;
    }
    return { index: 0, line: 0 };
  }

  private lines(all: All, index: number, look: Look): string[] {
    const item = all.at(index);
    if (!item) return [];
    const before = all.at(index - 1)?.group;
    const { width } = this.size;
    const isOpen = this.open.has(item.key);
    const isLive = index >= this.items.length && index < all.end;
    const known = isLive ? all.live.get(item.key) : this.drawn.get(item.key);
    if (known?.width === width && known.look === look && known.before === before && known.isOpen === isOpen)
      return known.lines;
    const drawn = linesOf(item, width, look, { isOpen, durationMs: this.lasted.get(item.key) });
    const isApart = before !== undefined && drawn.length > 0 && (before !== item.group || item.group === "message");
    const lines = isApart ? ["", ...drawn] : drawn;
    (isLive ? all.live : this.drawn).set(item.key, { width, look, before, isOpen, lines });
    return lines;
  }
}

/** The present place of an item: earlier messages may have been loaded before it, and it may have moved past one in flight. */
function placeOf(all: All, { key, place }: { key: string; place: Place }): Place {
  const isAt = (index: number) => all.at(index)?.key === key;
  if (isAt(place.index)) return place;
  let index = all.length - 1;
  while (index >= 0 && !isAt(index)) index--;
  return index < 0 ? place : { ...place, index };
}

/** All items: those in flight after the others, and below them what came while a reply arrives. */
interface All {
  at(index: number): Item | undefined;
  /** The index after the last item in flight. */
  readonly end: number;
  readonly length: number;
  /** The drawn lines of items in flight, which are kept for one frame. */
  readonly live: Map<string, Drawn>;
}
