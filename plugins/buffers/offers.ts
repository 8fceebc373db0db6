import { newId } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import { within } from "@scorel/kit/values/within";
import type { BufferOffer, BufferRequest } from "./contract.ts";
import { errors } from "./errors.ts";

/** Milliseconds that a client has to answer. Tools wait longer than this for a file. */
const ANSWER_MS = 5_000;

interface Client extends BufferOffer {
  clientId: string;
}
interface Waiting {
  clientId: string;
  request: BufferRequest;
  answer(given: Answer): void;
}
/** The text that was read, or nothing after writing; or the reason of a failure. */
export type Answer = { text?: string | undefined; reason?: string | undefined };

/** Reaches the clients and the people of a session. */
export interface Outlet {
  /** Tells the client with this id that there is a request for it. */
  ask(requestId: string, clientId: string): void;
  /** Shows a problem to people. */
  tell(problem: Error): void;
  answerMs?: number;
}

/** The clients that have offered their buffers, and the open requests to them. */
export class Offers {
  private readonly outlet: Outlet;
  /** In the order of their offers. The last one is asked. */
  private clients: Client[] = [];
  /** Signals that are already listened to, since a client may repeat its offer many times with the same signal. */
  private readonly heard = new WeakSet<AbortSignal>();
  private readonly waiting = new Map<string, Waiting>();

  constructor(outlet: Outlet) {
    this.outlet = outlet;
  }

  /** Adds a client's offer, and replaces its earlier one. Ends when `gone` aborts. */
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

  /** Returns an open request. Throws BUFFERS_CLOSED. */
  take(requestId: string, clientId: string): BufferRequest {
    return this.waitingFor(requestId, clientId).request;
  }

  /** Answers an open request. Throws BUFFERS_CLOSED. */
  answer(requestId: string, clientId: string, answer: Answer): void {
    this.waitingFor(requestId, clientId).answer(answer);
  }

  /**
   * Sends a request to the client that made the latest matching offer. Undefined if there is none. If the client does not answer in time,
   * its offer is removed. Rejects when the signal aborts.
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
