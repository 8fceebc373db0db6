import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { plainText } from "@scorel/host/client";

const PROMPT = "> ";

/** The line that a person is typing, at the lower end of the screen: it makes way for whatever is written above it. */
export class TypedLine {
  private readonly lines: Interface;
  private readonly output: Writable;
  /** A line is waited for. */
  private wanted = false;
  private visible = false;
  private ended = false;
  /** What was being typed when a question came, and whether it was waited for. */
  private before: { line: string; wanted: boolean } | undefined;

  constructor(lines: Interface, output: Writable) {
    this.lines = lines;
    this.output = output;
  }

  /** A line is waited for from now on; after a question, when one is asked. */
  want(): void {
    if (this.before) this.before.wanted = true;
    this.wanted = true;
    this.show();
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

  /** Takes the line off the screen; it comes back with `show`. */
  hide(): void {
    if (!this.visible) return;
    this.visible = false;
    if (!this.lines.terminal) return;
    moveCursor(this.output, 0, -this.lines.getCursorPos().rows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
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
    this.begin(PROMPT, line);
    this.wanted = wanted || line !== "";
    this.show();
  }

  private begin(prompt: string, line: string): void {
    this.lines.setPrompt(prompt);
    // Both together, as readline wants it.
    Object.assign(this.lines, { line, cursor: line.length });
  }
}
