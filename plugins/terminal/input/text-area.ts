import { Editor } from "@mariozechner/pi-tui/dist/components/editor.js";
import { CURSOR_MARKER, type TUI } from "@mariozechner/pi-tui/dist/tui.js";
import { visibleWidth } from "@mariozechner/pi-tui/dist/utils.js";
import type { Cursor } from "../parts.ts";
import { type EditAction, sequences } from "./edit-actions.ts";
import { segmentInParts } from "./graphemes.ts";
import {
  cleanText,
  freeNumber,
  isLong,
  looksMarked,
  markOf,
  marksIn,
  type Pastes,
  withoutMarks,
  written,
} from "./paste.ts";
import { type Breaking, breakBetweenWide } from "./wide-breaks.ts";

segmentInParts();

/** Private members of pi-tui's editor, in the pinned version; text-area.test.ts checks that they exist. */
interface Inside extends Breaking {
  state: { lines: string[]; cursorLine: number; cursorCol: number };
  pastes: Map<number, string>;
  undoStack: { stack: unknown[]; clear(): void };
  lastAction: string | null;
  pushUndoSnapshot(): void;
  setCursorCol(column: number): void;
  isOnFirstVisualLine(): boolean;
  isOnLastVisualLine(): boolean;
}

/** The most undo steps: each one is a copy of the text. */
const MOST_UNDO_STEPS = 200;
/** Invisible characters, and those that change the direction of the text after them. They stay in the text, but are not drawn. */
const UNDRAWN =
  /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0000}-\u{e007f}]/gu;

/** The text as drawn in some width. */
export interface Drawn {
  lines: string[];
  cursor: Cursor;
  /** The number of lines that are scrolled out of view at the top. */
  above: number;
  below: number;
}

/** Editable text of several lines with a cursor, undo and a kill ring: pi-tui's editor, but with pastes as units, and tabs unchanged. */
export class TextArea {
  private readonly editor: Editor;
  private readonly inside: Inside;

  /** `rows` returns the rows of the screen; a long text takes a third of them. */
  constructor(rows: () => number) {
    const screen = {
      terminal: {
        get rows() {
          return rows();
        },
      },
      requestRender() {},
    };
    const plain = (text: string) => text;
    const selectList = {
      selectedPrefix: plain,
      selectedText: plain,
      description: plain,
      scrollInfo: plain,
      noMatch: plain,
    };
    this.editor = new Editor(screen as unknown as TUI, { borderColor: plain, selectList });
    this.editor.focused = true;
    this.inside = this.editor as unknown as Inside;
    breakBetweenWide(this.inside);
  }

  /** The text with marks for long pastes. */
  get text(): string {
    return this.editor.getText();
  }

  /** The text with long pastes written out. */
  get whole(): string {
    return written(this.text, this.pastes);
  }

  /** The long pastes whose marks are in the text, or were before an undo. */
  get pastes(): Pastes {
    return this.inside.pastes;
  }

  get isEmpty(): boolean {
    const { lines } = this.inside.state;
    return lines.length === 1 && lines[0] === "";
  }

  /** The text before and after the cursor, in the cursor's line. */
  get beside(): { before: string; after: string } {
    const { lines, cursorLine, cursorCol } = this.inside.state;
    const line = lines[cursorLine] ?? "";
    return { before: line.slice(0, cursorCol), after: line.slice(cursorCol) };
  }

  /** The whole text before the cursor. */
  get before(): string {
    const { lines, cursorLine } = this.inside.state;
    return [...lines.slice(0, cursorLine), this.beside.before].join("\n");
  }

  get atStart(): boolean {
    const { cursorLine, cursorCol } = this.inside.state;
    return cursorLine === 0 && cursorCol === 0;
  }

  /** Whether the cursor is in the first or last line, as drawn last. */
  get onFirstLine(): boolean {
    return this.inside.isOnFirstVisualLine();
  }
  get onLastLine(): boolean {
    return this.inside.isOnLastVisualLine();
  }

  edit(action: EditAction): void {
    this.editor.handleInput(sequences[action]);
    this.forgetOldSteps();
  }

  /** Inserts a typed character. */
  type(character: string): void {
    this.editor.handleInput(character);
    this.forgetOldSteps();
  }

  newline(): void {
    this.editor.insertTextAtCursor("\n");
    this.forgetOldSteps();
  }

  /** Inserts a paste, or a mark for it if it is long. */
  paste(text: string): void {
    const clean = cleanText(text);
    if (clean === "") return;
    this.insert(isLong(clean) || looksMarked(clean) ? this.marked(clean) : clean);
  }

  /** Replaces the whole text and puts the cursor at its end. Text that looks like the mark of a known paste is not taken for one. */
  set(text: string): void {
    const clean = cleanText(text);
    let number = freeNumber(`${this.text}\n${clean}`, this.pastes);
    const own = withoutMarks(clean, this.pastes, (mark) => this.keep(number++, mark));
    this.replace(0, this.text.length, own);
  }

  /** Restores text together with its pastes. */
  restore(text: string, pastes: Pastes): void {
    for (const [number, paste] of pastes) this.inside.pastes.set(number, cleanText(paste));
    this.replace(0, this.text.length, cleanText(text));
  }

  /** Empties the text, and forgets pastes and undo steps. Killed text can still be yanked. */
  clear(): void {
    this.replace(0, this.text.length, "");
    this.inside.pastes.clear();
    this.forgetSteps();
  }

  /** Forgets all undo steps. */
  forgetSteps(): void {
    this.inside.undoStack.clear();
    this.inside.lastAction = null;
  }

  /** Replaces the last `length` characters before the cursor. */
  replaceBefore(length: number, text: string): void {
    const at = this.before.length;
    this.replace(at - length, at, text);
  }

  /** Replaces the mark at the cursor, else the last mark, by its paste. Returns false when there is none. */
  openPaste(): boolean {
    const marks = marksIn(this.text, this.pastes);
    const cursor = this.before.length;
    const mark = marks.find(({ at, mark }) => at <= cursor && cursor <= at + mark.length) ?? marks.at(-1);
    const paste = mark && this.pastes.get(mark.number);
    if (!mark || paste === undefined) return false;
    this.replace(mark.at, mark.at + mark.mark.length, paste);
    return true;
  }

  render(width: number): Drawn {
    const [top = "", ...rest] = this.editor.render(width);
    const bottom = rest.pop() ?? "";
    const row = Math.max(
      0,
      rest.findIndex((line) => line.includes(CURSOR_MARKER)),
    );
    const [before = "", after = ""] = (rest[row] ?? "").split(CURSOR_MARKER);
    rest[row] = before + withoutBlock(after);
    const hidden = (border: string) => Number(/[↑↓] (\d+)/.exec(border)?.[1] ?? 0);
    return {
      lines: rest.map((line) => line.replaceAll("\t", "   ").replace(UNDRAWN, "").trimEnd()),
      cursor: { row, column: visibleWidth(before) },
      above: hidden(top),
      below: hidden(bottom),
    };
  }

  private marked(text: string): string {
    return this.keep(freeNumber(`${this.text}\n${text}`, this.pastes), text);
  }

  /** Keeps a paste, and returns its mark. */
  private keep(number: number, text: string): string {
    this.inside.pastes.set(number, text);
    return markOf(number, text);
  }

  private insert(text: string): void {
    const at = this.before.length;
    this.replace(at, at, text);
  }

  /** Replaces a part of the text in one undo step, and puts the cursor after it. The editor itself would turn tabs into spaces. */
  private replace(from: number, to: number, by: string): void {
    const { text, inside } = this;
    const before = text.slice(0, from) + by;
    inside.pushUndoSnapshot();
    inside.lastAction = null;
    const lines = before.split("\n");
    inside.state.lines = (before + text.slice(to)).split("\n");
    inside.state.cursorLine = lines.length - 1;
    inside.setCursorCol(lines.at(-1)?.length ?? 0);
    this.forgetOldSteps();
  }

  private forgetOldSteps(): void {
    const { stack } = this.inside.undoStack;
    if (stack.length > MOST_UNDO_STEPS) stack.splice(0, stack.length - MOST_UNDO_STEPS);
  }
}

/** Removes the block that the editor draws at the cursor, where the terminal's own cursor is shown instead. */
function withoutBlock(line: string): string {
  const [begin, end] = ["\x1b[7m", "\x1b[0m"];
  const at = line.indexOf(end);
  return line.startsWith(begin) && at >= 0 ? line.slice(begin.length, at) + line.slice(at + end.length) : line;
}
