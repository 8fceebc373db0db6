import type { FieldMode } from "../parts.ts";

const MARKS: Record<FieldMode, string> = { message: "", command: "/", shell: "!" };

/** What the text of a field is: a message until `/` or `!` is typed first. */
export class LineMode {
  current: FieldMode = "message";
  /** The model is not told of a line for the shell (`!!`). */
  isSilent = false;

  enter(mode: FieldMode, isSilent = false): void {
    this.current = mode;
    this.isSilent = isSilent;
  }

  /** The mode that a character begins when it is typed into an empty message. */
  begunBy(character: string): FieldMode | undefined {
    if (this.current !== "message") return undefined;
    return (Object.keys(MARKS) as FieldMode[]).find((mode) => MARKS[mode] === character);
  }

  /** Takes the second `!` of an empty line for the shell. Returns false for any other character. */
  takesMark(character: string): boolean {
    if (this.current !== "shell" || character !== "!") return false;
    this.isSilent = true;
    return true;
  }

  /** What is meant by a text: one that begins with the path of a file is no command. */
  meant(text: string): { mode: FieldMode; text: string } {
    const isPath = this.current === "command" && /^\S*\//.test(text);
    return isPath ? { mode: "message", text: `/${text}` } : { mode: this.current, text };
  }

  /** How it is written before the text in a draft, which is restored as a message. */
  get mark(): string {
    return markOf(this.current, this.isSilent);
  }
}

/** The mark that a text of a mode begins with. */
export function markOf(mode: FieldMode, isSilent = false): string {
  return MARKS[mode] + (isSilent ? "!" : "");
}
