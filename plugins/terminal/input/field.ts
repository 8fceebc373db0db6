import { decodePrintableKey } from "@mariozechner/pi-tui/dist/keys.js";
import type { Attachment, Cursor, Field, FieldMode, Submission, Surroundings } from "../parts.ts";
import { Attachments } from "./attachments.ts";
import type { Completing } from "./completing.ts";
import type { Draft } from "./draft.ts";
import type { Unsent } from "./draft-content.ts";
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
  private readonly attached = new Attachments();
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
      this.attached.replace(draft.saved.attachments);
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

  get silent(): boolean {
    return this.line.isSilent;
  }

  get attachments(): readonly Attachment[] {
    return this.attached.in(this.area.whole);
  }

  setText(text: string, mode: FieldMode = "message", silent = false, attachments: readonly Attachment[] = []): void {
    this.enter(mode, silent);
    this.isTyped = false;
    const hasPictures = this.attached.replace(attachments);
    this.area.set(text);
    // Undo must not bring a text back without its pictures.
    if (hasPictures) this.area.forgetSteps();
    this.changed(false);
  }

  putAside(): void {
    const { area, line, attachments } = this;
    const meant = line.meant(area.whole);
    if (meant.text.trim() !== "") this.remember({ ...meant, ...(line.isSilent && { silent: true }), attachments });
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
    const { at, area, line } = this;
    const drawn = drawField({ area, width, mode: line.current, silent: line.isSilent, theme: at.theme });
    this.cursor = this.elsewhere ? undefined : drawn.cursor;
    return [...drawn.lines, ...(this.completions()?.render(width, at.theme) ?? [])];
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
    this.attached.add(attachment);
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
        ? parts.history?.older(this.written)
        : action === "lineDown" && area.onLastLine
          ? parts.history?.newer()
          : undefined;
    return recalled ? this.recall(recalled) : this.done(() => this.change(action));
  }

  /** The text as it is being written, with attachments that undo would bring back. */
  private get written(): Sent {
    const { mode, area, line, attached } = this;
    return { mode, text: area.text, ...(line.isSilent && { silent: true }), attachments: attached.all };
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
  private recall({ text, mode, silent, own, attachments = [] }: Recalled): true {
    // Undo must not bring the text of a message into a command, or back without its pictures.
    const forgets = this.attached.replace(attachments) || mode !== this.mode;
    this.isTyped = false;
    this.line.enter(mode, silent);
    if (own) this.area.restore(text, this.area.pastes);
    else this.area.set(text);
    if (forgets) this.area.forgetSteps();
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
    const waiting = parts.waiting?.() ?? [];
    const own = area.isEmpty ? [] : [{ text: this.line.mark + area.text, attachments: this.attachments }];
    const all = [...waiting, ...own];
    return {
      text: all.map(({ text }) => text).join("\n\n"),
      pastes: area.pastes,
      attachments: all.flatMap(({ attachments }) => attachments),
      doubtful: parts.doubtful?.() ?? [],
    };
  }

  /** The list of completions. Closes it for an answer that begins with `/` or `!`, which is no command or shell line. */
  private completions(): Completing | undefined {
    const { completing } = this.parts;
    if (this.mode === "message" || !this.isAnswer()) return completing;
    completing?.close();
    return undefined;
  }

  private complete(wanted: boolean): void {
    this.completions()?.ask({ mode: this.mode, before: this.area.before, wanted });
  }

  /** Passes a key to the list of completions, if one is open. Returns whether the list has used it. */
  private completionTakes(data: string): boolean {
    const { at, area, mode } = this;
    const taken = this.completions()?.take(data, at.keys, { mode, before: area.before });
    if (taken === undefined || taken === false) return false;
    if (taken === true) return true;
    this.isTyped = false;
    area.replaceBefore(taken.length, taken.text);
    if (taken.attachment) this.attached.add(taken.attachment);
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
    const attachments = this.attached.in(text);
    if (text.trim() === "") return true;
    this.remember({ mode, text, ...(silent && { silent }), attachments });
    parts.completing?.close();
    area.clear();
    this.enter("message");
    this.attached.replace([]);
    this.keepDraft();
    (mode === "message" ? give : this.onSubmit)({ mode, text, attachments, ...(silent && { silent }) });
    return true;
  }

  private async editElsewhere(): Promise<void> {
    if (this.elsewhere) return;
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
