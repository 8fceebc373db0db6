import type { Output } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import { wrapped } from "./drawing.ts";
import { hanging, indented } from "./indented.ts";
import type { TypedLine } from "./typed-line.ts";

/** Prints lines and arriving text above the input line, if there is one. Text cannot move the cursor or set colours. */
export class Lines {
  /** The input line, which is drawn below the output. */
  protected typed: TypedLine | undefined;
  /** Whether the cursor is after text, so that the line is not ended. */
  protected open = false;
  private readonly output: Output;
  private readonly columns: (() => number | undefined) | undefined;

  /** `columns` returns the terminal's current width. */
  constructor(output: Output, columns?: () => number | undefined) {
    this.output = output;
    this.columns = columns;
  }

  /** The columns of the terminal, if it has a size. */
  get width(): number | undefined {
    return this.columns?.() || undefined;
  }

  /** Prints text of Scorel's own on a new line. Rows after the first are indented. */
  async line(text: string): Promise<void> {
    await this.block(hanging(text, this.width));
  }

  /** Prints text that is indented already where it has to be. */
  async block(text: string): Promise<void> {
    if (text !== "") await this.write(`${this.open ? "\n" : ""}${text}\n`);
  }

  /** Prints a command's output, indented and wrapped so that tables stay readable. */
  async table(text: string): Promise<void> {
    const { width } = this;
    await this.block(indented(wrapped(text, width && width - 2), width));
  }

  /** Copies text to the clipboard with the OSC 52 escape sequence, which also works over ssh. */
  async copy(text: string): Promise<void> {
    await this.output.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  /** Ends the line of a reply. */
  async endLine(): Promise<void> {
    if (this.open) await this.write("\n");
  }

  /** Moves to a new line after the user has left. */
  async newline(): Promise<void> {
    await this.write("\n");
  }

  protected async write(text: string): Promise<void> {
    if (text === "") return;
    this.typed?.makeRoom();
    this.open = !text.endsWith("\n");
    await this.output.write(plainText(text));
    this.typed?.goOn({ isOpen: this.open });
  }
}
