import { errors } from "./errors.ts";
import type { LinkTimes } from "./link-options.ts";
import { remoteError } from "./remote-error.ts";
import { isUsableResult } from "./result-checks.ts";
import type { ClientMessage, HostMessage, WireError } from "./wire.ts";

/** A message that the host answers. `Unnumbered` is the same without its `requestId`. */
export type Asking = Extract<ClientMessage, { requestId: number }>;
export type Unnumbered<M = Asking> = M extends Asking ? Omit<M, "requestId"> : never;
type Response = Extract<HostMessage, { type: "response" }>;

/**
 * Number of characters from which a request may itself be the reason why the connection was lost. It is then sent on at most MAX_TIMES
 * connections, so that it cannot break every new one.
 */
const LARGE = 1024 * 1024;
const MAX_TIMES = 3;

/** The time limits, and the host's address for error messages. */
interface RequestOptions {
  times: Pick<LinkTimes, "answer" | "opening">;
  address?: string | undefined;
}

interface Pending {
  message: Asking;
  /** How often the request was sent, and its length in characters. */
  times: number;
  characters: number;
  /** The connection on which the request was last sent, and the client id that the sender had there. */
  connection?: number;
  clientId?: string;
  /** Milliseconds that the host still has for the answer (`left`), the timer for them, and when it was started (`since`). */
  left: number;
  limit?: ReturnType<typeof setTimeout> | undefined;
  since: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The unanswered requests. Each of them gets one answer, no matter on which connection. */
export class Requests {
  private readonly send: (message: Asking) => number;
  private readonly times: Pick<LinkTimes, "answer" | "opening">;
  private readonly address: string | undefined;
  private readonly pending = new Map<number, Pending>();
  private numbers = 0;
  /** Number of the current connection, counted from 1; 0 while there is none. */
  private connection = 0;
  private clientId = "";

  /** `send` returns the length of a message, or throws if it cannot be sent at all. */
  constructor(send: (message: Asking) => number, { times, address }: RequestOptions) {
    this.send = send;
    this.times = times;
    this.address = address;
  }

  /** Returns a new number, unique among this client's requests and subscriptions. */
  number(): number {
    return ++this.numbers;
  }

  /** The number up to which every request has been answered. */
  get answered(): number {
    let first = this.numbers + 1;
    for (const requestId of this.pending.keys()) first = Math.min(first, requestId);
    return first - 1;
  }

  /** Starts sending on a new connection; 0 for `connection` stops sending. */
  connected(connection: number, clientId = this.clientId): void {
    this.connection = connection;
    this.clientId = clientId;
    // Time limits pause while there is no connection.
    if (connection === 0) for (const pending of this.pending.values()) pauseLimit(pending);
  }

  ask(message: Unnumbered): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const numbered = { ...message, requestId: this.number() } as Asking;
      const left = limitOf(message, this.times);
      const pending: Pending = { message: numbered, times: 0, characters: 0, left, since: 0, resolve, reject };
      this.pending.set(pending.message.requestId, pending);
      if (this.connection > 0) this.deliver(pending);
    });
  }

  /** Removes an answered request. The returned `tell` settles the caller's promise. */
  take(response: Response): { message: Asking; isUsable: boolean; tell(): void } | undefined {
    const pending = this.pending.get(response.requestId);
    if (!pending) return undefined;
    this.pending.delete(response.requestId);
    pauseLimit(pending);
    const { message, resolve, reject } = pending;
    const operation = nameOf(message);
    const isUsable = !("error" in response) && isUsableResult(operation, response.result);
    const tell = () => {
      if ("error" in response) reject(remoteError(response.error));
      else if (isUsable) resolve(response.result);
      else reject(errors.LINK_RESULT({ operation }));
    };
    return { message, isUsable, tell };
  }

  /** Whether a host that has lost its state was sent requests, so that it is unknown whether they were carried out. */
  get areUnclear(): boolean {
    return [...this.pending.values()].some((pending) => this.isUnclear(pending));
  }

  /**
   * Sends all requests not sent on this connection yet. A request that may have been carried out is repeated only if that is safe, else
   * fails.
   */
  repeat(readOnly: ReadonlySet<string>): void {
    for (const pending of [...this.pending.values()]) {
      if (pending.connection === this.connection) continue;
      const { message } = pending;
      if (message.type !== "request" || !this.isUnclear(pending) || mayRepeat(message, readOnly)) this.deliver(pending);
      else this.take({ type: "response", requestId: message.requestId, error: lost(message.operation) })?.tell();
    }
  }

  /** The numbers of the subscriptions whose requests are not answered yet. */
  get subscriptions(): Set<number> {
    const asked = [...this.pending.values()].flatMap(({ message }) =>
      message.type === "subscribe" || message.type === "watch" ? message.subscription : [],
    );
    return new Set(asked);
  }

  fail(error: Error): void {
    const all = [...this.pending.values()];
    this.pending.clear();
    for (const pending of all) {
      pauseLimit(pending);
      pending.reject(error);
    }
  }

  private deliver(pending: Pending): void {
    pending.connection = this.connection;
    pending.clientId = this.clientId;
    try {
      if (pending.characters >= LARGE && pending.times >= MAX_TIMES) throw repeated(pending);
      pending.characters = this.send(pending.message);
      pending.times++;
      this.startLimit(pending);
    } catch (thrown) {
      this.pending.delete(pending.message.requestId);
      pending.reject(thrown as Error);
    }
  }

  /** Starts the time limit of a request, if it has one. The request is rejected when the limit is exceeded. */
  private startLimit(pending: Pending): void {
    pauseLimit(pending);
    if (pending.left === Number.POSITIVE_INFINITY) return;
    pending.since = performance.now();
    pending.limit = setTimeout(() => {
      const { message } = pending;
      this.pending.delete(message.requestId);
      const ms = limitOf(message, this.times);
      pending.reject(errors.LINK_UNANSWERED({ operation: nameOf(message), ms, address: this.address }));
    }, pending.left);
  }

  private isUnclear({ message, clientId }: Pending): boolean {
    return message.type === "request" && clientId !== undefined && clientId !== this.clientId;
  }
}

/** Pauses the time limit of a request. */
function pauseLimit(pending: Pending): void {
  if (pending.limit === undefined) return;
  clearTimeout(pending.limit);
  pending.limit = undefined;
  pending.left = Math.max(0, pending.left - (performance.now() - pending.since));
}

/** Requests that a host can answer at once; others may wait for a model, a person or a program. */
const PROMPT = new Set(
  `ping get_rights list_operations list_sessions list_projects list_session_projects list_commands list_requests attend_requests answer_request get_status get_events get_queue
  get_context cancel close_session host_status stop_host subscribe unsubscribe watch`.split(/\s+/),
);
/** Requests that open a session, or prepare it for a turn. */
const OPENING = new Set(["create_session", "load_session", "continue_session", "send_message"]);

/** The time limit of a request, in milliseconds. */
function limitOf(message: Unnumbered, { answer, opening }: Pick<LinkTimes, "answer" | "opening">): number {
  const name = nameOf(message);
  if (PROMPT.has(name)) return answer;
  return OPENING.has(name) ? opening : Number.POSITIVE_INFINITY;
}

function nameOf(message: Unnumbered): string {
  return message.type === "request" ? message.operation : message.type;
}

/** Operations that have the same effect no matter how often they are carried out. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["attend_requests", "load_session", "close_session"]);

/** Whether a request that may already have been carried out can be repeated: it changes nothing, is idempotent, or has a `messageId`. */
function mayRepeat(
  { operation, params }: Extract<Asking, { type: "request" }>,
  readOnly: ReadonlySet<string>,
): boolean {
  return readOnly.has(operation) || IDEMPOTENT.has(operation) || typeof params.messageId === "string";
}

function repeated({ message, characters, times }: Pending): Error {
  return errors.LINK_REPEATED({ operation: nameOf(message), characters, times });
}

function lost(operation: string): WireError {
  const { code, message, data } = errors.LINK_LOST({ operation });
  return { code, message, data };
}
