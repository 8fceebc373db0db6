/** Steps that reading a text may take: so many for each of its characters, and some for the shortest. */
const STEPS_A_CHARACTER = 128;
const STEPS_ALWAYS = 1_000;

/** Counts the steps of reading a text, and ends the work on one that would take more than a number that grows with its length. */
export class Effort {
  spent = 0;
  readonly most: number;

  constructor(length: number) {
    this.most = STEPS_ALWAYS + STEPS_A_CHARACTER * length;
  }

  /** Throws when the text has taken more than it may. */
  spend(steps: number): void {
    this.spent += steps;
    if (this.spent > this.most) throw new RangeError("This Markdown takes too many steps to read.");
  }
}
