import { newId } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import { within } from "@scorel/kit/values/within";
import type { BufferOffer, BufferRequest } from "./contract.ts";
import { errors } from "./errors.ts";

/** How long a client may take to answer. Tools wait longer than this for a file. */
const ANSWER_MS = 5_000;

interface Client extends BufferOffer {
  clientId: string;
}
interface Waiting {
  clientId: string;
  request: BufferRequest;
  answer(given: Answer): void;
}
/** The text of a file or nothing; or why it could not be done. */
export type Answer = { text?: string | undefined; reason?: string | undefined };

/** How the clients of a session are reached. */
export interface Outlet {
  /** Tells clients that one of them is asked. */
  ask(requestId: string, clientId: string): void;
  /** Tells people of a problem. */
  tell(problem: Error): void;
  answerMs?: number;
}

/** The clients that have offered their buffers, and what they are asked. */
export class Offers {
  private readonly outlet: Outlet;
  /** The last one is asked. */
  private clients: Client[] = [];
  /** The signals that say when a client has left. A client may offer the same many times. */
  private readonly heard = new WeakSet<AbortSignal>();
  private readonly waiting = new Map<string, Waiting>();

  constructor(outlet: Outlet) {
    this.outlet = outlet;
  }

  /** Takes a client's offer in place of an earlier one, until `gone` aborts. */
  offer(client: Client, gone: AbortSignal): void {
    this.remove(client.clientId);
    if (!client.reads && !client.writes) return;
    this.clients.push(client);
    if (this.heard.has(gone)) return;
    this.heard.add(gone);
    onAbort(gone, () => {
      this.remove(client.clientId);
      this.failAll(client.clientId, "it has left");
    });
  }

  has(what: keyof BufferOffer): boolean {
    return this.clients.some((client) => client[what]);
  }

  /** Throws BUFFERS_CLOSED. */
  take(requestId: string, clientId: string): BufferRequest {
    return this.waitingFor(requestId, clientId).request;
  }

  /** Throws BUFFERS_CLOSED. */
  answer(requestId: string, clientId: string, answer: Answer): void {
    this.waitingFor(requestId, clientId).answer(answer);
  }

  /**
   * Asks the client that made the last such offer. Undefined if there is none. One that does not answer in time is not asked again. Rejects
   * when the signal aborts.
   */
  async ask(what: keyof BufferOffer, request: BufferRequest, signal?: AbortSignal): Promise<Answer | undefined> {
    const client = this.clients.findLast((each) => each[what]);
    if (!client) return undefined;
    const { clientId } = client;
    const requestId = newId();
    const { answerMs = ANSWER_MS } = this.outlet;
    const late = errors.BUFFERS_LATE({ seconds: answerMs / 1_000 });
    let ignore = () => {};
    try {
      const answered = new Promise<Answer>((resolve, reject) => {
        this.waiting.set(requestId, { clientId, request, answer: resolve });
        if (signal) ignore = onAbort(signal, () => reject(signal.reason));
      });
      this.outlet.ask(requestId, clientId);
      return await within(answerMs, answered, () => late);
    } catch (thrown) {
      if (thrown !== late) throw thrown;
      this.remove(clientId);
      this.outlet.tell(late);
      return { reason: "it did not answer" };
    } finally {
      ignore();
      this.waiting.delete(requestId);
    }
  }

  private remove(clientId: string): void {
    this.clients = this.clients.filter((each) => each.clientId !== clientId);
  }

  private failAll(clientId: string, reason: string): void {
    for (const each of this.waiting.values()) if (each.clientId === clientId) each.answer({ reason });
  }

  private waitingFor(requestId: string, clientId: string): Waiting {
    const found = this.waiting.get(requestId);
    if (found?.clientId !== clientId) throw errors.BUFFERS_CLOSED({ requestId });
    return found;
  }
}
