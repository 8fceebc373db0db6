/** Counts the connections of each address or identity. */
export class Tally {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** Adds one, and returns the new count. */
  add(name: string): number {
    const count = this.of(name) + 1;
    this.counts.set(name, count);
    return count;
  }

  remove(name: string): void {
    const count = this.of(name) - 1;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
