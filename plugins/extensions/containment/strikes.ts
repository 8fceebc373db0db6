/** So many failures of one part of an extension switch that part off. */
export const STRIKES = 3;

/** Counts the failures of an extension: of each function that it gave, and of what it contributed by the name of that. */
export class Strikes {
  private readonly ofFunctions = new WeakMap<object, number>();
  private readonly ofNames = new Map<string, number>();
  private isAny = false;

  /** Counts a failure of a part; answers whether that one switches it off. */
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
