/** The number of failures after which a part of an extension is switched off. */
export const STRIKES = 3;

/** Counts the failures of each part of an extension: a registered function, or a contribution by its name. */
export class Strikes {
  private readonly ofFunctions = new WeakMap<object, number>();
  private readonly ofNames = new Map<string, number>();
  private isAny = false;

  /** Counts a failure of a part and returns whether it switches the part off. */
  count(part: object | string): boolean {
    const failures = this.of(part) + 1;
    if (typeof part === "string") this.ofNames.set(part, failures);
    else this.ofFunctions.set(part, failures);
    this.isAny = true;
    return failures === STRIKES;
  }

  isOff(part: object | string): boolean {
    return this.isAny && this.of(part) >= STRIKES;
  }

  private of(part: object | string): number {
    return (typeof part === "string" ? this.ofNames.get(part) : this.ofFunctions.get(part)) ?? 0;
  }
}
