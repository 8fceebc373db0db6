import { decodePrintableKey } from "@mariozechner/pi-tui/dist/keys.js";
import type { Attachment, Cursor, Field, FieldMode, Submission, Surroundings } from "../parts.ts";
import { Attachments } from "./attachments.ts";
import type { Draft, Unsent } from "./draft.ts";
import { type EditAction, editActions } from "./edit-actions.ts";
import { drawField } from "./field-lines.ts";
import type { FieldParts } from "./field-parts.ts";
import type { Sent } from "./history.ts";
import type { Recalled } from "./history-walk.ts";
import { LineMode } from "./line-mode.ts";
import { pastedText } from "./paste.ts";
import { TextArea } from "./text-area.ts";

/**
 * The field that the user types in. Its text is a command or shell line only if `/` or `!` was typed as the first character of the empty
 * field, or if `/` was typed before text that was typed completely. Any other text is a message, whatever it begins with.
 */
export class PromptField implements Field {
  onSubmit: (submission: Submission) => void = () => {};
  onSteer: (submission: Submission) => void = () => {};
  isAnswer = () => false;
  onHelp: () => void = () => {};
  onUnused: (data: string) => void = () => {};
  cursor: Cursor | undefined;
  private readonly at: Surroundings;
  private readonly parts: FieldParts;
  private readonly area: TextArea;
  private readonly line = new LineMode();
  private readonly attachments = new Attachments();
  private elsewhere = false;
  /** Whether all of the text was typed: nothing was pasted, recalled or completed. */
  private isTyped = true;
  private draft: Draft | undefined;

  constructor(at: Surroundings, parts: FieldParts = {}) {
    this.at = at;
    this.parts = parts;
    this.area = new TextArea(() => at.rows);
    if (parts.completing) parts.completing.onReady = () => at.redraw();
    this.useDraft(parts.draft);
  }

  /**
   * Stores the text in this draft from now on, as when another session is shown, and restores the text that an earlier process left in it.
   * Removes the former draft if its text is stored here: the next terminal would restore it, too.
   */
  useDraft(draft: Draft | undefined): void {
    const former = this.draft;
    this.draft = draft;
    if (draft && this.hasUnsent) {
      this.saveDraft();
      former?.clear();
    } else if (draft?.saved) {
      this.enter("message");
      this.isTyped = false;
      this.area.restore(draft.saved.text, draft.saved.pastes);
      this.area.forgetSteps();
    }
    former?.close();
    this.at.redraw();
  }

  get text(): string {
    return this.area.whole;
  }

  /** Whether there is text that a draft has to store. */
  get hasUnsent(): boolean {
    return this.unsent.text !== "";
  }

  get mode(): FieldMode {
    return this.line.current;
  }

  setText(text: string, mode: FieldMode = "message", silent = false): void {
    this.enter(mode, silent);
    this.isTyped = false;
    this.area.set(text);
    this.changed(false);
  }

  putAside(): void {
    const { area, line } = this;
    const meant = line.meant(area.whole);
    if (meant.text.trim() !== "") this.remember({ ...meant, ...(line.isSilent && { silent: true }) });
    this.setText("");
    this.at.redraw();
  }

  /** Restores the text that was being written before an entry of the history was recalled. */
  leaveHistory(): void {
    const own = this.parts.history?.toOwn(this.area.text);
    if (own) this.recall(own);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { at, area, parts, line } = this;
    const drawn = drawField({ area, width, mode: line.current, silent: line.isSilent, theme: at.theme });
    this.cursor = this.elsewhere ? undefined : drawn.cursor;
    return [...drawn.lines, ...(parts.completing?.render(width, at.theme) ?? [])];
  }

  handleInput(data: string): void {
    const pasted = pastedText(data);
    if (pasted !== undefined) this.paste(pasted);
    else if (!this.completionTakes(data) && !this.write(data)) this.onUnused(data);
    this.at.redraw();
  }

  async close(): Promise<void> {
    this.parts.completing?.close();
    this.draft?.close();
  }

  /** Attaches a file, and inserts its mark into the text. */
  attach(attachment: Attachment): void {
    this.attachments.add(attachment);
    this.isTyped = false;
    this.area.paste(attachment.mark);
    this.area.type(" ");
    this.changed(false);
    this.at.redraw();
  }

  private paste(text: string): void {
    this.isTyped = false;
    const image = this.mode === "message" ? this.parts.imageIn?.(text) : undefined;
    if (image) this.attach(image);
    else this.area.paste(text);
    this.changed(false);
  }

  /** Handles a key that edits the text. Returns false for any other. */
  private write(data: string): boolean {
    const { keys } = this.at;
    if (keys.is(data, "send")) return this.send();
    if (keys.is(data, "steer")) return this.submit(this.onSteer);
    if (keys.is(data, "newline")) return this.done(() => this.area.newline());
    if (keys.is(data, "complete")) return this.completed();
    if (keys.is(data, "openPaste")) return this.area.openPaste() && this.done(() => {});
    if (keys.is(data, "pasteImage") && this.parts.pasteImage)
      return this.done(() => void this.parts.pasteImage?.(this));
    if (keys.is(data, "editor") && this.parts.editElsewhere) return this.done(() => void this.editElsewhere());
    return this.edit(data) || this.typed(data);
  }

  private edit(data: string): boolean {
    const { at, area, parts } = this;
    const action = editActions.find((each) => at.keys.is(data, each));
    if (action === undefined) return false;
    if (action === "deleteForward" && area.isEmpty && at.keys.is(data, "leave")) return false;
    if (action === "deleteBackward" && area.atStart && this.mode !== "message") return this.done(() => this.back());
    const recalled =
      action === "lineUp" && area.onFirstLine
        ? parts.history?.older({ mode: this.mode, text: area.text, ...(this.line.isSilent && { silent: true }) })
        : action === "lineDown" && area.onLastLine
          ? parts.history?.newer()
          : undefined;
    return recalled ? this.recall(recalled) : this.done(() => this.change(action));
  }

  /** Edits the text. A command or shell line whose text is deleted in one step becomes a message, so that what is typed next is not run. */
  private change(action: EditAction): void {
    const { area } = this;
    if (["yank", "yankOlder", "undo"].includes(action)) this.isTyped = false;
    const wasEmpty = area.isEmpty;
    area.edit(action);
    const isByCharacter = action === "deleteBackward" || action === "deleteForward";
    if (this.mode !== "message" && area.isEmpty && !wasEmpty && !isByCharacter) this.enter("message");
  }

  /** Shows an entry of the history, in the mode in which it was sent. */
  private recall({ text, mode, silent, own }: Recalled): true {
    const isSame = mode === this.mode;
    this.isTyped = false;
    this.line.enter(mode, silent);
    if (own) this.area.restore(text, this.area.pastes);
    else this.area.set(text);
    // Undo must not bring the text of a message into a command.
    if (!isSame) this.area.forgetSteps();
    this.changed(false);
    return true;
  }

  private typed(data: string): boolean {
    const { area } = this;
    const character = decodePrintableKey(data) ?? data;
    if (/\p{Cc}/u.test(character)) return this.leaveEmptyMode(data);
    if (!area.isEmpty) return this.done(() => this.typedInto(character));
    this.isTyped = true;
    if (this.mode === "message" && character === "?") return this.done(() => this.onHelp());
    const begun = this.line.begunBy(character);
    return this.done(() => {
      if (begun !== undefined) this.enter(begun);
      else if (!this.line.takesMark(character)) area.type(character);
    });
  }

  /** Inserts a character. A `/` before text that was typed completely makes it a command, as if it had been typed first. */
  private typedInto(character: string): void {
    const { area, isTyped, mode } = this;
    if (character === "/" && mode === "message" && isTyped && area.atStart) this.enter("command");
    else area.type(character);
  }

  /** Esc turns an empty command or shell line into a message. Returns false for other keys and texts. */
  private leaveEmptyMode(data: string): boolean {
    if (!this.area.isEmpty || this.mode === "message" || !this.at.keys.is(data, "interrupt")) return false;
    return this.done(() => this.enter("message"));
  }

  /** Backspace at the start of the text: `!!` becomes `!`, and any other command or shell line a message. */
  private back(): void {
    if (this.line.isSilent) this.line.isSilent = false;
    else this.enter("message");
  }

  private enter(mode: FieldMode, silent = false): void {
    this.line.enter(mode, silent);
    // Undo must not bring the text of a message into a command.
    this.area.forgetSteps();
    this.parts.history?.leave();
  }

  private done(work: () => void): true {
    const before = this.area.text;
    work();
    this.changed(this.area.text !== before || this.mode !== "message");
    return true;
  }

  private changed(asked: boolean): void {
    this.saveDraft();
    if (asked) this.complete(false);
    else this.parts.completing?.close();
  }

  private completed(): true {
    this.complete(true);
    return true;
  }

  keepDraft(): void {
    this.draft?.change(this.unsent, true);
  }

  private saveDraft(): void {
    this.draft?.change(this.unsent);
  }

  /** The texts that are not sent: those that wait for the host, and the one that is being written. */
  private get unsent(): Unsent {
    const { area, parts } = this;
    const own = area.isEmpty ? "" : this.line.mark + area.text;
    const waiting = parts.waiting?.() ?? [];
    const text = [...waiting, ...(own === "" ? [] : [own])].join("\n\n");
    return { text, pastes: area.pastes, doubtful: parts.doubtful?.() ?? [] };
  }

  private complete(wanted: boolean): void {
    this.parts.completing?.ask({ mode: this.mode, before: this.area.before, wanted });
  }

  /** Passes a key to the list of completions, if one is open. Returns whether the list has used it. */
  private completionTakes(data: string): boolean {
    const { parts, at, area, mode } = this;
    const taken = parts.completing?.take(data, at.keys, { mode, before: area.before });
    if (taken === undefined || taken === false) return false;
    if (taken === true) return true;
    this.isTyped = false;
    area.replaceBefore(taken.length, taken.text);
    if (taken.attachment) this.attachments.add(taken.attachment);
    this.saveDraft();
    this.complete(false);
    return true;
  }

  private send(): boolean {
    const { area } = this;
    if (area.beside.before.endsWith("\\"))
      return this.done(() => {
        area.edit("deleteBackward");
        area.newline();
      });
    return this.submit(this.onSubmit);
  }

  /** Stores a text in the history, unless it answers a question. */
  private remember(sent: Sent): void {
    const { history } = this.parts;
    if (this.isAnswer()) history?.leave();
    else history?.add(sent);
  }

  private submit(give: (submission: Submission) => void): true {
    const { area, parts } = this;
    const silent = this.line.isSilent;
    const { mode, text } = this.line.meant(area.whole);
    const attachments = this.attachments.in(text);
    if (text.trim() === "") return true;
    this.remember({ mode, text, ...(silent && { silent }) });
    parts.completing?.close();
    area.clear();
    this.enter("message");
    this.attachments.clear();
    this.keepDraft();
    (mode === "message" ? give : this.onSubmit)({ mode, text, attachments, ...(silent && { silent }) });
    return true;
  }

  private async editElsewhere(): Promise<void> {
    this.elsewhere = true;
    try {
      const text = await this.parts.editElsewhere?.(this.area.whole);
      this.isTyped = false;
      if (text !== undefined) this.area.set(text);
      this.saveDraft();
    } finally {
      this.elsewhere = false;
      this.at.redraw();
    }
  }
}
