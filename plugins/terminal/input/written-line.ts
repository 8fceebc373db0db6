import type { Attachment, FieldMode, Submission } from "../parts.ts";
import { Attachments } from "./attachments.ts";
import type { Unsent } from "./draft-content.ts";
import type { EditAction } from "./edit-actions.ts";
import type { Sent } from "./history.ts";
import type { HistoryWalk, Recalled } from "./history-walk.ts";
import { LineMode } from "./line-mode.ts";
import { TextArea } from "./text-area.ts";

/**
 * The line that is being written in a field: its mode, its text, and what is attached to it. It is a command or shell line only if `/` or
 * `!` was typed as the first character of the empty line, or if `/` was typed before text that was typed completely. Any other text is a
 * message, whatever it begins with.
 */
export class WrittenLine {
  readonly area: TextArea;
  private readonly history: HistoryWalk | undefined;
  private readonly line = new LineMode();
  private readonly attached = new Attachments();
  /** Whether all of the text was typed: nothing was pasted, recalled or completed. */
  private isTyped = true;

  /** `rows` returns the rows of the screen. */
  constructor(rows: () => number, history: HistoryWalk | undefined) {
    this.area = new TextArea(rows);
    this.history = history;
  }

  get mode(): FieldMode {
    return this.line.current;
  }

  get silent(): boolean {
    return this.line.isSilent;
  }

  /** The attachments whose marks are in the text. */
  get attachments(): readonly Attachment[] {
    return this.attached.in(this.area.whole);
  }

  /** The text after the characters that stand for its mode, with marks for long pastes. */
  get marked(): string {
    return this.line.mark + this.area.text;
  }

  /** The entry to submit: the mode, the text with long pastes written out, and the attachments. */
  get submission(): Submission & Sent {
    const { silent, attachments } = this;
    return { ...this.line.meant(this.area.whole), attachments, ...(silent && { silent: true as const }) };
  }

  /** Replaces all of it. */
  set(text: string, mode: FieldMode, silent: boolean, attachments: readonly Attachment[]): void {
    this.enter(mode, silent);
    this.isTyped = false;
    const hasPictures = this.attached.replace(attachments);
    this.area.set(text);
    // Undo must not bring a text back without its pictures.
    if (hasPictures) this.area.forgetSteps();
  }

  /** Restores a draft, as a message. */
  restore({ text, pastes, attachments }: Unsent): void {
    this.enter("message");
    this.isTyped = false;
    this.attached.replace(attachments);
    this.area.restore(text, pastes);
    this.area.forgetSteps();
  }

  /** Empties the line, and forgets what undo would bring back. */
  clear(): void {
    this.area.clear();
    this.enter("message");
    this.attached.replace([]);
  }

  /** Attaches a file, and inserts its mark into the text. */
  attach(attachment: Attachment): void {
    this.attached.add(attachment);
    this.paste(attachment.mark);
    this.area.type(" ");
  }

  paste(text: string): void {
    this.isTyped = false;
    this.area.paste(text);
  }

  /** Replaces the last `length` characters before the cursor by a completion, which may attach a file. */
  complete(length: number, text: string, attachment: Attachment | undefined): void {
    this.isTyped = false;
    this.area.replaceBefore(length, text);
    if (attachment) this.attached.add(attachment);
  }

  /** Replaces the text by what another editor made of it. */
  edited(text: string | undefined): void {
    this.isTyped = false;
    if (text !== undefined) this.area.set(text);
  }

  /** Types a character. A `/` before text that was typed completely makes it a command, as if it had been typed first. */
  type(character: string): void {
    const { area, line } = this;
    if (area.isEmpty) {
      this.isTyped = true;
      const begun = line.begunBy(character);
      if (begun !== undefined) this.enter(begun);
      else if (!line.takesMark(character)) area.type(character);
    } else if (character === "/" && this.mode === "message" && this.isTyped && area.atStart) this.enter("command");
    else area.type(character);
  }

  /** Edits the text, or the characters before it that stand for its mode. */
  edit(action: EditAction): void {
    const isAtMark = action === "deleteBackward" && this.area.atStart && this.mode !== "message";
    if (isAtMark) this.deleteMark();
    else this.editText(action);
  }

  /** Shows another entry of the history, if the key moves the cursor up or down and out of the text. Returns whether it did. */
  recallBy(action: EditAction): boolean {
    const { area, history } = this;
    if (action === "lineUp" && area.onFirstLine) return this.recall(history?.older(this.own));
    if (action === "lineDown" && area.onLastLine) return this.recall(history?.newer());
    return false;
  }

  /** Shows the text that was being written before an entry of the history was recalled. Returns whether one was shown. */
  leaveHistory(): boolean {
    return this.recall(this.history?.toOwn(this.area.text));
  }

  enter(mode: FieldMode, silent = false): void {
    this.line.enter(mode, silent);
    // Undo must not bring the text of a message into a command.
    this.area.forgetSteps();
    this.history?.leave();
  }

  /** The line as it is written, with attachments that undo would bring back. */
  private get own(): Sent {
    const { mode, area, silent, attached } = this;
    return { mode, text: area.text, ...(silent && { silent: true as const }), attachments: attached.all };
  }

  /** Shows an entry of the history, in the mode in which it was sent. */
  private recall(recalled: Recalled | undefined): boolean {
    if (!recalled) return false;
    const { area } = this;
    const { text, mode, silent, own, attachments = [] } = recalled;
    // Undo must not bring the text of a message into a command, or back without its pictures.
    const forgets = this.attached.replace(attachments) || mode !== this.mode;
    this.isTyped = false;
    this.line.enter(mode, silent);
    if (own) area.restore(text, area.pastes);
    else area.set(text);
    if (forgets) area.forgetSteps();
    return true;
  }

  /** Edits the text. A command or shell line whose text is deleted in one step becomes a message, so that what is typed next is not run. */
  private editText(action: EditAction): void {
    const { area } = this;
    if (["yank", "yankOlder", "undo"].includes(action)) this.isTyped = false;
    const wasEmpty = area.isEmpty;
    area.edit(action);
    const isByCharacter = action === "deleteBackward" || action === "deleteForward";
    if (this.mode !== "message" && area.isEmpty && !wasEmpty && !isByCharacter) this.enter("message");
  }

  /** Deletes the last character that stands for the mode: `!!` becomes `!`, and any other command or shell line a message. */
  private deleteMark(): void {
    if (this.line.isSilent) this.line.isSilent = false;
    else this.enter("message");
  }
}
