import { codeOf, type EventId, messageOf, type PathHold } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage, Usage, UserMessage } from "@scorel/messages/contract";
import { onAbort } from "./abort.ts";
import type { QueueItem, TurnOutcome } from "./contract.ts";
import { assistantText, userText } from "./convert.ts";
import type { Environment } from "./environment.ts";
import { opening, redaction, submitted } from "./environment.ts";
import { errors } from "./errors.ts";
import type { Failure } from "./failure.ts";
import { Overflow } from "./overflow.ts";
import { Retries } from "./retry.ts";
import { addUsage, noUsage, tokensOf } from "./usage.ts";

export interface Prompt {
  message: UserMessage;
  clientId?: string | undefined;
}

/** Asks the model until it rests, from messages that are in the log; `again` repeats an attempt that failed. */
export type Loop = (turn: Turn, started: readonly UserMessage[], again?: boolean) => Promise<void>;

/** One turn: from the messages that start it until the agent rests. Holds the path, keeps the outcome. */
export class Turn {
  readonly env: Environment;
  /** Ids of the events and queue items whose message this turn serves. */
  readonly served: string[] = [];
  readonly retries: Retries;
  private readonly overflow: Overflow;
  /** Rounds begun so far. */
  rounds = 0;
  private readonly hold: PathHold;
  private readonly control = new AbortController();
  private readonly startedAt = performance.now();
  private cancelled = false;
  private failure: { code: string; message: string } | undefined;
  private usage: Usage = noUsage();
  private text = "";
  private stopReason = "stop";
  private open = true;
  private readonly unhearStop: () => void;

  /** Takes the hold; throws LOG_BUSY when somebody else has it. */
  constructor(env: Environment) {
    this.env = env;
    this.hold = env.ctx.session.hold();
    this.retries = new Retries(env, this.signal);
    this.overflow = new Overflow(env);
    const { stopping } = env.ctx.session;
    this.unhearStop = onAbort(stopping, () => this.cancel(stopping.reason));
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }
  /** Whether a message sent now can still be part of this turn. */
  get accepts(): boolean {
    return this.open;
  }
  get path(): PathHold {
    return this.hold;
  }

  /** Writes the messages that start the turn; when this rejects, nothing was written and the hold is given back. */
  async begin(prompts: readonly Prompt[]): Promise<string> {
    try {
      const written = await this.hold.appendAll([
        ...this.modelChange(),
        ...opening(this.env.ctx),
        ...prompts.map(asEntry),
      ]);
      const ids = written.filter(({ type }) => type === "message").map(({ id }) => id);
      this.served.push(...prompts.flatMap(({ message }) => message.meta?.queueItemId ?? []), ...ids);
      return ids.at(-1) as string;
    } catch (thrown) {
      this.open = false;
      this.unhearStop();
      await this.hold.release();
      throw thrown;
    }
  }

  /** Runs to the end; never rejects. */
  async run(prompts: readonly Prompt[], loop: () => Promise<Loop>): Promise<TurnOutcome> {
    const { session } = this.env.ctx;
    try {
      session.emit("runtime_start", {});
      for (const { message } of prompts) await this.submit(userText(message.content));
      const runLoop = await loop();
      let messages: readonly UserMessage[] = prompts.map(({ message }) => message);
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

  /** Plans another attempt for a reply that has failed; false when the failure is final. */
  repeats(failure: Failure, { provider, id }: { provider: string; id: string }): boolean {
    return this.retries.plan(failure) || this.overflow.plan(failure, `${provider}/${id}`, this.served.at(-1));
  }

  /** Whether the reply that has just failed will be tried again. */
  get repeating(): boolean {
    return this.retries.pending || (this.overflow.pending && !this.signal.aborted);
  }

  /** Delivers the queued messages that are due now; none once the turn is ending. */
  async next(resting: boolean): Promise<readonly UserMessage[]> {
    const due: QueueItem[] = this.open ? this.env.queue.due(resting) : [];
    try {
      const delivered = await this.env.queue.deliver(due, this.hold);
      this.served.push(...due.map(({ id }) => id));
      return delivered;
    } catch (thrown) {
      this.fail(thrown);
      return [];
    }
  }

  /** Ends the turn at the user's wish, or because the session closes; what had arrived is kept. */
  cancel(reason: unknown = errors.AGENT_CANCELLED()): void {
    if (!this.open) return;
    this.cancelled = true;
    this.abort(reason);
  }

  /** Ends the turn with an error; after an abort it is only the abort's consequence. */
  fail(thrown: unknown): void {
    if (this.signal.aborted) return;
    this.failed(thrown);
    this.abort(thrown);
  }

  /** Notes why the turn fails, the first reason only; for a failed reply, after which the library ends by itself. */
  failed(thrown: unknown): void {
    this.failure ??= { code: codeOf(thrown, "AGENT_UNEXPECTED"), message: this.redact(messageOf(thrown)) };
    this.open = false;
  }

  /** Writes what must not be lost silently: a failure ends the turn, also a cancelled one. Answers whether it is in the log. */
  async keep(message: ScorelMessage, id: EventId): Promise<boolean> {
    const { ctx } = this.env;
    try {
      await this.hold.append("message", { message }, { id });
    } catch (thrown) {
      if (this.failure) ctx.report("append", thrown);
      this.failed(thrown);
      this.abort(thrown);
    }
    // Written but not on disk for good is a failure, too; yet the message is there.
    return ctx.session.tree.has(id);
  }

  /** Counts a reply in; one that is not kept has cost something, too. */
  count(message: AssistantMessage, kept: boolean): void {
    this.usage = addUsage(this.usage, message.usage);
    if (!kept || message.meta?.retried) return;
    this.text = assistantText(message.content);
    this.stopReason = message.stopReason;
  }

  /** Of a reply without words nothing is kept; what it has cost is noted beside the conversation, for whoever sums it up. */
  async noteSpent({ provider, model, usage }: AssistantMessage): Promise<void> {
    const { ctx } = this.env;
    if (tokensOf(usage) === 0) return;
    try {
      const data = { hidden: true, model: `${provider}/${model}`, usage };
      await ctx.session.append("custom", { kind: "spent", data });
    } catch (thrown) {
      ctx.report("append", thrown);
    }
  }

  /** Counts what a call beside the conversation has cost. */
  charge(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /** Why a reply that is not kept is gone. */
  get cancelReason(): "user_cancel" | "max_tokens" | "error" {
    if (this.cancelled) return "user_cancel";
    return this.failure?.code === "AGENT_LENGTH" ? "max_tokens" : "error";
  }

  /** Waits for the attempt that was planned, if any. */
  private async goesAgain(): Promise<boolean> {
    return (await this.retries.wait()) || (await this.overflow.shortened(this));
  }

  /** Says that a prompt has come, and writes what plugins add to it. */
  private async submit(prompt: string): Promise<void> {
    const { ctx } = this.env;
    ctx.session.emit("prompt_submit", { prompt });
    const added = await submitted(ctx, prompt, this.signal);
    if (added.length > 0) await this.hold.appendAll(added);
  }

  /** What came in while the library was ending. Looks and closes in one step, so that no message falls between. */
  private async late(): Promise<readonly UserMessage[]> {
    if (this.env.queue.due(true).length === 0) this.open = false;
    return this.next(true);
  }

  private abort(reason: unknown): void {
    this.open = false;
    this.control.abort(reason);
  }

  private async close(): Promise<TurnOutcome> {
    this.open = false;
    this.unhearStop();
    await this.hold.release();
    const outcome = this.outcome();
    const { session } = this.env.ctx;
    const { error } = outcome;
    if (error) session.emit("turn_error", { error });
    else session.emit("turn_finish", { usage: outcome.usage, duration: outcome.durationMs });
    session.emit("runtime_end", { reason: outcome.reason, ...(error && { error: error.message }) });
    return outcome;
  }

  private outcome(): TurnOutcome {
    const reason = this.failure ? "error" : this.cancelled ? "cancelled" : "completed";
    const stopReason = reason === "error" ? "error" : reason === "cancelled" ? "aborted" : this.stopReason;
    return {
      reason,
      ...(this.failure && { error: this.failure }),
      text: this.text,
      stopReason,
      usage: this.usage,
      durationMs: Math.round(performance.now() - this.startedAt),
      leafId: this.env.ctx.session.activeLeaf,
    };
  }

  /** The model and the level of thinking in use, once, when they are not those that the session remembers. */
  private modelChange() {
    const { ctx } = this.env;
    const { provider, id } = ctx.model.current();
    const model = `${provider}/${id}`;
    const thinkingLevel = ctx.find("workspace")?.thinking;
    const known = ctx.session.projection("sessionMeta");
    const changes = {
      ...(known.model !== model && { model }),
      ...(thinkingLevel !== undefined && known.thinkingLevel !== thinkingLevel && { thinkingLevel }),
    };
    return Object.keys(changes).length === 0 ? [] : [{ type: "session_info" as const, payload: { changes } }];
  }

  private redact(text: string): string {
    return redaction(this.env.ctx).text(text);
  }
}

function asEntry({ message, clientId }: Prompt) {
  return { type: "message" as const, payload: { message }, ...(clientId !== undefined && { clientId }) };
}
