import { ALL_RIGHTS, clientName, offeredTo } from "@scorel/host/client";
import type { Client, RequestsNow, Rights } from "@scorel/host/contract";
import { codeOf, isEvent } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { OpenRequest } from "@scorel/requests/contract";
import { hint, readAnswer, shownQuestion } from "./choices.ts";
import type { Screen } from "./screen.ts";

/** Milliseconds that a question has to be on the screen before a line answers it. Text typed before is dropped. */
const SEEN_MS = 600;
/** The same for a question that replaces one that ended elsewhere: typed text may be meant for that one. */
const SWAPPED_MS = 1_500;
/** A question that is shown within so many milliseconds after another one ended elsewhere counts as its replacement. */
const SWAP_MS = 10_000;

const SWAPPED = "(the question that stood here was withdrawn; this is another one)\n";
const EARLY = "(that was typed before the question could be read, so it does not count)";

/** A clock and a timer, which tests replace. */
export interface Times {
  now(): number;
  /** Runs work after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

const real: Times = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** The questions of plugins, shown to the user one at a time, oldest first. */
export class Questions {
  private readonly client: Client;
  private readonly sessionId: string;
  private readonly screen: Screen;
  private readonly rights: Rights;
  private readonly open = new Map<string, OpenRequest>();
  /** The displayed question. A typed line answers this one, never a later one. */
  private shown: OpenRequest | undefined;
  /** Whether the displayed question was on the screen long enough to be read. */
  private isSeen = false;
  /** Stops the timer for `isSeen`. */
  private stopWaiting = () => {};
  private isOver = false;
  /** When the last displayed question ended without an answer from this client, and whether it was withdrawn. */
  private goneAt = Number.NEGATIVE_INFINITY;
  private isWithdrawn = false;
  /** Id of the question that this client has answered last. */
  private given: string | undefined;
  private readonly times: Times;

  constructor(client: Client, sessionId: string, screen: Screen, rights: Rights = ALL_RIGHTS, times = real) {
    this.client = client;
    this.rights = rights;
    this.sessionId = sessionId;
    this.screen = screen;
    this.times = times;
  }

  /** Stops taking answers, because another session is shown or the input has ended. */
  end(): void {
    this.isOver = true;
    this.stopWaiting();
  }

  /** Tells the host whether a person is present to answer, and shows the open questions. */
  async attend(attending: boolean): Promise<void> {
    const { sessionId } = this;
    const known = await ifSupported(this.client.request("attend_requests", { sessionId, attending }));
    if (known && !attending) return;
    for (const request of known?.requests ?? []) this.open.set(request.requestId, offeredTo(request, this.rights));
    for (const status of known?.statuses ?? []) await this.screen.setStatus(status);
    await this.next();
  }

  /** True when the displayed question accepts any line, even one that starts with a slash. */
  get takesAll(): boolean {
    return this.shown?.kind === "input";
  }
  /** Id of the displayed question. */
  get asked(): string | undefined {
    return this.shown?.requestId;
  }

  /** Id of the displayed question, once it was on the screen long enough: a line that is typed now answers it. Undefined before. */
  get answerable(): string | undefined {
    return this.isSeen ? this.shown?.requestId : undefined;
  }

  /** Handles an event about a new question, or about one that ended, here or elsewhere. */
  async hear(event: { type: string }): Promise<void> {
    if (isEvent(event, "approval_request")) {
      this.open.set(event.requestId, offeredTo(event, this.rights));
      await this.next();
    } else if (isEvent(event, "approval_answer")) {
      await this.tellWho(event);
      await this.ended(event.requestId, typeof event.answer !== "string");
    }
  }

  /** Tells the user which other client has answered the displayed question, and the answer. */
  private async tellWho({ requestId, answer, clientId }: Answer): Promise<void> {
    const { shown } = this;
    if (shown?.requestId !== requestId || this.given === requestId || typeof answer !== "string") return;
    const label = shown.options?.find(({ value }) => value === answer)?.label ?? answer;
    await this.screen.say(`(${clientName(clientId) ?? "another client"} has answered: ${lineOf(label)})`);
  }

  /**
   * Answers the displayed question, if `answerable` was its id when the line was typed. Returns a message to send in the user's name, if
   * the answer asks for one.
   */
  async answer(line: string, answerable: string | undefined): Promise<string | undefined> {
    const { shown } = this;
    if (!shown) return undefined;
    if (shown.requestId !== answerable) {
      await this.screen.line(EARLY);
      return undefined;
    }
    const given = readAnswer(shown, line);
    if (given) return this.give(shown, given);
    await this.screen.say(`Please answer ${hint(shown).slice(1, -1)} (Ctrl-C cancels).`);
    return undefined;
  }

  /** Declines a question, unless it has ended already. */
  async leave(requestId: string): Promise<void> {
    const { shown } = this;
    if (shown?.requestId === requestId) await this.give(shown, { answer: null });
  }

  private async give(
    { requestId }: OpenRequest,
    given: { answer: string | null; reason?: string },
  ): Promise<string | undefined> {
    const { sessionId } = this;
    const { answer, reason } = given;
    this.given = requestId;
    this.goneAt = Number.NEGATIVE_INFINITY;
    try {
      const said = { answer, ...(reason && { reason }) };
      const { message } = await this.client.request("answer_request", { sessionId, requestId, ...said });
      return message;
    } catch (thrown) {
      if (codeOf(thrown) !== "REQUEST_CLOSED") throw thrown;
      const { why } = (thrown as { data?: { why?: unknown } }).data ?? {};
      if (answer !== null)
        await this.screen.say(`(not answered: ${typeof why === "string" ? why : "it is not open any more"})`);
      return undefined;
    } finally {
      await this.ended(requestId);
    }
  }

  private async ended(requestId: string, isWithdrawn = false): Promise<void> {
    this.open.delete(requestId);
    if (this.shown?.requestId !== requestId) return;
    if (this.given !== requestId) this.goneAt = this.times.now();
    this.isWithdrawn = isWithdrawn;
    this.shown = undefined;
    this.stopWaiting();
    await this.next();
  }

  private async next(): Promise<void> {
    if (this.shown) return;
    const [first] = this.open.values();
    this.shown = first;
    await (first ? this.show(first) : this.screen.answered());
  }

  private async show(question: OpenRequest): Promise<void> {
    this.isSeen = false;
    const isSwapped = this.times.now() - this.goneAt < SWAP_MS;
    const { text, prompt } = shownQuestion(question, this.screen.width);
    await this.screen.ask({ text: `${isSwapped && this.isWithdrawn ? SWAPPED : ""}${text}`, prompt });
    if (this.shown !== question || this.isOver) return;
    this.stopWaiting = this.times.after(isSwapped ? SWAPPED_MS : SEEN_MS, () => {
      this.isSeen = true;
      this.screen.takeAnswer();
    });
  }
}

/** Tells the host that this client shows notifications, but does not answer questions. Returns the open questions. */
export function openQuestions(client: Client, sessionId: string): Promise<RequestsNow | undefined> {
  return ifSupported(client.request("list_requests", { sessionId }));
}

/** Resolves with undefined when no plugin for questions is loaded. */
async function ifSupported<R>(answer: Promise<R>): Promise<R | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return undefined;
  }
}

interface Answer {
  requestId: string;
  answer: string | null;
  clientId: string;
}
