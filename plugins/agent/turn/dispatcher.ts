import { type AppendEntry, codeOf, messageOf, newId } from "@scorel/kernel";
import type { Usage, UserMessage } from "@scorel/messages/contract";
import type { QueueChange, QueueItem, RewriteOptions, Sent, TurnOutcome } from "../contract.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { Cleaning } from "./cleaning.ts";
import type { Prompt } from "./first-entries.ts";
import { Interlude } from "./interlude.ts";
import { outcomeFromLog, unserved } from "./outcome.ts";
import { Outcomes } from "./outcomes.ts";
import { type Sending, SentMessages, withMessageId } from "./sent-messages.ts";
import { passedOver, type SuspendedTurn, servedBy, suspendedTurn } from "./suspended.ts";
import { type Loop, Turn } from "./turn.ts";

interface Current {
  turn: Turn | Interlude;
  /** The id of the message that started the turn. Rejects if the message could not be written. */
  begun: Promise<string>;
  done: Promise<TurnOutcome>;
}

/**
 * Routes each message to a new turn, to the queue of the running turn, or, for a repeated id, to the earlier outcome.
 * Checking the state and acting on it happen without an await in between, so that no message is lost.
 */
export class Dispatcher {
  private readonly env: Environment;
  private current: Current | undefined;
  private readonly outcomes = new Outcomes();
  private readonly sent: SentMessages;
  private readonly cleaning: Cleaning;
  private closed = false;

  constructor(env: Environment) {
    this.env = env;
    this.sent = new SentMessages(env.ctx.session);
    this.cleaning = new Cleaning(env);
  }

  /** Number of characters of the messages that the layers of `beforeStore` have not processed yet. */
  get unclean(): number {
    return this.cleaning.unclean;
  }

  /** True when no further turn may start. */
  private get stopped(): boolean {
    return this.closed || this.env.ctx.session.stopping.aborted;
  }
  get running(): boolean {
    return this.current !== undefined;
  }
  get signal(): AbortSignal | undefined {
    return this.current?.turn.signal;
  }

  async send(given: UserMessage, sending: Sending): Promise<Sent> {
    if (!this.stopped) await this.env.ctx.model.ready?.();
    const sent = withMessageId(given, await this.cleaning.clean(given), sending);
    const { clientId, running, idle } = sending;
    for (;;) {
      if (this.current && !(await hasBegun(this.current))) continue;
      const known = this.sent.known(sending);
      if (known !== undefined) return { status: "duplicate", id: known, turn: this.outcomeOf(known) };
      if (!this.current && idle === "queue")
        return this.add(sent, running === "steer" ? "steer" : "follow_up", clientId);
      if (!this.current) return this.startWith(() => [{ message: sent, clientId }]) as Promise<Sent>;
      if (running === "refuse") throw errors.AGENT_BUSY();
      const { turn, done } = this.current;
      // During an interlude, too, since a summary may take minutes: the message is on disk, and its sender has an answer.
      if (turn.accepts || turn instanceof Interlude) {
        const queued = await this.add(sent, running ?? "follow_up", clientId);
        if (turn instanceof Interlude && idle !== "queue") this.awaitTurn(queued.id);
        return queued;
      }
      await done;
    }
  }

  /** Starts a turn with these messages. Waits for a turn that is just ending; throws AGENT_BUSY if one is running. */
  async start(prompts: readonly Prompt[]): Promise<Sent> {
    const clean = await Promise.all(
      prompts.map(async (prompt) => ({ ...prompt, message: await this.cleaning.clean(prompt.message) })),
    );
    return (await this.startWith(() => clean)) as Sent;
  }

  /** Starts a turn with the queued messages that are due; undefined when none is. */
  startQueued(): Promise<Sent | undefined> {
    return this.startWith(() => {
      const due = this.env.queue.dueFirst();
      return due.length === 0 ? undefined : due;
    });
  }

  private async startWith(find: () => readonly Prompt[] | undefined): Promise<Sent | undefined> {
    while (this.current && !this.current.turn.accepts) await this.current.done;
    if (this.stopped) throw errors.AGENT_STOPPED();
    if (this.current) throw errors.AGENT_BUSY();
    const prompts = find();
    if (!prompts) return undefined;
    const passed = this.passOver();
    return this.run(new Turn(this.env), prompts, passed);
  }

  private async run(turn: Turn, prompts: readonly Prompt[], before: readonly AppendEntry[]): Promise<Sent> {
    const begun = turn.begin(prompts, before);
    const done = this.conduct(turn, begun, prompts);
    this.current = { turn, begun, done };
    const id = await begun;
    for (const served of turn.served) this.outcomes.remember(served, done);
    return { status: "started", id, turn: done };
  }

  /** The suspended turn of an earlier host that resumes when its question is answered, unless a turn is running. */
  private get suspended(): SuspendedTurn | undefined {
    return this.current ? undefined : suspendedTurn(this.env);
  }

  /** Whether a suspended turn of an earlier host resumes when this question is answered. */
  awaits(requestId: string): boolean {
    return this.suspended?.requestId === requestId;
  }

  /** Resumes the suspended turn whose question is being answered, once `write` has stored the answer. */
  resume<E>(requestId: string, write: () => Promise<E>): Promise<E> | undefined {
    const { suspended } = this;
    if (suspended?.requestId !== requestId || this.stopped || this.env.ctx.session.held) return undefined;
    const answered = write();
    const report = (thrown: unknown) => this.env.ctx.report("turn", thrown);
    // Only failures of the turn are reported. If the answer could not be stored, the caller gets the error from `answered`.
    const run = this.run(new Turn(this.env, { ...suspended, answered }), [], []);
    run.catch((thrown) => answered.then(() => report(thrown)).catch(() => {}));
    return answered;
  }

  /** Gives up a suspended turn, since the conversation continues without its answer. Returns the entries to write first. */
  private passOver(): AppendEntry[] {
    const { suspended } = this;
    if (!suspended) return [];
    this.outcomes.settle(servedBy(suspended), unserved(this.env.ctx.session, errors.AGENT_INTERRUPTED()));
    return passedOver(suspended, this.env);
  }

  /** Adds a message to the queue, whether or not a turn is running. */
  async enqueue(message: UserMessage, mode: QueueItem["mode"], clientId?: string): Promise<Sent> {
    const clean = this.cleaning.clean(message);
    // No `await` unless it is necessary: the queue must have the message at once, since its size limits how much a plugin may add.
    return this.add(clean instanceof Promise ? await clean : clean, mode, clientId);
  }

  private async add(message: UserMessage, mode: QueueItem["mode"], clientId = "agent"): Promise<Sent> {
    if (this.stopped) throw errors.AGENT_STOPPED();
    const id = newId();
    const turn = this.outcomes.wait(id);
    try {
      await this.env.queue.add({ id, mode, message, clientId });
    } catch (thrown) {
      this.outcomes.forget(id);
      throw thrown;
    }
    return { status: "queued", id, turn };
  }

  /** Makes sure that a turn takes a queued message: a running turn does; an interlude is followed by one; else one starts now. */
  private awaitTurn(id: string): void {
    const { ctx } = this.env;
    if (this.current?.turn instanceof Interlude) this.current.turn.awaited.add(id);
    else if (!this.current && !this.stopped && ctx.session.projection("queue").some((item) => item.id === id))
      this.startQueued().catch((thrown) => ctx.report("turn", thrown));
  }

  async rewriteQueue(items: readonly QueueChange[], options: RewriteOptions): Promise<void> {
    const clean = await Promise.all(
      items.map(async (item) => (item.message ? { ...item, message: await this.cleaning.clean(item.message) } : item)),
    );
    const removed = await this.env.queue.rewrite(clean, options);
    const outcome = unserved(this.env.ctx.session, errors.AGENT_REMOVED());
    this.outcomes.settle(removed, outcome);
  }

  /** Runs `work` while no turn can start. Throws AGENT_BUSY when a turn is running. */
  async betweenTurns<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    if (this.stopped) throw errors.AGENT_STOPPED();
    if (this.current) throw errors.AGENT_BUSY();
    const { session } = this.env.ctx;
    const passed = this.passOver();
    const interlude = new Interlude(session);
    const run = interlude.run(async (signal) => {
      if (passed.length > 0) await session.appendAll(passed);
      return work(signal);
    });
    const ended = () => {
      this.current = undefined;
      for (const id of interlude.awaited) this.awaitTurn(id);
      // An interlude answers no message, so this outcome is never read.
      return unserved(this.env.ctx.session, errors.AGENT_BUSY());
    };
    this.current = { turn: interlude, begun: Promise.resolve(""), done: run.then(ended, ended) };
    return run;
  }

  /** Adds the usage of work outside the conversation to the running turn. Returns false when none is running. */
  charge(usage: Usage): boolean {
    if (!(this.current?.turn instanceof Turn)) return false;
    this.current.turn.result.charge(usage);
    return true;
  }

  /** Cancels the running turn. `reason` appears in the results of its calls and in the reply. */
  async cancel(clientId?: string, reason = errors.AGENT_CANCELLED()): Promise<boolean> {
    const { current } = this;
    if (!current) return false;
    if (current.turn instanceof Turn) current.turn.cancel(reason, clientId);
    else current.turn.cancel(reason);
    await current.done;
    return true;
  }

  async idle(): Promise<void> {
    while (this.current) await this.current.done;
  }

  /** Cancels the running turn and resolves all pending outcomes with AGENT_STOPPED. Queued messages stay in the log. */
  async stop(): Promise<void> {
    this.closed = true;
    await this.cancel(undefined, errors.AGENT_SESSION_CLOSED());
    this.outcomes.settle(this.outcomes.pending, unserved(this.env.ctx.session, errors.AGENT_STOPPED()));
  }

  /** Runs the turn. Never rejects: a turn that could not start is reported by `begun`. */
  private async conduct(turn: Turn, begun: Promise<string>, prompts: readonly Prompt[]): Promise<TurnOutcome> {
    try {
      await begun;
    } catch {
      this.current = undefined;
      const outcome = unserved(this.env.ctx.session, errors.AGENT_INTERRUPTED());
      this.outcomes.settle(
        this.env.queue.gone(prompts.flatMap(({ message }) => message.meta?.queueItemId ?? [])),
        outcome,
      );
      return outcome;
    }
    const outcome = await turn.run(prompts, loadLoop).catch((thrown) => this.broken(thrown));
    this.current = undefined;
    this.outcomes.settle(turn.served, outcome);
    return outcome;
  }

  /** Builds the outcome of a turn that could not even write its end, because the log is closed. */
  private broken(thrown: unknown): TurnOutcome {
    this.env.ctx.report("turn", thrown);
    const error = { code: codeOf(thrown), message: messageOf(thrown) };
    return { ...unserved(this.env.ctx.session, error), reason: "error", stopReason: "error" };
  }

  private outcomeOf(id: string): Promise<TurnOutcome> {
    return this.find(id) ?? Promise.resolve(unserved(this.env.ctx.session, errors.AGENT_REMOVED()));
  }

  /** The outcome of a message, sent in this activation of the session or before; undefined if there is no such message. */
  find(id: string): Promise<TurnOutcome> | undefined {
    const known = this.outcomes.get(id);
    if (known) return known;
    if (this.env.queue.items.some((item) => item.id === id)) return this.outcomes.wait(id);
    if (this.current?.turn.served.includes(id)) return this.current.done;
    const { suspended } = this;
    if (suspended && servedBy(suspended).includes(id)) return this.outcomes.wait(id);
    const outcome = outcomeFromLog(this.env.ctx.session, id);
    return outcome && Promise.resolve(outcome);
  }
}

async function hasBegun({ begun }: Current): Promise<boolean> {
  return begun.then(
    () => true,
    () => false,
  );
}

/** Loads pi-agent-core and pi-ai with the first turn, so that sessions without a turn do not pay for them. */
async function loadLoop(): Promise<Loop> {
  return (await import("./loop.ts")).runLoop;
}
