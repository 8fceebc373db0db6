import { Store } from "../store.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { type Line, messageOf, written } from "./line.ts";
import { type Picture, Pictures } from "./pictures.ts";
import type { Running } from "./send.ts";
import { Submitting } from "./submitting.ts";

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

/** An earlier message that is being changed. */
export interface Edited {
  /** The event before the message, to which sending goes back. */
  targetEventId: string | null;
  /** The message as it was. */
  text: string;
  /** The text and pictures that were in the field before. They return when the editing ends. */
  before: { line: Line; pictures: readonly Picture[] };
}

/**
 * The field of a session, or of one that is about to start. Every component of the session may put text into it. Unsent text is stored as a
 * draft.
 */
export class Field extends Store<Line> {
  /** Shown above the field until the next message, or until it is closed. */
  readonly said = new Store<Said | undefined>(undefined);
  readonly held = new Store<Held | undefined>(undefined);
  readonly edited = new Store<Edited | undefined>(undefined);
  /** Messages that were sent, but that the host has not accepted within SLOW_MS. */
  readonly untaken = new Store<readonly string[]>([]);
  /** Pictures for the message. They are not part of the draft. */
  readonly pictures = new Pictures();
  /** Number of messages, commands and other requests from the field that the host has not answered yet. */
  readonly busy = new Store(0);
  readonly submitting = new Submitting();
  /** Number of messages and shell lines that were sent. */
  readonly sendings = new Store(0);
  private readonly sent: string[] = [];
  private adding: Promise<unknown> = Promise.resolve();
  /** Number of times that files were given which are not read yet. */
  private reading = 0;
  private at: string;

  constructor(place: string) {
    super(messageOf(draftOf(place)));
    this.at = place;
  }

  /** The session, or the one that is about to start, for which the draft is stored. */
  get place(): string {
    return this.at;
  }

  /** Whether the draft is all that there is, so that nothing is lost with the field. */
  get isDraft(): boolean {
    const isText = this.pictures.get().length === 0 && this.edited.get() === undefined;
    return this.isAtRest && !this.isReading && this.said.get() === undefined && isText;
  }

  /** Whether files that were chosen are not part of the message yet. */
  get isReading(): boolean {
    return this.reading > 0;
  }

  private get isAtRest(): boolean {
    return this.busy.get() === 0 && this.held.get() === undefined;
  }

  override set(line: Line): void {
    const isChanged = written(line) !== written(this.get());
    super.set(line);
    this.keep();
    if (isChanged) this.submitting.withhold("changed");
  }

  /** Appends the text of a file to the message, of which it is a part also if the message was submitted before. */
  append(added: string): void {
    const { text } = this.get();
    const whole = text.trim() === "" ? added : `${text.trimEnd()}\n\n${added}`;
    super.set({ ...messageOf(whole), caret: whole.length });
    this.keep();
  }

  /**
   * Stores the draft. Messages that the host has not accepted yet are a part of it, so that they are not lost if the browser ends the page
   * before, as phones do. So is what was written before an earlier message is edited.
   */
  private keep(): void {
    const { before, text } = this.edited.get() ?? {};
    const now = written(this.get());
    const texts = [...this.sent, before ? written(before.line) : "", now === text ? "" : now];
    keepDraft(this.at, texts.filter((text) => text.trim() !== "").join("\n\n"));
  }

  /** Makes this the field of another place, such as the session that was started with it. */
  moveTo(place: string): void {
    keepDraft(this.at, "");
    this.at = place;
    this.keep();
  }

  /** Adds files to the message, after those that are being read already. */
  async add(files: () => Promise<void>): Promise<void> {
    this.reading++;
    const added = this.adding.then(files).finally(() => this.reading--);
    this.adding = added.catch(() => {});
    await added;
  }

  /** Resolves when all files that were chosen are part of the message. What is sent before would go without them. */
  async whole(): Promise<void> {
    await this.adding;
  }

  /** Runs `work`, whose result goes into the field: until then, the field is busy. */
  async during<R>(work: () => Promise<R>): Promise<R> {
    this.busy.set(this.busy.get() + 1);
    try {
      return await work();
    } finally {
      this.busy.set(this.busy.get() - 1);
    }
  }

  /** Resolves when nothing is held, and the host has answered everything. */
  async rest(): Promise<void> {
    while (!this.isAtRest)
      await new Promise<void>((resolve) => {
        const ends = [this.busy, this.held].map((store) => store.subscribe(changed));
        function changed() {
          for (const end of ends) end();
          resolve();
        }
      });
  }

  /** Keeps a message in the draft until the host has accepted it. */
  async keepUntil<R>(text: string, taken: Promise<R>): Promise<R> {
    this.sent.push(text);
    this.keep();
    try {
      return await taken;
    } finally {
      this.sent.splice(this.sent.indexOf(text), 1);
      this.keep();
    }
  }

  /** Like `keepUntil`, and shows the message as not accepted if the host takes long. */
  async showUntil<R>(text: string, taken: Promise<R>): Promise<R> {
    const slow = setTimeout(() => this.untaken.set([...this.untaken.get(), text]), SLOW_MS);
    try {
      return await this.keepUntil(text, taken);
    } finally {
      clearTimeout(slow);
      const { untaken } = this;
      const at = untaken.get().indexOf(text);
      if (at >= 0) untaken.set(untaken.get().toSpliced(at, 1));
    }
  }

  /**
   * Puts an earlier message into the field. What is there returns by `endEdit`. `original` is the message as it was, if its text was changed
   * already.
   */
  edit(targetEventId: string | null, text: string, pictures: readonly Picture[], original = text): void {
    const before = this.edited.get()?.before ?? { line: this.get(), pictures: this.pictures.get() };
    this.edited.set({ targetEventId, text: original, before });
    this.pictures.set(pictures);
    this.set({ ...messageOf(text), caret: text.length });
  }

  /** Puts back what was in the field before an earlier message was edited. */
  endEdit(): void {
    const { before } = this.edited.get() ?? {};
    if (!before) return;
    this.edited.set(undefined);
    this.pictures.set(before.pictures);
    this.set({ ...before.line, caret: before.line.text.length });
  }

  /** Focuses the field, with the cursor at the end. */
  focus(): void {
    const line = this.get();
    this.set({ ...line, caret: line.text.length });
  }

  /** Forgets where the cursor was to move, so that the field does not take the focus when it is shown again. */
  blur(): void {
    const { caret, ...line } = this.get();
    if (caret !== undefined) super.set(line);
  }

  /** Inserts text before what is being written, and puts the cursor after it. */
  put(line: Line): void {
    const now = this.get();
    const isEmpty = written(now).trim() === "";
    const text = isEmpty ? line.text : `${written(line)}\n\n${written(now)}`;
    this.set({ ...(isEmpty ? line : messageOf("")), text, caret: isEmpty ? text.length : written(line).length });
  }
}
