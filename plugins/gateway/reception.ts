import type { Challenge, Channel, Hello, HostMessage } from "@scorel/host/client";
import { codeOf, ScorelError } from "@scorel/kernel";
import type { AcceptOptions, Admission } from "./contract.ts";
import { errors } from "./errors.ts";
import { wireError } from "./guest.ts";
import { otherProtocol, readMessage } from "./messages.ts";

/** Version of the protocol; see `PROTOCOL` of the client. */
export const PROTOCOL = 1;
/** The most characters of a message from a client that is not admitted yet, and the most such messages. */
const MAX_HELLO = 16 * 1024;
const MAX_EARLY = 16;
/** Seconds after which a client may try again if there was no room for it. */
const RETRY_AFTER_S = 5;

export interface ReceptionOptions {
  version: string;
  /** Milliseconds for a client to send its first message, which introduces it. */
  helloMs: number;
  /** The most connections whose clients are not admitted yet. */
  strangers: number;
  logger: Record<"info" | "warn", (message: string, thrown?: unknown) => void>;
  /** Admits a client. Throws GATEWAY_FULL. */
  enter(hello: Hello, admission: Admission, channel: Channel, options: AcceptOptions): ConnectionUser;
}

/** Receives the messages of a connection after its client was admitted. */
export interface ConnectionUser {
  message(text: string): void;
  closed(): void;
}

/** A connection whose client is not admitted yet. */
interface Stranger {
  channel: Channel;
  options: AcceptOptions;
  /** Whether the client has requested a proof that the host knows its token. */
  hasAsked: boolean;
  /** Messages that arrive while the client is being admitted. */
  early: string[] | undefined;
  user: ConnectionUser | undefined;
}

/** Receives the first message of each new connection, and admits or refuses its client. */
export class Reception {
  private readonly options: ReceptionOptions;
  private readonly strangers = new Map<Channel, Stranger>();
  /** The reason why clients are refused from now on; undefined while they are admitted. */
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

  /** Disconnects all clients that are not admitted yet, and all later ones. */
  close(message: HostMessage): void {
    this.closed = message;
    for (const channel of [...this.strangers.keys()]) this.end(channel, message);
  }

  /** Handles a message of a client that is not admitted yet. The first one introduces the client; others wait. */
  private greet(stranger: Stranger, text: string): void {
    const { channel, options, early } = stranger;
    const problems = text.length > MAX_HELLO ? `it has ${text.length} characters, before the welcome` : undefined;
    if (problems) this.turnAway(channel, errors.GATEWAY_MESSAGE({ problems }), false);
    else if (!early) {
      stranger.early = [];
      this.admit(stranger, text).catch((thrown) => {
        // A client with a wrong token, for example, is told so itself. Only this host can say why it fails unexpectedly.
        const level = thrown instanceof ScorelError ? "info" : "warn";
        this.options.logger[level](`A client was refused (${options.transport})`, thrown);
        this.turnAway(channel, thrown, retryAfterOf(thrown) !== undefined);
      });
    } else if (early.push(text) > MAX_EARLY)
      this.turnAway(channel, errors.GATEWAY_MESSAGE({ problems: "too many came before the welcome" }), false);
  }

  /** Admits a client after its hello, unless its connection was closed meanwhile. */
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

  /** Proves to a client, once, that this host knows its token. The client's next message introduces it. */
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

  /** Ends a connection with a reason. Clients that are not admitted get only errors that have a code. */
  private turnAway(channel: Channel, thrown: unknown, retry: boolean): void {
    this.end(channel, closing(thrown instanceof ScorelError ? thrown : errors.GATEWAY_REFUSED(), retry));
  }

  private end(channel: Channel, message: HostMessage): void {
    if (this.strangers.delete(channel)) endWith(channel, message);
  }
}

/** The message that ends a connection. With `retry`, reconnecting may help. */
export function closing(error: unknown, retry: boolean): HostMessage {
  const retryAfter = retryAfterOf(error);
  return { type: "closing", error: wireError(error), retry, ...(retryAfter !== undefined && { retryAfter }) };
}

/** The number of seconds after which a client that was refused with this error can try again; undefined if that does not help. */
function retryAfterOf(error: unknown): number | undefined {
  if (codeOf(error) === "GATEWAY_FULL") return RETRY_AFTER_S;
  const { retryAfter } = (error ?? {}) as { retryAfter?: unknown };
  return typeof retryAfter === "number" ? retryAfter : undefined;
}

/** Sends a last message, and closes the channel. */
export function endWith(channel: Channel, message: HostMessage): void {
  send(channel, message);
  channel.close();
}

export function send(channel: Channel, message: HostMessage): void {
  channel.send(JSON.stringify(message));
}
