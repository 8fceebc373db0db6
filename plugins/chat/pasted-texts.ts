import { plainText } from "@scorel/kit/text/plain";

/** The longest paste that is shown as it is. */
const SHOWN_CHARACTERS = 500;
const MARK = /\[pasted \d+: \d+ (?:lines|characters)\]/g;

/**
 * Pasted texts of the line that is being typed. Those of several lines stand in it as a short mark, `[pasted 1: 12 lines]`, and become
 * part of the message when it is sent.
 */
export class PastedTexts {
  private readonly texts = new Map<string, string>();
  private count = 0;

  /** Returns what to insert into the line for a pasted text. */
  insert(pasted: string): string {
    const text = pasted.replace(/\r\n?/g, "\n").replace(/\n$/, "");
    if (text.length <= SHOWN_CHARACTERS && plainText(text) === text && !text.includes("\n")) return text;
    const lines = text.split("\n").length;
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    const mark = `[pasted ${++this.count}: ${size}]`;
    this.texts.set(mark, text);
    return mark;
  }

  /** Returns an entered line with the pasted texts in the place of their marks. */
  expand(line: string): string {
    return line.replace(MARK, (mark) => {
      const text = this.texts.get(mark) ?? mark;
      this.texts.delete(mark);
      return text;
    });
  }
}
