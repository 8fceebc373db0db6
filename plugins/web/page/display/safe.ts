import { plainText } from "@scorel/kit/text/plain";

/** A text of a model, tool, file or other client without control characters, and with deceiving ones written out. */
export function safeText(text: string): string {
  return plainText(text.replaceAll("\r\n", "\n"));
}

/** The same as one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replace(/\s*\n\s*/g, " ")
    .trim();
}
