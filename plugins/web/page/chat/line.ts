/** What the field contains: a message, a slash command or a shell line. */
export type Mode = "message" | "command" | "shell";

/**
 * The text in the field, and what it is. The mark of a command (`/`) or shell line (`!`) is not part of the text. Only typing it as the
 * first character, in an empty field or over the whole message, starts a command or shell line. Pasted and dropped text, and drafts, are
 * messages, whatever they begin with.
 */
export interface Line {
  mode: Mode;
  /** Whether the model is not told about a shell line (`!!`). */
  isSilent: boolean;
  text: string;
  /** Position to which the cursor has to move, after a change that did not come from the keyboard. */
  caret?: number;
}

/** What the browser reports about a change: its `inputType`, and the characters that were added. */
export interface Change {
  how: string;
  added: string | null;
}

const MARKS: Readonly<Record<Mode, string>> = { message: "", command: "/", shell: "!" };
/** Input types for typed characters, including those from an on-screen keyboard. */
const BY_KEYS = ["insertText", "insertCompositionText"];
/** Input types for deleting one character. */
const BY_ONE = ["deleteContentBackward", "deleteContentForward"];

/** A message with this text. */
export function messageOf(text: string): Line {
  return { mode: "message", isSilent: false, text };
}

/** The state of the field after its text has changed. */
export function changed(line: Line, text: string, { how, added }: Change): Line {
  const isFirst = line.text === "" || line.mode === "message";
  if (isFirst && added === text && BY_KEYS.includes(how)) return begun(line, text);
  // Deleting the whole text at once turns a command or shell line into a message, so that what is typed next is not run.
  const isErased = text === "" && line.text !== "" && !(BY_ONE.includes(how) && line.text.length === 1);
  return isErased ? messageOf("") : { mode: line.mode, isSilent: line.isSilent, text };
}

/** The state of the field after its first character was typed. */
function begun(line: Line, character: string): Line {
  if (line.mode === "message" && character === "/") return { ...messageOf(""), mode: "command" };
  if (line.mode === "message" && character === "!") return { ...messageOf(""), mode: "shell" };
  if (line.mode === "shell" && character === "!" && !line.isSilent) return { ...line, isSilent: true };
  return { mode: line.mode, isSilent: line.isSilent, text: character };
}

/** The state of the field after Backspace at its beginning: `!!` becomes `!`, everything else becomes a message. */
export function unmarked(line: Line): Line {
  return line.isSilent ? { ...line, isSilent: false } : { ...messageOf(line.text), caret: 0 };
}

/** What a line means when it is sent: a command that looks like the path of a file is a message. */
export function meant(line: Line): Line {
  const isPath = line.mode === "command" && /^\S*\//.test(line.text);
  return isPath ? messageOf(`/${line.text}`) : line;
}

/** A line with its mark, as it is stored in a draft. */
export function written({ mode, isSilent, text }: Line): string {
  return MARKS[mode] + (isSilent ? "!" : "") + text;
}

/** The mark of a line; empty for a message. */
export function markOf({ mode, isSilent }: Line): string {
  return written({ mode, isSilent, text: "" });
}
