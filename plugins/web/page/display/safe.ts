import { visibleBreaks } from "@scorel/kit/text/one-line";
import { countedMarks, plainText } from "@scorel/kit/text/plain";

/** Text of a model, tool, file or other client, without control characters. Deceptive characters are written out. */
export function safeText(text: string): string {
  return countedMarks(plainText(text.replaceAll("\r\n", "\n")));
}

/** Like `safeText`, as one line. Takes linear time; a regular expression would not for many spaces. */
export function safeLine(text: string): string {
  return safeText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** Like `safeLine`, but with visible line breaks, so that two commands in a title do not look like one. */
export function titleLine(text: string): string {
  return countedMarks(visibleBreaks(text));
}
