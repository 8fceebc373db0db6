import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { columnsOf } from "@scorel/kit/terminal/size";
import { plainText } from "@scorel/kit/text/plain";
import { PastedTexts } from "./pasted-texts.ts";

const PROMPT = "> ";

/** A line that was entered. */
export interface Entered {
  text: string;
  /** Whether it begins with pasted text, so that it is a message and never a command. */
  isLiteral: boolean;
}

/** The line being typed at the bottom of the screen. It is hidden while output is written above it. */
export class TypedLine {
  private readonly lines: Interface;
  private readonly output: Writable & { columns?: number };
  /** True while a line is expected. */
  private wanted = false;
  private visible = false;
  private ended = false;
  /** True while the cursor is after text that the line would overwrite. */
  private isBehindText = false;
  /** Status texts shown before the prompt. */
  private standing = "";
  /** The line that was being typed when a question appeared, and whether one was expected. */
  private before: { line: string; wanted: boolean; isLiteral: boolean } | undefined;
  /** Whether the question can be answered. */
  private isAnswerable = false;
  private readonly pasted = new PastedTexts();
  /** Whether the line begins with pasted text. */
  private isLiteral = false;

  constructor(lines: Interface, output: Writable & { columns?: number }) {
    this.lines = lines;
    this.output = output;
  }

  /** Expects a line from now on; if a question is shown, after its end. */
  want(): void {
    if (this.before) {
      this.before.wanted = true;
      this.again();
      return;
    }
    this.wanted = true;
    this.show();
  }

  /** Shows status texts before the prompt. Returns whether they are visible. */
  showStatus(words: readonly string[]): boolean {
    const text = plainText(words.join(" · "));
    const room = Math.floor(columnsOf(this.output) / 2);
    this.standing = text === "" ? "" : `[${text.length > room ? `${text.slice(0, room - 1)}…` : text}] `;
    if (this.before) return false;
    const { visible } = this;
    this.hide();
    this.lines.setPrompt(`${this.standing}${PROMPT}`);
    if (visible) this.show();
    return visible;
  }

  /** Shows the prompt of the displayed question again. */
  again(): void {
    if (!this.before || !this.isAnswerable) return;
    this.wanted = true;
    this.show();
  }

  /** Stops drawing, because the input has ended. */
  end(): void {
    this.ended = true;
  }

  /** Called when the user has entered the line. Returns it with the pasted texts written out. */
  entered(line: string): Entered {
    this.wanted = false;
    this.visible = false;
    return { text: this.pasted.expand(line), isLiteral: this.isLiteral };
  }

  /** Inserts text at the cursor, as if it was typed. With literal text, the line is never a command. */
  put({ text, isLiteral }: Entered): void {
    if (isLiteral && this.lines.line.slice(0, this.lines.cursor).trim() === "") this.isLiteral = true;
    this.lines.write(this.pasted.insert(text));
  }

  /**
   * Puts text of the host into the line, before any text that is typed already, so that a typed `!` cannot make a command of it: the line
   * is then a message. Returns false for a command, which has to wait for an empty line.
   */
  offer({ text, isLiteral }: Entered): boolean {
    const isEmpty = this.lines.line === "";
    if (!isEmpty && !isLiteral) return false;
    this.lines.write(null, { ctrl: true, name: "a" });
    this.put({ text, isLiteral });
    if (!isEmpty) this.lines.write(" ");
    this.lines.write(null, { ctrl: true, name: "e" });
    return true;
  }

  /** Called after each key. */
  pressed(): void {
    if (this.lines.line === "") this.isLiteral = false;
  }

  /** Clears the line. Returns false when it was empty. */
  drop(): boolean {
    if (this.lines.line === "") return false;
    this.hide();
    this.begin(this.lines.getPrompt(), "");
    this.show();
    return true;
  }

  /** Removes the line from the screen until `show`. */
  hide(): void {
    if (!this.visible) return;
    this.visible = false;
    if (!this.lines.terminal) return;
    moveCursor(this.output, 0, -this.lines.getCursorPos().rows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    // Readline must not move up these rows again.
    Object.assign(this.lines, { prevRows: 0 });
  }

  /** Makes room for output above the line. */
  makeRoom(): void {
    this.hide();
    this.isBehindText = true;
  }

  /** Shows the line again after output, unless the last line of the output is not ended yet. */
  goOn(output: { isOpen: boolean }): void {
    this.isBehindText = output.isOpen;
    this.show();
  }

  /** Redraws the line after others wrote to the screen. Readline does so itself if `readSize` finds that the terminal was resized. */
  redraw(readSize: () => void): void {
    let isDrawn = false;
    const noteResize = () => {
      isDrawn = true;
    };
    // Readline must not move up into what others wrote.
    Object.assign(this.lines, { prevRows: 0 });
    this.output.once("resize", noteResize);
    readSize();
    this.output.off("resize", noteResize);
    if (this.visible && !isDrawn) this.lines.prompt(true);
  }

  show(): void {
    if (!this.wanted || this.visible || this.ended || this.isBehindText) return;
    this.visible = true;
    this.lines.prompt(true);
  }

  /** Sets the typed line aside for a question, which takes its answer from `takeAnswer` on. */
  ask(prompt: string): void {
    this.hide();
    this.isAnswerable = false;
    this.before ??= { line: this.lines.line, wanted: this.wanted, isLiteral: this.isLiteral };
    this.begin(plainText(prompt), "");
    this.wanted = false;
  }

  /** Prompts for the answer to the question. Text typed before is dropped, since it was meant for something else. */
  takeAnswer(): void {
    if (!this.before) return;
    this.begin(this.lines.getPrompt(), "");
    this.isAnswerable = true;
    this.again();
  }

  /** Restores the line that was set aside for a question. */
  answered(): void {
    if (!this.before) return;
    this.hide();
    const { line, wanted, isLiteral } = this.before;
    this.before = undefined;
    this.begin(`${this.standing}${PROMPT}`, line);
    this.isLiteral = isLiteral;
    this.wanted = wanted || line !== "";
    this.show();
  }

  private begin(prompt: string, line: string): void {
    this.isLiteral = false;
    this.lines.setPrompt(prompt);
    // Readline needs both to be set together.
    Object.assign(this.lines, { line, cursor: line.length });
  }
}
