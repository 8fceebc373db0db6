import { Store } from "../store.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { type Line, messageOf, written } from "./line.ts";
import { Pictures } from "./pictures.ts";
import type { Running } from "./send.ts";

/** Milliseconds after which a message that the host has not taken is shown: nearly every one is taken sooner, and would only flicker. */
const SLOW_MS = 300;

/** What was answered: what a command says, or why something was not done. */
export interface Said {
  text: string;
  isProblem?: boolean;
  /** It is true only while the host cannot be reached. */
  isOfAway?: boolean;
}

/** A message that is sent as soon as the host is back, unless its text is changed before. */
export interface Held {
  text: string;
  running: Running;
}

/** What is in the field of a session, or of one that is to begin. Whatever shows the session may put text there. What is not sent is kept as a draft. */
export class Field extends Store<Line> {
  /** Stands above the field until the next message, or until it is closed. */
  readonly said = new Store<Said | undefined>(undefined);
  readonly held = new Store<Held | undefined>(undefined);
  /** Messages that were sent, and that the host has not taken for so long that they are shown. */
  readonly untaken = new Store<readonly string[]>([]);
  /** What goes with the message beside its text. It is not kept with the draft. */
  readonly pictures = new Pictures();
  private place: string;

  constructor(place: string) {
    super(messageOf(draftOf(place)));
    this.place = place;
  }

  override set(line: Line): void {
    super.set(line);
    keepDraft(this.place, written(line));
  }

  /** From now on, it is the field of another place, such as that of a session that was begun with it. */
  moveTo(place: string): void {
    keepDraft(this.place, "");
    this.place = place;
    keepDraft(place, written(this.get()));
  }

  /** Shows a message as not taken if it takes the host long. */
  async showUntil<R>(text: string, taken: Promise<R>): Promise<R> {
    const slow = setTimeout(() => this.untaken.set([...this.untaken.get(), text]), SLOW_MS);
    try {
      return await taken;
    } finally {
      clearTimeout(slow);
      const { untaken } = this;
      const at = untaken.get().indexOf(text);
      if (at >= 0) untaken.set(untaken.get().toSpliced(at, 1));
    }
  }

  /** Gives it the keyboard, with the cursor at the end. */
  focus(): void {
    const line = this.get();
    this.set({ ...line, caret: line.text.length });
  }

  /** Puts a text there, before what is being written, and the cursor behind it. */
  put(line: Line): void {
    const now = this.get();
    const isEmpty = written(now).trim() === "";
    const text = isEmpty ? line.text : `${written(line)}\n\n${written(now)}`;
    this.set({ ...(isEmpty ? line : messageOf("")), text, caret: isEmpty ? text.length : written(line).length });
  }
}
