import { setTimeout as delay } from "node:timers/promises";
import { truncateToWidth, visibleWidth } from "@mariozechner/pi-tui/dist/utils.js";
import { plainText } from "@scorel/kit/text/plain";
import type { Keys } from "../keys.ts";
import type { Attachment, FieldMode } from "../parts.ts";
import type { Theme } from "../theme/theme.ts";

const ROWS = 8;
const WIDEST_LABEL = 40;
/** Milliseconds until completions that are partial are requested again. */
const AGAIN_MS = 50;

/** A request for completions of the text before the cursor. `wanted` when the user has pressed the key for it. */
export interface Asked {
  mode: FieldMode;
  before: string;
  wanted: boolean;
}

/** A possible completion. */
export interface Suggestion {
  /** The text to insert. */
  text: string;
  /** Shown in the list instead of `text`. */
  label?: string;
  detail?: string;
  attachment?: Attachment;
  /** The typed text names this item and no other, so Enter also sends the line. */
  isNamed?: boolean;
}

/** A suggestion to insert in place of the last `length` characters before the cursor. With `sends`, the line is then sent. */
export interface Taken extends Suggestion {
  length: number;
  sends: boolean;
}

/** Completions that replace the last `length` characters before the cursor. */
export interface Suggestions {
  length: number;
  items: readonly Suggestion[];
  /** The list is not complete yet, so it is requested again soon. */
  isPartial?: boolean;
  /** A line below the items. */
  note?: string;
}

/** Finds completions. Returns undefined for texts that it does not complete. */
export type Source = (asked: Asked, signal: AbortSignal) => Promise<Suggestions | undefined> | undefined;

type Now = Pick<Asked, "mode" | "before">;

/** The list of completions below a field. A list that comes late is shown only if the text before the cursor is still the same. */
export class Completing {
  /** Called when a list is ready to be shown. */
  onReady: () => void = () => {};
  private readonly sources: readonly Source[];
  private list: (Suggestions & { asked: Now; chosen: number }) | undefined;
  private next: Asked | undefined;
  private running: AbortController | undefined;

  constructor(sources: readonly Source[]) {
    this.sources = sources;
  }

  /** Requests completions. One request runs at a time; of those that come meanwhile, only the last one is made, for slow connections. */
  ask(asked: Asked): void {
    if (this.list && !isSame(this.list.asked, asked)) this.list = undefined;
    this.next = asked;
    if (!this.running) void this.run();
  }

  close(): void {
    this.list = undefined;
    this.next = undefined;
    this.running?.abort();
  }

  /** Handles a key. Returns true if it moved in the list, a suggestion to insert, or false if the key is not for the list. */
  take(data: string, keys: Keys, now: Now): boolean | Taken {
    const { list } = this;
    if (!list || !isSame(list.asked, now)) return false;
    if (list.items.length === 0 && !keys.is(data, "interrupt")) return false;
    if (keys.is(data, "down")) return this.move(1);
    if (keys.is(data, "up")) return this.move(-1);
    if (keys.is(data, "pageDown")) return this.page(1);
    if (keys.is(data, "pageUp")) return this.page(-1);
    if (keys.is(data, "interrupt")) {
      this.close();
      return true;
    }
    const chosen = list.items[list.chosen];
    if (!chosen || !(keys.is(data, "complete") || keys.is(data, "choose"))) return false;
    const typed = now.before.slice(now.before.length - list.length);
    // Enter sends text that is typed out already, rather than inserting it.
    if (keys.is(data, "choose") && chosen.text.trimEnd() === typed) return false;
    this.close();
    return { ...chosen, length: list.length, sends: keys.is(data, "choose") && chosen.isNamed === true };
  }

  render(width: number, theme: Theme): string[] {
    const { list } = this;
    if (!list) return [];
    const first = Math.max(0, Math.min(list.chosen - (ROWS >> 1), list.items.length - ROWS));
    const shown = list.items.slice(first, first + ROWS).map(({ text, label = text, detail = "" }) => ({
      label: truncateToWidth(drawable(label), Math.min(WIDEST_LABEL, Math.max(1, width - 2)), "…"),
      detail: drawable(detail),
    }));
    const column = Math.max(0, ...shown.map(({ label }) => visibleWidth(label)));
    const rows = shown.map(({ label, detail }, index) => {
      const pad = " ".repeat(column - visibleWidth(label) + 2);
      const room = width - column - 4;
      const about = room > 8 && detail !== "" ? pad + theme.style("muted", truncateToWidth(detail, room, "…")) : "";
      const isChosen = first + index === list.chosen;
      return isChosen ? theme.style("selected", `› ${label}`) + about : `  ${label}${about}`;
    });
    const count = list.items.length > ROWS ? [theme.style("muted", `  ${list.chosen + 1}/${list.items.length}`)] : [];
    const note = list.note === undefined ? [] : [theme.style("muted", truncateToWidth(`  ${list.note}`, width, "…"))];
    return [...rows, ...count, ...note];
  }

  private move(by: number): true {
    const { list } = this;
    if (list) list.chosen = (list.chosen + by + list.items.length) % list.items.length;
    return true;
  }

  private page(by: number): true {
    const { list } = this;
    if (list) list.chosen = Math.max(0, Math.min(list.chosen + by * ROWS, list.items.length - 1));
    return true;
  }

  private async run(): Promise<void> {
    const { next } = this;
    this.next = undefined;
    if (!next) return;
    const running = new AbortController();
    this.running = running;
    const found = await this.find(next, running.signal);
    if (!this.next && !running.signal.aborted) {
      this.show(found, next);
      if (found?.isPartial) {
        await delay(AGAIN_MS);
        if (!running.signal.aborted) this.next ??= next;
      }
    }
    this.running = undefined;
    if (this.next) return this.run();
  }

  /** Shows suggestions. An item that was chosen in the former list stays chosen. */
  private show(found: Suggestions | undefined, asked: Asked): void {
    const { list } = this;
    const before = list && isSame(list.asked, asked) && list.chosen > 0 ? list.items[list.chosen] : undefined;
    const chosen = Math.max(0, found?.items.findIndex(({ text }) => text === before?.text) ?? 0);
    const isShown = found && (found.items.length > 0 || found.note !== undefined);
    this.list = isShown ? { ...found, asked, chosen } : undefined;
    this.onReady();
  }

  private async find(asked: Asked, signal: AbortSignal): Promise<Suggestions | undefined> {
    for (const source of this.sources) {
      try {
        const found = await source(asked, signal);
        if (found) return found;
      } catch {
        // Without completions one can still type; the error shows when the text is sent.
      }
    }
    return undefined;
  }
}

function isSame(a: Now, b: Now): boolean {
  return a.mode === b.mode && a.before === b.before;
}

function drawable(text: string): string {
  return plainText(text).replace(/\s+/g, " ");
}
