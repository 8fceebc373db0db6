import type { TurnLimits } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Delivered } from "@scorel/host/contract";
import { type Events, isEvent, type ScorelError, type Transients } from "@scorel/kernel";
import { isPriced, soundUsage, usageIn } from "@scorel/kit/session/usage";
import { errors } from "./errors.ts";

/** Reads the limits of a run from its options; there are none by default. Throws PRINT_NUMBER. */
export function readLimits({ options }: Pick<Invocation, "options">): Limits {
  return new Limits({
    rounds: numberOf(options.maxRounds, "--max-rounds", "a whole number from 1", (n) => Number.isInteger(n) && n >= 1),
    cost: numberOf(options.maxCost, "--max-cost", "an amount in US dollars greater than 0", (n) => n > 0),
    seconds: numberOf(
      options.timeout,
      "--timeout",
      "a number of seconds greater than 0, at most 2000000",
      (n) => n > 0 && n <= 2e6,
    ),
  });
}

function numberOf(given: unknown, option: string, what: string, fits: (n: number) => boolean): number {
  if (given === undefined) return Infinity;
  const value = String(given);
  if (/^\d*\.?\d+$/.test(value) && fits(Number(value))) return Number(value);
  throw errors.PRINT_NUMBER({ option, value, what });
}

/** Counts rounds, cost and time over all turns of a run. */
export class Limits {
  /** Aborts when a limit is reached. */
  readonly signal: AbortSignal;
  /** The limit that was reached. */
  reached: ScorelError | undefined;
  /** Called once, if `--max-cost` was given and something has no known price, so that it does not count. */
  unpriced: (() => void) | undefined;
  private readonly max: { rounds: number; cost: number; seconds: number };
  private readonly control = new AbortController();
  private rounds = 0;
  private cost = 0;
  /** The cost of this round's reply, until the end of the round reports its usage. */
  private reply = 0;
  /** The cost of each running tool call so far, by call id. */
  private readonly running = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  /** When the time is over, on the clock of `performance.now`. */
  private end: number | undefined;
  /** Whether the host applies these limits to the running turn, so that it ends by itself and needs no cancel. */
  private hostLimits = false;
  /** Whether the run's own turns have begun: turns of others in the session before them do not count. */
  private begun = false;

  constructor(max: { rounds: number; cost: number; seconds: number }) {
    this.max = max;
    this.signal = this.control.signal;
  }

  /** Begins to count the time, or goes on: it counts from the first call. */
  start(): void {
    const { seconds } = this.max;
    if (seconds === Infinity) return;
    this.end ??= performance.now() + seconds * 1000;
    this.stop();
    this.timer = setTimeout(() => this.reach(errors.PRINT_TIMEOUT({ seconds })), this.end - performance.now());
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /**
   * Counts rounds and the cost of summaries and tools. The limit is reached when another round would follow but is not allowed, or when
   * running tools have cost too much. `mine` says that the run caused the event; events before its first message belong to others.
   */
  hear({ event }: Delivered, mine = true): void {
    this.begun ||= mine && event.type === "message";
    if (!this.begun) return;
    this.checkPrice(event);
    if (isEvent(event, "compact")) this.cost += costOf(event.usage);
    if (isEvent(event, "message")) this.takeMessage(event.message);
    if (isEvent(event, "tool_execution_update")) this.updateCall(event);
    if (isEvent(event, "usage_charged")) {
      this.cost += costOf(event.usage);
      this.checkCost();
    }
    if (!isEvent(event, "turn_end")) return;
    const { usage, stopReason } = event;
    this.rounds++;
    this.cost += costOf(usage);
    this.reply = 0;
    if (stopReason === "toolUse") this.checkRound();
  }

  private checkPrice(event: Delivered["event"]): void {
    const used = this.max.cost === Infinity ? undefined : usageIn(event)?.usage;
    if (!used || isPriced(soundUsage(used))) return;
    this.unpriced?.();
    this.unpriced = undefined;
  }

  /** The limits of the next turn, for the host, which ends the turn before another model call. */
  left(): TurnLimits | undefined {
    const rounds = this.max.rounds - this.rounds;
    const cost = this.max.cost - this.cost;
    if (rounds === Infinity && cost === Infinity) return undefined;
    return { ...(rounds !== Infinity && { rounds }), ...(cost !== Infinity && { cost }) };
  }

  /** Runs a turn to which the host applies the limits. */
  async whileHostLimits<T>(turn: () => Promise<T>): Promise<T> {
    this.hostLimits = true;
    try {
      return await turn();
    } finally {
      this.hostLimits = false;
    }
  }

  /** Whether the model may not be asked again. */
  get isSpent(): boolean {
    return this.rounds >= this.max.rounds || this.spent >= this.max.cost;
  }

  /** Reaches the limit if another round may not start. */
  checkRound(): void {
    const { rounds, max } = this;
    if (rounds >= max.rounds) this.reach(errors.PRINT_MAX_ROUNDS({ rounds }), this.hostLimits);
    this.checkCost(this.hostLimits);
  }

  /** The cost so far, with that of running calls, in US dollars. */
  private get spent(): number {
    return [...this.running.values()].reduce((sum, each) => sum + each, this.cost + this.reply);
  }

  private checkCost(endsItself = false): void {
    const { spent, max } = this;
    if (spent >= max.cost) this.reach(errors.PRINT_MAX_COST({ cost: Number(spent.toFixed(6)) }), endsItself);
  }

  /** Updates the cost of a running call. */
  private updateCall({ toolCallId, partial }: Transients["tool_execution_update"]): void {
    const { usage } = (partial ?? {}) as { usage?: unknown };
    if (!usage) return;
    this.running.set(toolCallId, costOf(usage));
    this.checkCost();
  }

  private takeMessage(message: Events["message"]["message"]): void {
    if (message.role === "assistant") this.reply = costOf(message.usage);
    if (message.role !== "tool_result") return;
    this.running.delete(message.toolCallId);
    this.cost += costOf(message.usage);
  }

  /** Records the limit. Cancels the turn unless it ends by itself: by then another client's turn may be running. */
  private reach(error: ScorelError, endsItself = false): void {
    this.reached ??= error;
    if (!endsItself) this.control.abort();
  }
}

function costOf(usage: unknown): number {
  return soundUsage(usage).cost.total;
}
