import type { PathHold, ScorelError } from "@scorel/kernel";
import type { Environment } from "./environment.ts";
import type { Failure } from "./failure.ts";

interface Refused {
  error: ScorelError;
  reason: string;
  /** `provider/id` */
  model: string;
}

/** What is needed of the turn that is refused. */
interface Asking {
  readonly signal: AbortSignal;
  readonly path: PathHold;
  failed(thrown: unknown): void;
}

/**
 * What a turn does when a model says that the conversation is too long: the layers of `contextOverflow` may make it
 * shorter, and the call is made again, once for each message that the turn serves.
 */
export class Overflow {
  private readonly env: Environment;
  private refused: Refused | undefined;
  /** The message for which the call was made again already. */
  private repeatedFor: string | undefined;

  constructor(env: Environment) {
    this.env = env;
  }

  /** Whether the reply that has just failed may be tried again. */
  get pending(): boolean {
    return this.refused !== undefined;
  }

  /** Plans another attempt; false for any other failure, and when `message` had its second attempt. */
  plan({ error, reason, overflow }: Failure, model: string, message: string | undefined): boolean {
    if (!overflow || this.repeatedFor === message) return false;
    this.refused = { error, reason, model };
    this.repeatedFor = message;
    return true;
  }

  /** Asks the layers; false when nothing is planned or nobody made the conversation shorter, which then fails the turn. */
  async shortened(turn: Asking): Promise<boolean> {
    const { refused } = this;
    this.refused = undefined;
    if (!refused || turn.signal.aborted) return false;
    const { reason, model } = refused;
    const answer = await turn.path.open(() => this.env.hooks.contextOverflow({ reason, model }, turn.signal));
    if (answer === true) return true;
    turn.failed(refused.error);
    return false;
  }
}
