import { errors } from "./errors.ts";
import { remoteError } from "./link.ts";
import { isUsableResult } from "./result-checks.ts";
import type { ClientMessage, HostMessage, WireError } from "./wire.ts";

/** A message that the host answers, with and without its number. */
export type Asking = Extract<ClientMessage, { requestId: number }>;
export type Unnumbered<M = Asking> = M extends Asking ? Omit<M, "requestId"> : never;
type Response = Extract<HostMessage, { type: "response" }>;

/**
 * A request with so many characters may be why its connection was lost. It is sent on a few connections at most, so that it cannot
 * end one after the other.
 */
const LARGE = 1024 * 1024;
const MAX_TIMES = 3;

interface Pending {
  message: Asking;
  /** How often it was sent, and its length. */
  times: number;
  characters: number;
  /** The connection on which it was sent last, and the client that the host took it for. */
  connection?: number;
  clientId?: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The requests that the host has not answered yet. Each is answered once, on whatever connection. */
export class Requests {
  private readonly send: (message: Asking) => number;
  private readonly pending = new Map<number, Pending>();
  private numbers = 0;
  /** The present connection, the first being 1; 0 while there is none. */
  private connection = 0;
  private clientId = "";

  /** `send` returns the length of a message, or throws if it cannot be sent at all. */
  constructor(send: (message: Asking) => number) {
    this.send = send;
  }

  /** A number that no request or subscription of this client has. */
  number(): number {
    return ++this.numbers;
  }

  /** Every request up to this number has been answered. */
  get answered(): number {
    let first = this.numbers + 1;
    for (const requestId of this.pending.keys()) first = Math.min(first, requestId);
    return first - 1;
  }

  /** Messages are sent from now on; 0 for `connection` if none are any more. */
  connected(connection: number, clientId = this.clientId): void {
    this.connection = connection;
    this.clientId = clientId;
  }

  ask(message: Unnumbered): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const numbered = { ...message, requestId: this.number() } as Asking;
      const pending: Pending = { message: numbered, times: 0, characters: 0, resolve, reject };
      this.pending.set(pending.message.requestId, pending);
      if (this.connection > 0) this.deliver(pending);
    });
  }

  /** Removes a request that was answered, and returns how to tell whoever asked. */
  take(response: Response): { message: Asking; isUsable: boolean; tell(): void } | undefined {
    const pending = this.pending.get(response.requestId);
    if (!pending) return undefined;
    this.pending.delete(response.requestId);
    const { message, resolve, reject } = pending;
    const operation = message.type === "request" ? message.operation : message.type;
    const isUsable = !("error" in response) && isUsableResult(operation, response.result);
    const tell = () => {
      if ("error" in response) reject(remoteError(response.error));
      else if (isUsable) resolve(response.result);
      else reject(errors.LINK_RESULT({ operation }));
    };
    return { message, isUsable, tell };
  }

  /** Whether requests were sent to a host that does not know them any more, so that it is unknown whether they were carried out. */
  get areUnclear(): boolean {
    return [...this.pending.values()].some((pending) => this.isUnclear(pending));
  }

  /** Sends what was not sent on this connection. What is unclear is sent again only if it is safe to do twice, and fails else. */
  repeat(readOnly: ReadonlySet<string>): void {
    for (const pending of [...this.pending.values()]) {
      if (pending.connection === this.connection) continue;
      const { message } = pending;
      if (message.type !== "request" || !this.isUnclear(pending) || mayRepeat(message, readOnly)) this.deliver(pending);
      else this.take({ type: "response", requestId: message.requestId, error: lost(message.operation) })?.tell();
    }
  }

  /** The numbers of the subscriptions that are being asked for. */
  get subscriptions(): Set<number> {
    const asked = [...this.pending.values()].flatMap(({ message }) =>
      message.type === "subscribe" || message.type === "watch" ? message.subscription : [],
    );
    return new Set(asked);
  }

  fail(error: Error): void {
    const all = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of all) reject(error);
  }

  private deliver(pending: Pending): void {
    pending.connection = this.connection;
    pending.clientId = this.clientId;
    try {
      if (pending.characters >= LARGE && pending.times >= MAX_TIMES) throw repeated(pending);
      pending.characters = this.send(pending.message);
      pending.times++;
    } catch (thrown) {
      this.pending.delete(pending.message.requestId);
      pending.reject(thrown as Error);
    }
  }

  private isUnclear({ message, clientId }: Pending): boolean {
    return message.type === "request" && clientId !== undefined && clientId !== this.clientId;
  }
}

/** Whether a request can be sent to a host that may have carried it out already: it changes nothing, or has a messageId. */
function mayRepeat(
  { operation, params }: Extract<Asking, { type: "request" }>,
  readOnly: ReadonlySet<string>,
): boolean {
  return readOnly.has(operation) || typeof params.messageId === "string";
}

function repeated({ message, characters, times }: Pending): Error {
  const operation = message.type === "request" ? message.operation : message.type;
  return errors.LINK_REPEATED({ operation, characters, times });
}

function lost(operation: string): WireError {
  const { code, message, data } = errors.LINK_LOST({ operation });
  return { code, message, data };
}
