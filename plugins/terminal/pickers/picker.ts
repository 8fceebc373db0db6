import { setTimeout as delay } from "node:timers/promises";
import { beginningOf } from "@scorel/kit/text/cut";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { Cursor, Picker } from "../parts.ts";
import { typedInto } from "./input-line.ts";
import { PickList } from "./list.ts";
import { drawPicker, previewPlace } from "./picker-lines.ts";
import type { Asking, PickerOptions, PickerPicture, PickerPlace, PickerState, PreviewPart } from "./picker-parts.ts";
import { Preview } from "./preview.ts";

/** The most characters that are searched for: each word of a longer text, such as a paste, would be looked for in each item. */
const MOST_SEARCHED = 200;
/** The fewest characters for which more items are searched: a single letter would be found everywhere. */
const FEWEST_SEARCHED = 2;
/** Milliseconds without a key until more items are searched for. */
const PAUSE_MS = 250;

/** A list that is searched by typing, and from which the user chooses. */
export class ListPicker<Item> implements Picker<Item>, PickerPicture<Item> {
  onChoose: (item: Item) => void = () => {};
  onCancel: () => void = () => {};
  cursor: Cursor | undefined;
  readonly options: PickerOptions<Item>;
  readonly at: PickerPlace;
  readonly list: PickList<Item>;
  state: PickerState = { kind: "loading" };
  asking: Asking | undefined;
  said = "";
  private readonly previews = new Map<string, Preview>();
  private page: number | undefined;
  private loading = new AbortController();
  /** Whether items keep their order when they are loaded next. */
  private keepsPlaces = false;
  private findingMore: AbortController | undefined;
  private looking: { id: string; stop: AbortController } | undefined;

  constructor(at: PickerPlace, options: PickerOptions<Item>) {
    this.at = at;
    this.options = options;
    const { row, searched } = options;
    this.list = new PickList(
      searched ?? ((item) => [row(item).label, row(item).place, row(item).detail].flat().join(" ")),
    );
    this.reload();
  }

  get isFindingMore(): boolean {
    return this.findingMore !== undefined;
  }

  /** Loads the items again; the chosen one stays chosen. */
  reload(): void {
    this.loading.abort();
    this.loading = new AbortController();
    this.previews.clear();
    if (this.list.total === 0) this.state = { kind: "loading" };
    void this.fill(this.loading.signal);
  }

  /** Asks for text, or for yes or no, in the line of the search. */
  ask(asking: Asking): void {
    this.asking = asking;
    this.at.redraw();
  }

  /** Shows a line above the list. */
  say(text: string): void {
    this.said = text;
    this.at.redraw();
  }

  /** Runs work that changes items, then loads the list again, and shows the error if the work has failed. */
  change(work: () => Promise<unknown>): void {
    this.said = "";
    work().then(
      () => {
        this.keepsPlaces = true;
        this.reload();
      },
      (thrown) => this.fail(thrown),
    );
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { chosen } = this.list;
    const isShown = this.options.preview !== undefined && previewPlace(this.at, width) !== undefined;
    if (isShown && chosen !== undefined) this.look(chosen);
    const { lines, cursor, page } = drawPicker(this, { width, ...(isShown && { preview: this.preview }) });
    this.page = page;
    this.cursor = cursor;
    return lines;
  }

  scroll(by: number): void {
    if (!this.asking) this.list.move(by);
    this.at.redraw();
  }

  handleInput(data: string): void {
    if (this.asking) this.answer(this.asking, data);
    else if (!this.moves(data)) this.search(data);
    this.at.redraw();
  }

  /** Cancels pending requests. */
  close(): void {
    this.loading.abort();
    this.looking?.stop.abort();
    this.findingMore?.abort();
  }

  /** The preview of the chosen item, as far as it is loaded. */
  private get preview(): Preview {
    const { chosen } = this.list;
    const known = chosen === undefined ? undefined : this.previews.get(this.options.id(chosen));
    const isWaiting = this.state.kind === "loading" || chosen !== undefined;
    return known ?? new Preview(isWaiting ? this.at.pickerWords.loading : "");
  }

  private moves(data: string): boolean {
    const { list, options } = this;
    const { keys } = this.at;
    const page = Math.max(2, (this.page ?? this.at.rows - 5) - 1);
    if (keys.is(data, "cancel")) this.leave();
    else if (keys.is(data, "choose")) this.choose();
    else if (keys.is(data, "up")) list.move(-1);
    else if (keys.is(data, "down")) list.move(1);
    else if (keys.is(data, "pageUp")) list.move(-page);
    else if (keys.is(data, "pageDown")) list.move(page);
    else if (keys.is(data, "first") || keys.is(data, "top")) list.choose(0);
    else if (keys.is(data, "last") || keys.is(data, "bottom")) list.choose(list.items.length - 1);
    else {
      const general = options.general?.find(({ action }) => keys.is(data, action));
      const more = options.more?.find(({ action }) => keys.is(data, action));
      const { chosen } = list;
      general?.run();
      if (more && chosen !== undefined) more.run(chosen);
      return (general ?? more) !== undefined;
    }
    return true;
  }

  private search(data: string): void {
    const query = typedInto(this.list.query, data, this.at.keys);
    if (query === undefined || query === this.list.query) return;
    this.forgetPreviews(this.list.added);
    this.list.search(beginningOf(query, MOST_SEARCHED));
    this.said = "";
    void this.findMore();
  }

  /** Loads the previews of these items again: that of an item that was found in another way may differ. */
  private forgetPreviews(items: readonly Item[]): void {
    for (const id of items.map(this.options.id)) {
      this.previews.delete(id);
      if (this.looking?.id !== id) continue;
      this.looking.stop.abort();
      this.looking = undefined;
    }
  }

  /** Asks for more items after a pause in typing. */
  private async findMore(): Promise<void> {
    this.findingMore?.abort();
    this.findingMore = undefined;
    const query = this.list.query.trim();
    if (!this.options.findMore || query.length < FEWEST_SEARCHED) return;
    const finding = new AbortController();
    const { signal } = finding;
    this.findingMore = finding;
    try {
      await delay(PAUSE_MS, undefined, { signal });
      const found = await this.options.findMore(query, signal);
      if (signal.aborted) return;
      this.forgetPreviews(found);
      this.list.add(found);
    } catch (thrown) {
      if (signal.aborted) return;
      this.said = messageOf(thrown);
    }
    this.findingMore = undefined;
    this.at.redraw();
  }

  private choose(): void {
    const { chosen } = this.list;
    if (this.state.kind === "failed") this.reload();
    else if (chosen !== undefined) {
      this.close();
      this.onChoose(chosen);
    }
  }

  private leave(): void {
    this.close();
    this.onCancel();
  }

  private answer(asking: Asking, data: string): void {
    const { keys } = this.at;
    const done = (given?: string) => {
      this.asking = undefined;
      if (given !== undefined) asking.give(given);
    };
    if (keys.is(data, "cancel")) done();
    else if (asking.text === undefined) {
      if (/^[yY]$/.test(data)) done("y");
      else if (/^[nN]$/.test(data)) done();
    } else if (keys.is(data, "choose")) done(asking.text.trim() || undefined);
    else asking.text = typedInto(asking.text, data, keys) ?? asking.text;
  }

  private async fill(signal: AbortSignal): Promise<void> {
    try {
      const items = await this.options.load(signal);
      if (signal.aborted) return;
      const { id, startsAt } = this.options;
      const isFirst = this.list.total === 0;
      if (this.keepsPlaces) this.list.refill(items, id);
      else this.list.fill(items, (a, b) => id(a) === id(b));
      if (isFirst && startsAt) this.list.choose(this.list.items.findIndex(startsAt));
      this.keepsPlaces = false;
      this.state = { kind: "ready" };
      void this.findMore();
    } catch (thrown) {
      if (!signal.aborted) this.fail(thrown);
    }
    this.at.redraw();
  }

  private fail(thrown: unknown): void {
    this.state = { kind: "failed", why: messageOf(thrown) };
    this.at.redraw();
  }

  /** Loads the preview of an item once, and cancels the request for the item before. */
  private look(item: Item): void {
    const id = this.options.id(item);
    if (this.previews.has(id) || this.looking?.id === id) return;
    this.looking?.stop.abort();
    const stop = new AbortController();
    this.looking = { id, stop };
    const kept = (found: string | readonly PreviewPart[]) => {
      if (stop.signal.aborted) return;
      this.previews.set(id, new Preview(found, this.options.previewsEnd));
      this.looking = undefined;
      this.at.redraw();
    };
    Promise.resolve()
      .then(() => this.options.preview?.(item, stop.signal) ?? "")
      .then(kept, (thrown) => kept(messageOf(thrown)));
  }
}
