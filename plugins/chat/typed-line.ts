import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { plainText } from "@scorel/kit/text/plain";

const PROMPT = "> ";

/** The line that a person is typing, at the lower end of the screen: it makes way for whatever is written above it. */
export class TypedLine {
  private readonly lines: Interface;
  private readonly output: Writable & { columns?: number };
  /** A line is waited for. */
  private wanted = false;
  private visible = false;
  private ended = false;
  /** What stands before the sign that a line is waited for. */
  private standing = "";
  /** What was being typed when a question came, and whether it was waited for. */
  private before: { line: string; wanted: boolean } | undefined;

  constructor(lines: Interface, output: Writable & { columns?: number }) {
    this.lines = lines;
    this.output = output;
  }

  /** A line is waited for from now on; after a question, when one is asked. */
  want(): void {
    if (this.before) this.before.wanted = true;
    this.wanted = true;
    this.show();
  }

  /** Shows a few words before the line, in their place; answers whether they can be seen. */
  stand(words: readonly string[]): boolean {
    const text = plainText(words.join(" · "));
    const room = Math.floor((this.output.columns || 80) / 2);
    this.standing = text === "" ? "" : `[${text.length > room ? `${text.slice(0, room - 1)}…` : text}] `;
    if (this.before) return false;
    const { visible } = this;
    this.hide();
    this.lines.setPrompt(`${this.standing}${PROMPT}`);
    if (visible) this.show();
    return visible;
  }

  /** The question still waits for its answer. */
  again(): void {
    if (!this.before) return;
    this.wanted = true;
    this.show();
  }

  /** Nobody types any more. */
  end(): void {
    this.ended = true;
  }

  /** The person has sent the line. */
  entered(): void {
    this.wanted = false;
    this.visible = false;
  }

  /** Puts words where the person types, as if typed; a newline would send what is before it. */
  put(text: string): void {
    this.lines.write(plainText(text).replace(/\s+/g, " "));
  }

  /** Throws away what was being typed; answers whether there was anything. */
  drop(): boolean {
    if (this.lines.line === "") return false;
    this.hide();
    this.begin(this.lines.getPrompt(), "");
    this.show();
    return true;
  }

  /** Takes the line off the screen; it comes back with `show`. */
  hide(): void {
    if (!this.visible) return;
    this.visible = false;
    if (!this.lines.terminal) return;
    moveCursor(this.output, 0, -this.lines.getCursorPos().rows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    // What it drew is gone: it must not go up these rows once more.
    Object.assign(this.lines, { prevRows: 0 });
  }

  /** Draws the line again, on a screen that others have written to. */
  redraw(): void {
    if (!this.visible) return;
    Object.assign(this.lines, { prevRows: 0 });
    this.lines.prompt(true);
  }

  show(): void {
    if (!this.wanted || this.visible || this.ended) return;
    this.visible = true;
    this.lines.prompt(true);
  }

  /** The next line answers a question: what was being typed for somebody else is put aside. */
  ask(prompt: string): void {
    this.hide();
    this.before ??= { line: this.lines.line, wanted: this.wanted };
    this.begin(plainText(prompt), "");
    this.wanted = true;
  }

  /** The question is over; what was put aside comes back. */
  answered(): void {
    if (!this.before) return;
    this.hide();
    const { line, wanted } = this.before;
    this.before = undefined;
    this.begin(`${this.standing}${PROMPT}`, line);
    this.wanted = wanted || line !== "";
    this.show();
  }

  private begin(prompt: string, line: string): void {
    this.lines.setPrompt(prompt);
    // Both together, as readline wants it.
    Object.assign(this.lines, { line, cursor: line.length });
  }
}
