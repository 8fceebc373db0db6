import { type BaseContext, codeOf, newId, type PerPlugin, perPlugin, stopClock } from "@scorel/kernel";
import type { AskOptions, OpenRequest, Question, RequestAnswer, RequestOption, RequestsService } from "./contract.ts";
import { errors } from "./errors.ts";

/** An answer as a client gives it. */
export interface Given {
  requestId: string;
  answer: string;
  reason?: string | undefined;
  messageId?: string | undefined;
  clientId: string;
}
interface Outcome {
  eventId: string;
  message?: string;
}

/** The questions of one open session. */
export class Requests {
  private readonly ctx: BaseContext;
  private readonly clients = new Set<string>();
  private readonly waiting = new Map<string, (answer: RequestAnswer) => void>();
  /** What was answered with a client-made id, for a retry. */
  private readonly given = new Map<string, Promise<Outcome>>();

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
  }

  get attended(): boolean {
    return this.clients.size > 0;
  }

  /** With the last client that answers, the questions go. */
  async attend(clientId: string, attending: boolean): Promise<void> {
    if (attending) this.clients.add(clientId);
    else this.clients.delete(clientId);
    if (!this.attended) await this.withdrawAll("nobody is there any more to answer");
  }

  open(): OpenRequest[] {
    return Object.values(this.ctx.session.projection("openRequests"));
  }

  async ask(plugin: string, question: Question, { signal }: AskOptions): Promise<RequestAnswer> {
    signal?.throwIfAborted();
    if (!this.attended) return { answer: null, reason: "no client answers questions" };
    const go = stopClock(signal);
    const requestId = newId();
    const answered = new Promise<RequestAnswer>((resolve) => this.waiting.set(requestId, resolve));
    const withdraw = () => void this.withdraw(requestId, "it was taken back");
    signal?.addEventListener("abort", withdraw, { once: true });
    try {
      await this.ctx.session.append("approval_request", { requestId, plugin, ...question });
      if (signal?.aborted) withdraw();
      const answer = await answered;
      signal?.throwIfAborted();
      return answer;
    } finally {
      signal?.removeEventListener("abort", withdraw);
      this.waiting.delete(requestId);
      go();
    }
  }

  answer(given: Given): Promise<Outcome> {
    const { messageId } = given;
    const known = messageId === undefined ? undefined : this.given.get(messageId);
    if (known) return known;
    const outcome = this.write(given);
    if (messageId === undefined) return outcome;
    this.given.set(messageId, outcome);
    outcome.catch(() => this.given.delete(messageId));
    return outcome;
  }

  /** Ends every question that nobody here waits for: its host has ended. */
  async voidLeftovers(): Promise<void> {
    for (const { requestId } of this.open())
      if (!this.waiting.has(requestId)) await this.end(requestId, "the host ended while it was open");
  }

  /** Ends all questions, since nobody will hear an answer. */
  async close(): Promise<void> {
    await this.withdrawAll("the session was closed");
  }

  private async withdrawAll(reason: string): Promise<void> {
    await Promise.all([...this.waiting.keys()].map((id) => this.withdraw(id, reason)));
  }

  private async write({ requestId, answer, reason, clientId }: Given): Promise<Outcome> {
    const request = this.ctx.session.projection("openRequests")[requestId];
    if (!request) throw errors.REQUEST_CLOSED({ id: requestId });
    const option = optionOf(request, answer);
    const payload = { requestId, answer, ...(reason !== undefined && { reason }) };
    const { id } = await this.ctx.session.append("approval_answer", payload, { clientId, check: isOpen(requestId) });
    this.waiting.get(requestId)?.({ answer, ...(reason !== undefined && { reason }) });
    const message = option?.message === true ? reason : option?.message;
    return { eventId: id, ...(message !== undefined && { message }) };
  }

  private async withdraw(requestId: string, reason: string): Promise<void> {
    const resolve = this.waiting.get(requestId);
    try {
      await this.end(requestId, reason);
    } catch (thrown) {
      // Somebody was quicker, and that answer is the one that counts.
      if (codeOf(thrown) === "REQUEST_CLOSED") return;
      this.ctx.report("requests", thrown);
    }
    resolve?.({ answer: null, reason });
  }

  private async end(requestId: string, reason: string): Promise<void> {
    await this.ctx.session.append("approval_answer", { requestId, answer: null, reason }, { check: isOpen(requestId) });
  }
}

const isOpen =
  (id: string) =>
  (view: { projection(name: "openRequests"): Readonly<Record<string, OpenRequest>> }): void => {
    if (!Object.hasOwn(view.projection("openRequests"), id)) throw errors.REQUEST_CLOSED({ id });
  };

/** The option that an answer names; throws REQUEST_ANSWER for one that is not offered. */
function optionOf({ kind, options = [] }: OpenRequest, answer: string): RequestOption | undefined {
  if (kind === "input") return undefined;
  const offered = kind === "confirm" ? ["y", "n"] : options.map(({ value }) => value);
  if (!offered.includes(answer)) throw errors.REQUEST_ANSWER({ answer, offered: offered.join(", ") });
  return options.find(({ value }) => value === answer);
}

/** The service; each plugin asks in its own name. */
export function createService(requests: Requests): RequestsService {
  const viewFor = (plugin: string): RequestsService => ({
    get attended() {
      return requests.attended;
    },
    ask: (question, options = {}) => requests.ask(plugin, question, options),
    async select(title, options, fallback, ask = {}) {
      const question: Question = { kind: "select", title, options: [...options] };
      return (await requests.ask(plugin, question, ask)).answer ?? fallback;
    },
    async confirm(title, fallback = false, ask = {}) {
      const { answer } = await requests.ask(plugin, { kind: "confirm", title }, ask);
      return answer === null ? fallback : answer === "y";
    },
    async input(title, fallback = "", ask = {}) {
      return (await requests.ask(plugin, { kind: "input", title }, ask)).answer ?? fallback;
    },
  });
  const service: RequestsService & PerPlugin<RequestsService> = Object.assign(viewFor("requests"), {
    [perPlugin]: ({ plugin }: BaseContext) => viewFor(plugin),
  });
  return service;
}
