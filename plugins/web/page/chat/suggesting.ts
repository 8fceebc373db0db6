import { Store } from "../store.ts";
import type { Line } from "./line.ts";
import type { Suggestion, Suggestions } from "./suggest.ts";

/** A list of suggestions for the text before the cursor. */
export interface Shown extends Suggestions {
  before: string;
  chosen: number;
}

/** Milliseconds between two questions about the same text, while more may come. */
const AGAIN_MS = 150;

/** The list of suggestions. One that comes late is shown only if it is still about the text before the cursor. */
export class Suggesting {
  readonly shown = new Store<Shown | undefined>(undefined);
  private readonly find: (line: Line, before: string) => Promise<Suggestions | undefined>;
  private wanted: { line: Line; before: string } | undefined;
  private isRunning = false;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(find: Suggesting["find"]) {
    this.find = find;
  }

  /** Asks for suggestions, after the answer to an earlier question has come: on a slow line, questions in between are left out. */
  ask(line: Line, before: string): void {
    clearTimeout(this.again);
    if (this.shown.get()?.before !== before) this.shown.set(undefined);
    this.wanted = { line, before };
    if (!this.isRunning) void this.run();
  }

  /** What was asked last; undefined after `close`. */
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
    // A help only: what is wrong shows when the text is sent.
    const found = asked && (await this.find(asked.line, asked.before).catch(() => undefined));
    this.isRunning = false;
    if (asked && this.wanted === asked) this.show(found, asked);
    else if (this.wanted) await this.run();
  }

  /** Shows what was found. What was chosen of an earlier answer stays chosen. */
  private show(found: Suggestions | undefined, asked: { line: Line; before: string }): void {
    if (found?.isPartial) this.again = setTimeout(() => this.ask(asked.line, asked.before), AGAIN_MS);
    const former = this.shown.get();
    const before = former && former.chosen > 0 ? former.items[former.chosen]?.text : undefined;
    const chosen = Math.max(0, found?.items.findIndex(({ text }) => text === before) ?? 0);
    this.shown.set(found && found.items.length > 0 ? { ...found, before: asked.before, chosen } : undefined);
  }
}

/** The field with a suggestion in the place of what was typed. `after` is the text behind the cursor. */
export function taken(line: Line, { before, length }: Shown, { text }: Suggestion): Line {
  const after = line.text.slice(before.length);
  const head = before.slice(0, before.length - length) + text;
  // The text goes on behind one space.
  const rest = text.endsWith(" ") ? after.replace(/^ /, "") : after;
  return { ...line, text: head + rest, caret: head.length };
}
