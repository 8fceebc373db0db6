import type { PathHold, ScorelError } from "@scorel/kernel";
import type { Environment } from "../environment.ts";
import type { Failure } from "./failure.ts";

interface Refused {
  error: ScorelError;
  reason: string;
  model: string;
}

/** The members of a turn that Overflow uses. */
interface Asking {
  readonly signal: AbortSignal;
  readonly path: PathHold;
  failed(thrown: unknown): void;
}

/**
 * Handles a model's refusal of a conversation as too long: the layers of `contextOverflow` may shorten it, and the call
 * is repeated, once for each message that the turn answers.
 */
export class Overflow {
  private readonly env: Environment;
  private refused: Refused | undefined;
  /** The message for which the call was already repeated. */
  private repeatedFor: string | undefined;

  constructor(env: Environment) {
    this.env = env;
  }

  /** True when the failed reply will be tried again. */
  get pending(): boolean {
    return this.refused !== undefined;
  }

  /** Plans another attempt. Returns false for other failures and for a second overflow of the same message. */
  plan({ error, reason, overflow }: Failure, model: string, message: string | undefined): boolean {
    if (!overflow || this.repeatedFor === message) return false;
    this.refused = { error, reason, model };
    this.repeatedFor = message;
    return true;
  }

  /**
   * Runs `contextOverflow`. Returns true when a layer shortened the conversation; otherwise a planned attempt fails the
   * turn.
   */
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
