import { decodePrintableKey } from "@mariozechner/pi-tui/dist/keys.js";
import type { Attachment, Cursor, Field, FieldMode, Submission, Surroundings } from "../parts.ts";
import type { Completing } from "./completing.ts";
import type { Draft } from "./draft.ts";
import type { Unsent } from "./draft-content.ts";
import { editActions } from "./edit-actions.ts";
import { drawField } from "./field-lines.ts";
import type { FieldParts } from "./field-parts.ts";
import type { Sent } from "./history.ts";
import { pastedText } from "./paste.ts";
import { WrittenLine } from "./written-line.ts";

/** The field that the user types in: keys, completions and the draft of the line that is being written. */
export class PromptField implements Field {
  onSubmit: (submission: Submission) => void = () => {};
  onSteer: (submission: Submission) => void = () => {};
  isAnswer = () => false;
  onHelp: () => void = () => {};
  onUnused: (data: string) => void = () => {};
  cursor: Cursor | undefined;
  private readonly at: Surroundings;
  private readonly parts: FieldParts;
  private readonly line: WrittenLine;
  private elsewhere = false;
  private draft: Draft | undefined;

  constructor(at: Surroundings, parts: FieldParts = {}) {
    this.at = at;
    this.parts = parts;
    this.line = new WrittenLine(() => at.rows, parts.history);
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
      this.line.restore(draft.saved);
    }
    former?.close();
    this.at.redraw();
  }

  get text(): string {
    return this.line.area.whole;
  }

  /** Whether there is text that a draft has to store. */
  get hasUnsent(): boolean {
    return this.unsent.text !== "";
  }

  get mode(): FieldMode {
    return this.line.mode;
  }

  get silent(): boolean {
    return this.line.silent;
  }

  get attachments(): readonly Attachment[] {
    return this.line.attachments;
  }

  setText(text: string, mode: FieldMode = "message", silent = false, attachments: readonly Attachment[] = []): void {
    this.line.set(text, mode, silent, attachments);
    this.changed(false);
  }

  putAside(): void {
    const { submission } = this.line;
    if (submission.text.trim() !== "") this.remember(submission);
    this.setText("");
    this.at.redraw();
  }

  leaveHistory(): void {
    if (this.line.leaveHistory()) this.changed(false);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { at, line } = this;
    const { area, mode, silent } = line;
    const drawn = drawField({ area, width, mode, silent, theme: at.theme });
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
    this.line.attach(attachment);
    this.changed(false);
    this.at.redraw();
  }

  private paste(text: string): void {
    const image = this.mode === "message" ? this.parts.imageIn?.(text) : undefined;
    if (image) this.attach(image);
    else this.line.paste(text);
    this.changed(false);
  }

  /** Handles a key that edits the text. Returns false for any other. */
  private write(data: string): boolean {
    const { keys } = this.at;
    const { area } = this.line;
    if (keys.is(data, "send")) return this.send();
    if (keys.is(data, "steer")) return this.submit(this.onSteer);
    if (keys.is(data, "newline")) return this.done(() => area.newline());
    if (keys.is(data, "complete")) return this.completed();
    if (keys.is(data, "openPaste")) return area.openPaste() && this.done(() => {});
    if (keys.is(data, "pasteImage") && this.parts.pasteImage)
      return this.done(() => void this.parts.pasteImage?.(this));
    if (keys.is(data, "editor") && this.parts.editElsewhere) return this.done(() => void this.editElsewhere());
    return this.edit(data) || this.typed(data);
  }

  private edit(data: string): boolean {
    const { at, line } = this;
    const action = editActions.find((each) => at.keys.is(data, each));
    if (action === undefined) return false;
    if (action === "deleteForward" && line.area.isEmpty && at.keys.is(data, "leave")) return false;
    if (!line.recallBy(action)) return this.done(() => line.edit(action));
    this.changed(false);
    return true;
  }

  private typed(data: string): boolean {
    const { line } = this;
    const character = decodePrintableKey(data) ?? data;
    if (/\p{Cc}/u.test(character)) return this.leaveEmptyMode(data);
    const asksForHelp = character === "?" && line.area.isEmpty && line.mode === "message";
    return this.done(() => (asksForHelp ? this.onHelp() : line.type(character)));
  }

  /** Esc turns an empty command or shell line into a message. Returns false for other keys and texts. */
  private leaveEmptyMode(data: string): boolean {
    const { line } = this;
    if (!line.area.isEmpty || line.mode === "message" || !this.at.keys.is(data, "interrupt")) return false;
    return this.done(() => line.enter("message"));
  }

  private done(work: () => void): true {
    const { area } = this.line;
    const before = area.text;
    work();
    this.changed(area.text !== before || this.mode !== "message");
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
    const { line, parts } = this;
    const waiting = parts.waiting?.() ?? [];
    const own = line.area.isEmpty ? [] : [{ text: line.marked, attachments: line.attachments }];
    const all = [...waiting, ...own];
    return {
      text: all.map(({ text }) => text).join("\n\n"),
      pastes: line.area.pastes,
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
    this.completions()?.ask({ mode: this.mode, before: this.line.area.before, wanted });
  }

  /** Passes a key to the list of completions, if one is open. Returns whether the list has used it. */
  private completionTakes(data: string): boolean {
    const { at, line } = this;
    const taken = this.completions()?.take(data, at.keys, { mode: line.mode, before: line.area.before });
    if (taken === undefined || taken === false) return false;
    if (taken === true) return true;
    line.complete(taken.length, taken.text, taken.attachment);
    if (taken.sends) return this.submit(this.onSubmit);
    this.saveDraft();
    this.complete(false);
    return true;
  }

  private send(): boolean {
    const { area } = this.line;
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
    const { submission } = this.line;
    if (submission.text.trim() === "") return true;
    this.remember(submission);
    this.parts.completing?.close();
    this.line.clear();
    this.keepDraft();
    (submission.mode === "message" ? give : this.onSubmit)(submission);
    return true;
  }

  private async editElsewhere(): Promise<void> {
    if (this.elsewhere) return;
    this.elsewhere = true;
    try {
      const text = await this.parts.editElsewhere?.(this.line.area.whole);
      this.line.edited(text);
      this.saveDraft();
    } finally {
      this.elsewhere = false;
      this.at.redraw();
    }
  }
}
