import { plainText } from "@scorel/kit/text/plain";

/** The most characters of a paste that is shown as it is. */
const SHOWN_CHARACTERS = 500;
const MARK = /\[pasted \d+: \d+ (?:lines|characters)\]/g;

/**
 * Texts pasted into the line that is being typed. A long one, or one of several lines, is represented by a short mark,
 * `[pasted 1: 12 lines]`, which is replaced by the text when the message is sent.
 */
export class PastedTexts {
  private readonly texts = new Map<string, string>();
  private count = 0;

  /** Returns what to insert into the line for pasted text. */
  insert(pasted: string): string {
    const text = pasted.replace(/\r\n?/g, "\n").replace(/\n$/, "");
    if (text.length <= SHOWN_CHARACTERS && plainText(text) === text && !text.includes("\n")) return text;
    const lines = text.split("\n").length;
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    const mark = `[pasted ${++this.count}: ${size}]`;
    this.texts.set(mark, text);
    return mark;
  }

  /** Returns an entered line with the marks replaced by the pasted texts. */
  expand(line: string): string {
    return line.replace(MARK, (mark) => {
      const text = this.texts.get(mark) ?? mark;
      this.texts.delete(mark);
      return text;
    });
  }
}
