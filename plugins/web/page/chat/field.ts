import { Store } from "../store.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { type Line, messageOf, written } from "./line.ts";
import { Pictures } from "./pictures.ts";
import type { Running } from "./send.ts";

/** Milliseconds after which a message that the host has not accepted is shown. Most are accepted sooner, and would only flicker. */
const SLOW_MS = 300;

/** Text above the field: the answer of a command, or why something was not done. */
export interface Said {
  text: string;
  isProblem?: boolean;
  /** Set if it only applies while the host cannot be reached. */
  isOfAway?: boolean;
}

/** A message that is sent when the host is back, unless its text is changed before. */
export interface Held {
  text: string;
  running: Running;
}

/**
 * The field of a session, or of one that is about to start. Every component of the session may put text into it. Unsent text is stored as a
 * draft.
 */
export class Field extends Store<Line> {
  /** Shown above the field until the next message, or until it is closed. */
  readonly said = new Store<Said | undefined>(undefined);
  readonly held = new Store<Held | undefined>(undefined);
  /** Messages that were sent, but that the host has not accepted within SLOW_MS. */
  readonly untaken = new Store<readonly string[]>([]);
  /** Pictures for the message. They are not part of the draft. */
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

  /** Makes this the field of another place, such as the session that was started with it. */
  moveTo(place: string): void {
    keepDraft(this.place, "");
    this.place = place;
    keepDraft(place, written(this.get()));
  }

  /** Shows a message as not accepted if the host takes long. */
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

  /** Focuses the field, with the cursor at the end. */
  focus(): void {
    const line = this.get();
    this.set({ ...line, caret: line.text.length });
  }

  /** Inserts text before what is being written, and puts the cursor after it. */
  put(line: Line): void {
    const now = this.get();
    const isEmpty = written(now).trim() === "";
    const text = isEmpty ? line.text : `${written(line)}\n\n${written(now)}`;
    this.set({ ...(isEmpty ? line : messageOf("")), text, caret: isEmpty ? text.length : written(line).length });
  }
}
