import type { FieldMode } from "../parts.ts";

const MARKS: Record<FieldMode, string> = { message: "", command: "/", shell: "!" };

/** What the text of a field is: a message until `/` or `!` is typed first. */
export class LineMode {
  current: FieldMode = "message";
  /** The model is not told of a line for the shell (`!!`). */
  isSilent = false;

  enter(mode: FieldMode): void {
    this.current = mode;
    this.isSilent = false;
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

  /** How it is written before the text in a draft, which is restored as a message. */
  get mark(): string {
    return MARKS[this.current] + (this.isSilent ? "!" : "");
  }
}
