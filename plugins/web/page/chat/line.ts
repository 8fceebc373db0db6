/** What is in the field: a message, a slash command or a line for the shell. */
export type Mode = "message" | "command" | "shell";

/**
 * A text and what it is. The mark of a command (`/`) or a shell line (`!`) is not part of the text: only a person who types it first in an
 * empty field, or over all of a message, begins one. Text that was pasted, dropped or kept as a draft is a message, whatever it begins with.
 */
export interface Line {
  mode: Mode;
  /** The model is not told of a shell line (`!!`). */
  isSilent: boolean;
  text: string;
  /** Where the cursor has to go, after a change that did not come from the keyboard. */
  caret?: number;
}

/** What the browser tells of a change: how it was made, and the characters that were added. */
export interface Change {
  how: string;
  added: string | null;
}

const MARKS: Readonly<Record<Mode, string>> = { message: "", command: "/", shell: "!" };
/** Ways of adding characters by a keyboard, also one on the screen. */
const BY_KEYS = ["insertText", "insertCompositionText"];
/** Ways of removing one character. */
const BY_ONE = ["deleteContentBackward", "deleteContentForward"];

export function messageOf(text: string): Line {
  return { mode: "message", isSilent: false, text };
}

/** The field after a change of its text. */
export function changed(line: Line, text: string, { how, added }: Change): Line {
  const isFirst = line.text === "" || line.mode === "message";
  if (isFirst && added === text && BY_KEYS.includes(how)) return begun(line, text);
  // A command or shell line whose text was deleted at once is a message again, so that what is typed next is not run.
  const isErased = text === "" && line.text !== "" && !(BY_ONE.includes(how) && line.text.length === 1);
  return isErased ? messageOf("") : { mode: line.mode, isSilent: line.isSilent, text };
}

/** The field after the first character was typed. */
function begun(line: Line, character: string): Line {
  if (line.mode === "message" && character === "/") return { ...messageOf(""), mode: "command" };
  if (line.mode === "message" && character === "!") return { ...messageOf(""), mode: "shell" };
  if (line.mode === "shell" && character === "!" && !line.isSilent) return { ...line, isSilent: true };
  return { mode: line.mode, isSilent: line.isSilent, text: character };
}

/** The field after Backspace at its beginning: `!!` becomes `!`, anything else a message. */
export function unmarked(line: Line): Line {
  return line.isSilent ? { ...line, isSilent: false } : { ...messageOf(line.text), caret: 0 };
}

/** What is meant by a line: one that begins with the path of a file is no command. */
export function meant(line: Line): Line {
  const isPath = line.mode === "command" && /^\S*\//.test(line.text);
  return isPath ? messageOf(`/${line.text}`) : line;
}

/** A line with its mark, as it is kept in a draft. */
export function written({ mode, isSilent, text }: Line): string {
  return MARKS[mode] + (isSilent ? "!" : "") + text;
}

/** The mark of a line; empty for a message. */
export function markOf({ mode, isSilent }: Line): string {
  return written({ mode, isSilent, text: "" });
}
