import { plainText } from "@scorel/kit/text/plain";

const TAB = "    ";

/**
 * Makes a text of a model, tool, file or other client fit to be drawn: no control sequences, deceiving characters written out, tabs
 * as spaces. Every text that is drawn comes through here.
 */
export function safeText(text: string): string {
  return plainText(text.replaceAll("\r\n", "\n")).replaceAll("\t", TAB);
}

/** The same for the output of a command, of which a line that was written over shows what was written last. */
export function safeOutput(text: string): string {
  return safeText(text.replace(/[^\n]*\r(?!\n)(?=[^\n])/g, ""));
}

/** A text as one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replace(/\s*\n\s*/g, " ")
    .trim();
}
