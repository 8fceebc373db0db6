import type { Attachment, FieldMode, Submission } from "../parts.ts";

const MARKS: Record<FieldMode, string> = { message: "", command: "/", shell: "!" };

/** The mode of a field's text: a message until `/` or `!` is typed first. */
export class LineMode {
  current: FieldMode = "message";
  /** Whether a shell line is hidden from the model (`!!`). */
  isSilent = false;

  enter(mode: FieldMode, isSilent = false): void {
    this.current = mode;
    this.isSilent = isSilent;
  }

  /** The mode that a character switches to when it is typed into an empty message; undefined for none. */
  begunBy(character: string): FieldMode | undefined {
    if (this.current !== "message") return undefined;
    return (Object.keys(MARKS) as FieldMode[]).find((mode) => MARKS[mode] === character);
  }

  /** Handles the second `!` of an empty shell line. Returns false for any other character. */
  takesMark(character: string): boolean {
    if (this.current !== "shell" || character !== "!") return false;
    this.isSilent = true;
    return true;
  }

  /** The mode and text to submit: a command that begins with the path of a file is a message instead. */
  meant(text: string): { mode: FieldMode; text: string } {
    const isPath = this.current === "command" && /^\S*\//.test(text);
    return isPath ? { mode: "message", text: `/${text}` } : { mode: this.current, text };
  }

  /** The characters that stand for the mode before text in a draft, which is restored as a message. */
  get mark(): string {
    return markOf(this.current, this.isSilent);
  }
}

/** A text as it was entered: `help` in the mode `command` for `/help`. */
export interface Entered {
  text: string;
  mode: FieldMode;
  /** Whether a shell line is hidden from the model (`!!`). */
  silent: boolean;
  attachments: readonly Attachment[];
}

/** The text of a field with its mode and attachments, to restore it later. */
export function enteredIn(field: Partial<Entered> = {}): Entered {
  const { text = "", mode = "message", silent = false, attachments = [] } = field;
  return { text, mode, silent, attachments };
}

/** A text after the characters that stand for its mode, as it is joined with others. */
export function marked({ text, mode, silent }: Pick<Submission, "text" | "mode" | "silent">): string {
  return text === "" ? "" : markOf(mode, silent) + text;
}

/** Several entries as one message, each with its mark. Empty ones are left out. */
export function joined(entries: readonly Partial<Entered>[], between = "\n\n"): Entered {
  const all = entries.map(enteredIn).filter(({ text }) => text !== "");
  const attachments = all.flatMap((each) => each.attachments);
  return enteredIn({ text: all.map(marked).join(between), attachments });
}

/** The characters that stand for a mode: `/`, `!`, `!!`, or "" for a message. */
export function markOf(mode: FieldMode, isSilent = false): string {
  return MARKS[mode] + (isSilent ? "!" : "");
}
