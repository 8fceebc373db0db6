import type { Challenge, Channel, Hello, HostMessage } from "@scorel/host/client";
import { codeOf, ScorelError } from "@scorel/kernel";
import type { AcceptOptions, Admission } from "./contract.ts";
import { errors } from "./errors.ts";
import { wireError } from "./guest.ts";
import { otherProtocol, readMessage } from "./messages.ts";

/** Version of the protocol; see `PROTOCOL` of the client. */
export const PROTOCOL = 1;
/** Longest message of a client that has not been let in yet, in characters, and the number of such messages. */
const MAX_HELLO = 16 * 1024;
const MAX_EARLY = 16;
/** Time in seconds after which a client for which there was no room may try again. */
const RETRY_AFTER_S = 5;

export interface ReceptionOptions {
  version: string;
  /** Time for a client to say who it is, in milliseconds. */
  helloMs: number;
  /** Connections whose clients have not been let in yet. */
  strangers: number;
  logger: { warn(message: string, thrown?: unknown): void };
  /** Lets a client in. Throws GATEWAY_FULL. */
  enter(hello: Hello, admission: Admission, channel: Channel, options: AcceptOptions): ConnectionUser;
}

/** Who takes what comes over a connection once its client was let in. */
export interface ConnectionUser {
  message(text: string): void;
  closed(): void;
}

/** A connection whose client has not been let in yet. */
interface Stranger {
  channel: Channel;
  options: AcceptOptions;
  /** Whether the client has asked who the host is. */
  hasAsked: boolean;
  /** Messages that arrive while the client is being let in. */
  early: string[] | undefined;
  user: ConnectionUser | undefined;
}

/** Asks the clients of new connections who they are, and lets them in or turns them away. */
export class Reception {
  private readonly options: ReceptionOptions;
  private readonly strangers = new Map<Channel, Stranger>();
  /** Why no client is let in any more. */
  private closed: HostMessage | undefined;

  constructor(options: ReceptionOptions) {
    this.options = options;
  }

  accept(channel: Channel, options: AcceptOptions): void {
    const stranger: Stranger = { channel, options, hasAsked: false, early: undefined, user: undefined };
    const { helloMs, strangers: max } = this.options;
    const limit = setTimeout(() => {
      if (this.strangers.has(channel)) this.turnAway(channel, errors.GATEWAY_HELLO({ seconds: helloMs / 1_000 }), true);
    }, helloMs);
    limit.unref();
    const full = options.tooMany ?? (this.strangers.size >= max ? { max } : undefined);
    this.strangers.set(channel, stranger);
    channel.open({
      message: (text) => {
        if (stranger.user) stranger.user.message(text);
        else if (this.strangers.has(channel)) this.greet(stranger, text);
      },
      closed: () => {
        clearTimeout(limit);
        this.strangers.delete(channel);
        stranger.user?.closed();
      },
    });
    if (this.closed) this.end(channel, this.closed);
    else if (full !== undefined) this.turnAway(channel, errors.GATEWAY_FULL(full), true);
  }

  /** Sends everybody away who was not let in, and all who come later. */
  close(message: HostMessage): void {
    this.closed = message;
    for (const channel of [...this.strangers.keys()]) this.end(channel, message);
  }

  /** Takes a message of a client that was not let in yet. The first one says who it is; others wait. */
  private greet(stranger: Stranger, text: string): void {
    const { channel, options, early } = stranger;
    const problems = text.length > MAX_HELLO ? `it has ${text.length} characters, before the welcome` : undefined;
    if (problems) this.turnAway(channel, errors.GATEWAY_MESSAGE({ problems }), false);
    else if (!early) {
      stranger.early = [];
      this.admit(stranger, text).catch((thrown) => {
        this.options.logger.warn(`A client was refused (${options.transport})`, thrown);
        this.turnAway(channel, thrown, retryAfterOf(thrown) !== undefined);
      });
    } else if (early.push(text) > MAX_EARLY)
      this.turnAway(channel, errors.GATEWAY_MESSAGE({ problems: "too many came before the welcome" }), false);
  }

  /** Lets a client in that has said who it is, unless its connection has closed meanwhile. */
  private async admit(stranger: Stranger, text: string): Promise<void> {
    const { channel, options } = stranger;
    const hello = this.first(text);
    if (hello.type === "prove") return this.prove(stranger, hello);
    const admission = await options.admit(hello);
    if (!this.strangers.has(channel)) return;
    const user = this.options.enter(hello, admission, channel, options);
    stranger.user = user;
    this.strangers.delete(channel);
    for (const early of stranger.early ?? []) user.message(early);
    stranger.early = undefined;
  }

  /** Tells a client, once, that this host knows its token. Its next message says who it is. */
  private prove(stranger: Stranger, challenge: Challenge): void {
    const { channel, options } = stranger;
    if (!options.prove || stranger.hasAsked) throw errors.GATEWAY_MESSAGE({ problems: '"prove" is not expected here' });
    stranger.hasAsked = true;
    const proof = options.prove(challenge);
    stranger.early = undefined;
    send(channel, { type: "proof", proof });
  }

  private first(text: string): Hello | Challenge {
    // First, because the messages of another version may look different.
    const other = otherProtocol(text, PROTOCOL);
    if (other) {
      const { protocol: client, version: clientVersion } = other;
      throw errors.GATEWAY_PROTOCOL({ host: PROTOCOL, client, hostVersion: this.options.version, clientVersion });
    }
    const message = readMessage(text);
    if (message.type === "hello" || message.type === "prove") return message;
    throw errors.GATEWAY_MESSAGE({ problems: 'the first message must be "hello"' });
  }

  /** Ends a connection with a reason. Only coded errors are told to those who were not let in. */
  private turnAway(channel: Channel, thrown: unknown, retry: boolean): void {
    this.end(channel, closing(thrown instanceof ScorelError ? thrown : errors.GATEWAY_REFUSED(), retry));
  }

  private end(channel: Channel, message: HostMessage): void {
    if (this.strangers.delete(channel)) endWith(channel, message);
  }
}

/** The message that ends a connection. With `retry`, connecting again can help. */
export function closing(error: unknown, retry: boolean): HostMessage {
  const retryAfter = retryAfterOf(error);
  return { type: "closing", error: wireError(error), retry, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Seconds after which whoever was refused with this error can try again, if that can help. */
function retryAfterOf(error: unknown): number | undefined {
  if (codeOf(error) === "GATEWAY_FULL") return RETRY_AFTER_S;
  const { retryAfter } = (error ?? {}) as { retryAfter?: unknown };
  return typeof retryAfter === "number" ? retryAfter : undefined;
}

export function endWith(channel: Channel, message: HostMessage): void {
  send(channel, message);
  channel.close();
}

export function send(channel: Channel, message: HostMessage): void {
  channel.send(JSON.stringify(message));
}
