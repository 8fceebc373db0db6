import { Store } from "../store.ts";
import type { Line } from "./line.ts";
import type { Suggestion, Suggestions } from "./suggest.ts";

/** A list of suggestions for the text before the cursor. */
export interface Shown extends Suggestions {
  before: string;
  chosen: number;
}

/** Milliseconds between two requests for the same text, while more suggestions may follow. */
const AGAIN_MS = 150;

/** The list of suggestions. A late answer is shown only if it still matches the text before the cursor. */
export class Suggesting {
  readonly shown = new Store<Shown | undefined>(undefined);
  private readonly find: (line: Line, before: string) => Promise<Suggestions | undefined>;
  private wanted: { line: Line; before: string } | undefined;
  private isRunning = false;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(find: Suggesting["find"]) {
    this.find = find;
  }

  /** Requests suggestions, after an earlier request was answered. On a slow connection, requests in between are skipped. */
  ask(line: Line, before: string): void {
    clearTimeout(this.again);
    if (this.shown.get()?.before !== before) this.shown.set(undefined);
    this.wanted = { line, before };
    if (!this.isRunning) void this.run();
  }

  /** The line and the text before the cursor of the last `ask`; undefined after `close`. */
  get asked(): Readonly<{ line: Line; before: string }> | undefined {
    return this.wanted;
  }

  close(): void {
    clearTimeout(this.again);
    this.wanted = undefined;
    this.shown.set(undefined);
  }

  move(by: number): void {
    const shown = this.shown.get();
    if (!shown) return;
    const count = shown.items.length;
    this.shown.set({ ...shown, chosen: (shown.chosen + by + count) % count });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    const asked = this.wanted;
    // Errors are ignored: suggestions are only a help, and a mistake shows when the text is sent.
    const found = asked && (await this.find(asked.line, asked.before).catch(() => undefined));
    this.isRunning = false;
    if (asked && this.wanted === asked) this.show(found, asked);
    else if (this.wanted) await this.run();
  }

  /** Shows suggestions. What was selected in the previous list stays selected. */
  private show(found: Suggestions | undefined, asked: { line: Line; before: string }): void {
    if (found?.isPartial) this.again = setTimeout(() => this.ask(asked.line, asked.before), AGAIN_MS);
    const former = this.shown.get();
    const before = former && former.chosen > 0 ? former.items[former.chosen]?.text : undefined;
    const chosen = Math.max(0, found?.items.findIndex(({ text }) => text === before) ?? 0);
    this.shown.set(found && found.items.length > 0 ? { ...found, before: asked.before, chosen } : undefined);
  }
}

/** The field after a suggestion has replaced what was typed. `after` is the text after the cursor. */
export function taken(line: Line, { before, length }: Shown, { text }: Suggestion): Line {
  const after = line.text.slice(before.length);
  const head = before.slice(0, before.length - length) + text;
  // Avoids a second space between the suggestion and the text after it.
  const rest = text.endsWith(" ") ? after.replace(/^ /, "") : after;
  return { ...line, text: head + rest, caret: head.length };
}
