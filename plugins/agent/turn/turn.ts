import type { AgentMessage } from "@mariozechner/pi-agent-core";
import { type AppendEntry, codeOf, type EventId, type PathHold } from "@scorel/kernel";
import { tokensOf } from "@scorel/kit/session/usage";
import { onAbort } from "@scorel/kit/values/abort";
import type { ScorelMessage, Usage, UserMessage } from "@scorel/messages/contract";
import type { QueueItem, TurnOutcome, TurnPlace } from "../contract.ts";
import type { Environment } from "../environment.ts";
import { redaction, submitted } from "../environment.ts";
import { errors } from "../errors.ts";
import { userText } from "../messages/convert.ts";
import type { Failure } from "./failure.ts";
import { firstEntries, modelChange, type Prompt } from "./first-entries.ts";
import { Overflow } from "./overflow.ts";
import { placeOf, untilItBegins } from "./place.ts";
import { MOST_SAME, Repeats } from "./repeats.ts";
import { Retries } from "./retry.ts";
import { type AnsweredTurn, lastPrompt, limitsOf, type SuspendedTurn, servedBy, suspendedTurn } from "./suspended.ts";
import { TurnLimit } from "./turn-limit.ts";
import { TurnResult } from "./turn-result.ts";

/** Calls the model until it rests. `started` are the messages already in the log; `again` repeats a failed attempt. */
export type Loop = (turn: Turn, started: readonly UserMessage[], again?: boolean) => Promise<void>;

/** One turn, from the messages that start it until the agent rests. Holds the path. */
export class Turn {
  readonly env: Environment;
  /** Ids of the events and queue items of the messages that this turn answers. */
  readonly served: string[] = [];
  readonly retries: Retries;
  readonly result: TurnResult;
  /** The suspended turn of an earlier host that this turn resumes. */
  private readonly resumes: AnsweredTurn | undefined;
  private stored: SuspendedTurn | undefined;
  /** True if the host stops while a person is asked. The turn then resumes with the next host, when the question is answered. */
  suspended = false;
  private readonly overflow: Overflow;
  /** The client whose message the turn answers. Events that the turn writes and announces get this client's id. */
  private clientId: string | undefined;
  /** Number of rounds begun. */
  rounds = 0;
  private readonly hold: PathHold;
  private readonly control = new AbortController();
  /** The turn's place among the turns of all sessions of the host. */
  private place: TurnPlace | undefined;
  private readonly limit = new TurnLimit();
  private readonly sameRounds = new Repeats();
  private open = true;
  /** Whether the log refused a message of the turn. */
  private isUnwritable = false;
  private readonly ignoreStop: () => void;

  /** Takes the hold on the path; throws LOG_BUSY if something else has it. */
  constructor(env: Environment, resumes?: AnsweredTurn) {
    this.env = env;
    this.resumes = resumes;
    this.stored = resumes;
    this.hold = env.ctx.session.hold();
    this.result = new TurnResult((text) => redaction(env.ctx).text(text));
    this.retries = new Retries(env, this.signal);
    this.overflow = new Overflow(env);
    const { stopping } = env.ctx.session;
    this.ignoreStop = onAbort(stopping, () => this.cancel(stopping.reason));
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }
  /** True when a message sent now can still be part of this turn. */
  get accepts(): boolean {
    return this.open;
  }
  get path(): PathHold {
    return this.hold;
  }

  /**
   * Appends the entries in `before` and the messages that start the turn, and returns the last message's id. If it rejects, the hold is
   * released.
   */
  async begin(prompts: readonly Prompt[], before: readonly AppendEntry[] = []): Promise<string> {
    try {
      if (this.resumes) return await this.resumePrompt(this.resumes);
      this.answer(prompts.at(-1)?.clientId);
      this.limitBy(prompts);
      const written = await this.hold.appendAll([...before, ...firstEntries(this.env.ctx, prompts)]);
      const ids = written.slice(before.length).flatMap(({ type, id }) => (type === "message" ? id : []));
      this.served.push(...prompts.flatMap(({ message }) => message.meta?.queueItemId ?? []), ...ids);
      return ids.at(-1) as string;
    } catch (thrown) {
      this.open = false;
      this.ignoreStop();
      await this.hold.release();
      throw thrown;
    }
  }

  /** Resumes a suspended turn: takes over the messages that it answers. Returns the id of the last one. */
  private async resumePrompt(before: AnsweredTurn): Promise<string> {
    const { id, clientId } = lastPrompt(before);
    this.answer(clientId);
    for (const { limits, rounds, cost } of limitsOf(before, this.env.ctx.session))
      this.limit.add(limits, -rounds, -cost);
    this.served.push(...servedBy(before));
    await before.answered;
    await this.hold.appendAll(modelChange(this.env.ctx));
    return id;
  }

  /** Runs the turn to its end. Never rejects. */
  async run(prompts: readonly Prompt[], loop: () => Promise<Loop>): Promise<TurnOutcome> {
    const { session } = this.env.ctx;
    try {
      session.emit("runtime_start", {});
      this.place = placeOf(this.env.ctx);
      if (this.place?.begins) await untilItBegins(this.place, this.env.ctx, this.signal);
      for (const { message } of prompts) await this.submit(userText(message.content));
      const runLoop = await loop();
      let messages: readonly UserMessage[] = this.resumes
        ? [lastPrompt(this.resumes).message]
        : prompts.map(({ message }) => message);
      while (messages.length > 0) {
        await runLoop(this, messages);
        while (await this.goesAgain()) await runLoop(this, messages, true);
        messages = await this.late();
      }
    } catch (thrown) {
      this.fail(thrown);
    }
    return this.close();
  }

  /** Returns the suspended turn whose stored reply comes first. Later calls return undefined. */
  takeStored(): SuspendedTurn | undefined {
    const { stored } = this;
    this.stored = undefined;
    return stored;
  }

  /** Plans another attempt for a failed reply. Returns false when the failure is final. */
  repeats(failure: Failure, { provider, id }: { provider: string; id: string }): boolean {
    if (this.limit.reachedBy(this.rounds + 1, this.result.usage.cost.total) !== undefined) return false;
    return this.retries.plan(failure) || this.overflow.plan(failure, `${provider}/${id}`, this.served.at(-1));
  }

  /** True when the failed reply will be tried again. */
  get repeating(): boolean {
    return this.retries.pending || (this.overflow.pending && !this.signal.aborted);
  }

  /** Delivers the queued messages that are due; none once the turn is ending. */
  async next(resting: boolean): Promise<readonly UserMessage[]> {
    const due: QueueItem[] = this.open ? this.env.queue.due(resting) : [];
    try {
      const delivered = await this.env.queue.deliver(due, this.hold);
      if (due.length > 0) this.answer(due.at(-1)?.clientId);
      this.limitBy(due);
      this.served.push(...due.map(({ id }) => id));
      return delivered;
    } catch (thrown) {
      this.isUnwritable = true;
      this.served.push(...this.env.queue.gone(due.map(({ id }) => id)));
      this.fail(thrown);
      return [];
    }
  }

  /** Cancels the turn, for a client (`clientId`) or because the session closes. What has arrived is kept. */
  cancel(reason: unknown, clientId?: string): void {
    if (!this.open) return;
    this.suspended = codeOf(reason) === "AGENT_HOST_STOPPED" && suspendedTurn(this.env) !== undefined;
    this.result.cancelled = { by: clientId };
    this.abort(reason);
  }

  /** Ends the turn if a limit of its messages is reached. Called before each further model call. */
  endsAtLimit(): boolean {
    const reached = this.open ? this.limit.reachedBy(this.rounds, this.result.usage.cost.total) : undefined;
    if (reached === undefined) return false;
    this.result.limit = reached;
    this.cancel(errors.AGENT_LIMIT({ limit: reached }));
    return true;
  }

  /** Throws AGENT_REPEATS if the model makes the same calls again and again. Called before each further model call. */
  checkRepeats(messages: readonly AgentMessage[]): void {
    const times = this.sameRounds.upTo(messages);
    if (times >= MOST_SAME) throw errors.AGENT_REPEATS({ times });
  }

  private limitBy(messages: readonly { message: UserMessage }[]): void {
    for (const { message } of messages) this.limit.add(message.meta?.limits, this.rounds, this.result.usage.cost.total);
  }

  /** Ends the turn with an error. After an abort the error is only its consequence and is ignored. */
  fail(thrown: unknown): void {
    if (this.signal.aborted) return;
    this.failed(thrown);
    this.abort(thrown);
  }

  /** Records the first failure without aborting: after a failed reply the library ends by itself. */
  failed(thrown: unknown): void {
    this.result.fail(thrown);
    this.open = false;
  }

  /**
   * Appends a message. A failed append ends the turn, even a cancelled one. Returns whether the message is in the log.
   */
  async keep(message: ScorelMessage, id: EventId): Promise<boolean> {
    const { ctx } = this.env;
    try {
      await this.hold.append("message", { message }, { id });
    } catch (thrown) {
      this.isUnwritable = true;
      if (this.result.failure) ctx.report("append", thrown);
      this.failed(thrown);
      this.abort(thrown);
    }
    // An append that was written but not synced fails, yet its message is in the log.
    return ctx.session.tree.has(id);
  }

  /** Stores usage that no stored message contains, so that sums over the log include it. */
  async noteSpent(model: string, usage: Usage): Promise<void> {
    const { ctx } = this.env;
    if (tokensOf(usage) === 0) return;
    try {
      const data = { hidden: true, model, usage };
      await ctx.session.append("custom", { kind: "spent", data });
    } catch (thrown) {
      ctx.report("append", thrown);
    }
  }

  /** Waits for the planned retry, if any. Returns whether to run the loop again. */
  private async goesAgain(): Promise<boolean> {
    return (await this.retries.wait()) || (await this.overflow.shortened(this));
  }

  /** Announces the prompt and appends what plugins add to it. */
  private async submit(prompt: string): Promise<void> {
    const { ctx } = this.env;
    ctx.session.emit("prompt_submit", { prompt });
    const added = await submitted(ctx, prompt, this.signal);
    if (added.length > 0) await this.hold.appendAll(added);
  }

  /**
   * Delivers messages that arrived while the loop was ending. Checks the queue and closes the turn without an `await` in between, so that no
   * message is lost.
   */
  private async late(): Promise<readonly UserMessage[]> {
    if (this.env.queue.due(true).length === 0) this.open = false;
    return this.next(true);
  }

  /** Records that the turn now answers a message of this client. */
  private answer(clientId: string | undefined): void {
    this.clientId = clientId;
    this.hold.answer(clientId);
  }

  private abort(reason: unknown): void {
    this.open = false;
    this.control.abort(reason);
  }

  private async close(): Promise<TurnOutcome> {
    this.open = false;
    this.ignoreStop();
    const { failure } = this.result;
    const stored = failure && (await this.storeFailure(failure));
    await this.hold.release();
    this.place?.leave();
    const outcome = this.result.outcome(this.env.ctx.session.activeLeaf);
    this.announceEnd(outcome, stored);
    return outcome;
  }

  /** `stored` is the id of the event that holds the failure, if one could be stored. */
  private announceEnd({ reason, error, usage, durationMs }: TurnOutcome, stored: EventId | undefined): void {
    const { session } = this.env.ctx;
    const by = this.clientId === undefined ? {} : { clientId: this.clientId };
    if (error) session.emit("turn_error", { error, ...(stored && { eventId: stored }) }, by);
    else session.emit("turn_finish", { usage, duration: durationMs }, by);
    const cancelledBy = reason === "cancelled" ? this.result.cancelled?.by : undefined;
    const hostStopped = reason === "cancelled" && codeOf(this.signal.reason) === "AGENT_HOST_STOPPED";
    const why = {
      ...(error && { error: error.message }),
      ...(cancelledBy !== undefined && { cancelledBy }),
      ...(hostStopped && { hostStopped }),
    };
    session.emit("runtime_end", { reason, ...why }, by);
  }

  /**
   * Stores why the turn failed, and returns the event's id; undefined if the log cannot be written. If that is the failure itself, nothing
   * is tried: on a full disk a short event can fit, and would say that the session is being saved again.
   */
  private async storeFailure(error: { code: string; message: string }): Promise<EventId | undefined> {
    if (this.isUnwritable) return undefined;
    try {
      return (await this.hold.append("turn_failed", { error })).id;
    } catch (thrown) {
      this.env.ctx.report("append", thrown);
      return undefined;
    }
  }
}
