import type { TurnLimits } from "../contract.ts";

/** The limits of the messages that a turn answers. Of several limits, the one that is reached first counts. */
export class TurnLimit {
  private rounds = Infinity;
  private cost = Infinity;

  /** Adds the limits of a message that the turn answers after so many model calls and so many US dollars. */
  add(limits: TurnLimits | undefined, rounds: number, cost: number): void {
    this.rounds = Math.min(this.rounds, rounds + (limits?.rounds ?? Infinity));
    this.cost = Math.min(this.cost, cost + (limits?.cost ?? Infinity));
  }

  /** The limit that these model calls and US dollars have reached, if any. */
  reachedBy(rounds: number, cost: number): keyof TurnLimits | undefined {
    if (rounds >= this.rounds) return "rounds";
    return cost >= this.cost ? "cost" : undefined;
  }
}
