/** Maximum number of steps for parsing a text: STEPS_ALWAYS, and this number for each character. */
const STEPS_A_CHARACTER = 128;
const STEPS_ALWAYS = 1_000;

/** Counts the steps of parsing a text, and stops the work at a maximum that grows with the text's length. */
export class Effort {
  spent = 0;
  readonly most: number;

  constructor(length: number) {
    this.most = STEPS_ALWAYS + STEPS_A_CHARACTER * length;
  }

  /** Adds steps. Throws a RangeError when the maximum is exceeded. */
  spend(steps: number): void {
    this.spent += steps;
    if (this.spent > this.most) throw new RangeError("This Markdown takes too many steps to read.");
  }
}
