/** Number of events between snapshots that were just taken. */
const EVERY = 64;
/** When a projection has more snapshots than this, some are dropped. */
const MOST = 256;
/** Going back by `n` events replays about `n / DENSITY` events, or those since the last snapshot. */
const DENSITY = 16;

/**
 * States of a path projection by row, so that going back replays few events. The further back, the fewer are kept, so that their number grows
 * only with the logarithm of the log's length.
 */
export class Snapshots {
  private readonly states = new Map<number, unknown>();
  private since = 0;

  has(row: number): boolean {
    return this.states.has(row);
  }

  get(row: number): unknown {
    return this.states.get(row);
  }

  /** Called for each row that is applied; keeps the state after some of them. */
  passed(row: number, state: unknown): void {
    if (++this.since < EVERY) return;
    this.since = 0;
    this.states.set(row, state);
    if (this.states.size > MOST) this.thin();
  }

  private thin(): void {
    const rows = [...this.states.keys()].sort((a, b) => a - b);
    const end = rows.at(-1) as number;
    let kept = 0;
    for (const [index, row] of rows.entries()) {
      const next = rows[index + 1];
      if (next !== undefined && next - kept <= (end - next) / DENSITY) this.states.delete(row);
      else kept = row;
    }
  }
}
