import type {} from "@scorel/agent/contract";
import { type BaseContext, codeOf, newId, type Session, type StoredEvent } from "@scorel/kernel";
import { Attendance } from "./attendance.ts";
import { closed, LEFT, WITHDRAWN } from "./closed.ts";
import type { AskOptions, OpenRequest, Question, RequestAnswer } from "./contract.ts";
import { type Given, type Outcome, optionOf, repeated } from "./given.ts";
import { LateAnswers } from "./late.ts";
import { storableQuestion } from "./storable.ts";

interface Waiting {
  plugin: string;
  resolve(answer: RequestAnswer): void;
  /** Why the question is withdrawn. It may be set before the question is stored. */
  withdrawn?: string;
}

/** The reason for a missing answer when the session closes. */
const CLOSED = "the session was closed";
/** The most open questions at a time: nobody would answer more, and each one is stored in the log. */
const MOST_OPEN = 200;
const HOST_STOPPED = "the host was stopped";

/** The questions of an open session. */
export class Requests {
  private readonly ctx: BaseContext;
  private readonly attendance: Attendance;
  private readonly waiting = new Map<string, Waiting>();
  /** Outcomes by client-made message id, for retries. */
  private readonly given = new Map<string, { given: Given; outcome: Promise<Outcome> }>();
  private readonly late = new LateAnswers();
  private over = false;

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
    this.attendance = new Attendance(ctx.find("workspace")?.attending === true);
  }

  get attended(): boolean {
    return !this.over && this.attendance.isExpected;
  }

  /** Starts or stops answering by a client. When the last one leaves, all questions are withdrawn. */
  async attend(client: object, attending: boolean): Promise<void> {
    this.attendance.change(client, attending);
    if (!this.attended) await this.withdrawAll("nobody is there any more to answer");
  }

  /** Stops expecting the announced client, since the conversation has continued without it. */
  async expectNoMore(): Promise<void> {
    if (this.attendance.expectNoMore() && !this.attended) await this.withdrawAll("nobody is there to answer");
  }

  /** Calls `watcher` when clients begin or stop to answer questions. Returns a function that ends this. */
  onAttendance(watcher: () => void): () => void {
    return this.attendance.onChange(watcher);
  }

  open(): OpenRequest[] {
    return Object.values(this.ctx.session.projection("openRequests"));
  }

  async ask(plugin: string, question: Question, options: AskOptions): Promise<RequestAnswer> {
    const { signal } = options;
    signal?.throwIfAborted();
    // A layer of a hook counts as asynchronous only after it has returned its promise.
    await null;
    const work = signal ? [signal] : this.ctx.calls.of(plugin);
    if (!this.attended) return this.default(plugin, question, "no client answers questions");
    if (this.waiting.size >= MOST_OPEN) return this.default(plugin, question, "too many questions are open");
    return this.wait(plugin, question, work, options);
  }

  /** See the service. */
  async recall(plugin: string, requestId: string, question: Question): Promise<RequestAnswer | undefined> {
    return this.late.recall(requestId, { plugin, ...(await this.storable(question)) });
  }

  /** Writes the question and waits for its answer. The time limits of the layers and tools that ask pause meanwhile. */
  private async wait(
    plugin: string,
    question: Question,
    work: readonly AbortSignal[],
    { outlivesHost = false }: AskOptions,
  ): Promise<RequestAnswer> {
    const requestId = newId();
    const answered = new Promise<RequestAnswer>((resolve) => this.waiting.set(requestId, { plugin, resolve }));
    const isOver = () => work.length > 0 && work.every(({ aborted }) => aborted);
    const withdraw = () => {
      if (!isOver()) return;
      const reason = withdrawal(work[0]?.reason);
      if (outlivesHost && reason === HOST_STOPPED) this.waiting.get(requestId)?.resolve({ answer: null, reason });
      else void this.withdraw(requestId, reason);
    };
    const go = work.map((signal) => this.ctx.calls.pauseLimit(signal));
    for (const signal of work) signal.addEventListener("abort", withdraw);
    try {
      const stored = await this.storable(question);
      await this.ctx.session.append("approval_request", { requestId, plugin, ...stored });
      const withdrawn = this.waiting.get(requestId)?.withdrawn;
      if (withdrawn !== undefined) await this.withdraw(requestId, withdrawn);
      withdraw();
      const answer = await answered;
      if (isOver()) throw work[0]?.reason;
      return answer;
    } finally {
      for (const signal of work) signal.removeEventListener("abort", withdraw);
      this.waiting.delete(requestId);
      for (const goOn of go) goOn();
    }
  }

  /** The question with redacted texts. Clients see the same, since their events are those in the log. */
  private async storable(question: Question): Promise<Question> {
    return storableQuestion(question, (text) => this.clean(text));
  }

  /** Redacts text. Without an agent, or with an agent of another plugin that has no such hook, returns it unchanged. */
  private async clean(text: string): Promise<string> {
    return (await this.ctx.find("agent")?.storable?.(text)) ?? text;
  }

  private default(plugin: string, { kind, title, fallback }: Question, reason: string): RequestAnswer {
    if (!this.over) this.ctx.session.emit("request_defaulted", { plugin, kind, title, answer: fallback ?? null });
    return { answer: null, reason };
  }

  /** The operations that a client must be allowed to call in order to give an answer; "all" for a lasting one. */
  neededFor({ requestId, answer }: Pick<Given, "requestId" | "answer">): "all" | string[] {
    const { options = [] } = this.request(requestId) ?? {};
    const given = options.filter(({ value }) => value === answer);
    return given.some(({ lasting }) => lasting) ? "all" : given.flatMap(({ needs }) => needs ?? []);
  }

  /** The open question with an id. Clients may send any string as the id, even the name of a property that every object has. */
  private request(id: string): OpenRequest | undefined {
    const open = this.ctx.session.projection("openRequests");
    return Object.hasOwn(open, id) ? open[id] : undefined;
  }

  answer(given: Given): Promise<Outcome> {
    const { messageId } = given;
    const known = messageId === undefined ? undefined : this.given.get(messageId);
    if (known) return repeated(known, given);
    const outcome = this.write(given);
    if (messageId === undefined) return outcome;
    this.given.set(messageId, { given, outcome });
    outcome.catch(() => this.given.delete(messageId));
    return outcome;
  }

  /** Ends open questions of an earlier process, for which no code waits. Questions that an interrupted turn waits for stay. */
  async voidLeftovers(reason: string): Promise<void> {
    const agent = this.ctx.find("agent");
    const isLeft = ({ requestId }: OpenRequest) => !this.waiting.has(requestId) && agent?.awaits?.(requestId) !== true;
    for (const { requestId } of this.open().filter(isLeft)) await this.end(requestId, reason);
  }

  /** Withdraws the questions of a plugin that stopped. */
  forget(plugin: string): void {
    const reason = this.ctx.session.stopping.aborted ? CLOSED : "its plugin stopped";
    void this.withdrawAll(reason, (waiting) => waiting.plugin === plugin);
  }

  /** Withdraws all questions. */
  async close(): Promise<void> {
    this.over = true;
    await this.withdrawAll(CLOSED);
  }

  private async withdrawAll(reason: string, which: (waiting: Waiting) => boolean = () => true): Promise<void> {
    const ids = [...this.waiting].filter(([, waiting]) => which(waiting)).map(([id]) => id);
    await Promise.all(ids.map((id) => this.withdraw(id, reason)));
  }

  private async write({ requestId, answer, reason, clientId }: Given): Promise<Outcome> {
    const request = this.request(requestId);
    if (!request) throw closed(this.ctx.session, requestId);
    const option = optionOf(request, answer);
    const said = reason ?? (answer === null ? LEFT : undefined);
    const payload = {
      requestId,
      answer: request.kind === "input" && answer !== null ? await this.clean(answer) : answer,
      ...(said !== undefined && { reason: await this.clean(said) }),
    };
    const full: RequestAnswer = {
      answer,
      ...(said !== undefined && { reason: said }),
      ...(answer === null && { declined: true }),
    };
    const check = isOpen(this.ctx.session, requestId);
    const append = () => this.ctx.session.append("approval_answer", payload, { clientId, check });
    const waiting = this.waiting.get(requestId);
    const { id } = await (waiting ? append() : this.writeLate(request, full, append));
    waiting?.resolve(full);
    const message = option?.message === true ? reason : option?.message;
    return { eventId: id, ...(message !== undefined && { message }) };
  }

  /** Writes an answer to a question of an earlier process, and resumes the turn that waits for it. */
  private async writeLate(request: OpenRequest, answer: RequestAnswer, append: () => Promise<StoredEvent>) {
    const written = async () => {
      const event = await append();
      this.late.add(request, answer);
      return event;
    };
    return this.ctx.find("agent")?.resume?.(request.requestId, written) ?? written();
  }

  private async withdraw(requestId: string, reason: string): Promise<void> {
    const waiting = this.waiting.get(requestId);
    if (waiting) waiting.withdrawn = reason;
    try {
      await this.end(requestId, reason);
    } catch (thrown) {
      // Another client has answered first, and that answer counts; or the question is not stored yet, and `wait` withdraws it then.
      if (codeOf(thrown) === "REQUEST_CLOSED") return;
      this.ctx.report("requests", thrown);
    }
    waiting?.resolve({ answer: null, reason });
  }

  private async end(requestId: string, reason: string): Promise<void> {
    await this.ctx.session.append(
      "approval_answer",
      { requestId, answer: null, reason },
      { check: isOpen(this.ctx.session, requestId) },
    );
  }
}

/** The reason why a question is withdrawn, from the reason why the asking work was cancelled. */
function withdrawal(reason: unknown): string {
  return codeOf(reason) === "AGENT_HOST_STOPPED" ? HOST_STOPPED : WITHDRAWN;
}

const isOpen =
  (session: Session, id: string) =>
  (view: { projection(name: "openRequests"): Readonly<Record<string, OpenRequest>> }): void => {
    if (!Object.hasOwn(view.projection("openRequests"), id)) throw closed(session, id);
  };
