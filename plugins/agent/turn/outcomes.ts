import type { TurnOutcome } from "../contract.ts";
import { keepLatest } from "./keep-latest.ts";

/** A message that no turn has served yet. */
interface Waiting {
  outcome: Promise<TurnOutcome>;
  resolve(outcome: TurnOutcome): void;
}

/** The outcomes of messages, by the messages' ids: of those that wait for a turn, and of the latest that a turn has served. */
export class Outcomes {
  private readonly waiting = new Map<string, Waiting>();
  private readonly latest = new Map<string, Promise<TurnOutcome>>();

  /** The ids of the messages that wait for a turn. */
  get pending(): string[] {
    return [...this.waiting.keys()];
  }

  /** The outcome of a message that waits, or of one of the latest; undefined for others. */
  get(id: string): Promise<TurnOutcome> | undefined {
    return this.latest.get(id);
  }

  /** The outcome of a message that no turn has served yet. */
  wait(id: string): Promise<TurnOutcome> {
    // `latest` forgets old messages, also those that still wait.
    const known = this.waiting.get(id);
    if (known) return known.outcome;
    let resolve: Waiting["resolve"] = () => {};
    const outcome = new Promise<TurnOutcome>((settle) => {
      resolve = settle;
    });
    this.waiting.set(id, { outcome, resolve });
    this.remember(id, outcome);
    return outcome;
  }

  /** Forgets a message that could not be queued. */
  forget(id: string): void {
    this.waiting.delete(id);
    this.latest.delete(id);
  }

  settle(ids: readonly string[], outcome: TurnOutcome): void {
    for (const id of ids) {
      this.waiting.get(id)?.resolve(outcome);
      this.waiting.delete(id);
    }
  }

  remember(id: string, outcome: Promise<TurnOutcome>): void {
    keepLatest(this.latest, id, outcome);
  }
}
