/** The JSON messages between a client and a host in different processes, the same for every transport. */

import type { Anchor, Delivered, SessionChange, SessionStatus, SubscribeOptions, Subscription } from "../contract.ts";

/** Version of this protocol. A host serves only clients of the same version. */
export const PROTOCOL = 1;

/**
 * A connection that carries text messages in both directions, complete and in order. Transports create one per connection. It does not
 * interpret the messages.
 */
export interface Channel {
  /** Number of sent bytes that still wait to be transmitted, if the transport knows it. */
  readonly unsent?: number;
  /** Number of received bytes, also of a message that is not complete yet, if the transport knows it. They prove that the other end lives. */
  readonly received?: number;
  /**
   * Host and port of the other end, if a program other than the host could listen there. The other end must then prove that it knows the
   * client's token before the token is sent.
   */
  readonly authority?: string;
  /** Maximum size in bytes of a message that this end accepts. A longer one closes the channel. The host tells its clients the limit. */
  readonly maxMessage?: number;
  /** Sends a message. Does nothing after the channel has closed. */
  send(message: string): void;
  /** Closes the channel once all messages are sent. */
  close(): void;
  /** Called by the channel's user, once, before the first message arrives. */
  open(handlers: ChannelHandlers): void;
}

/** The callbacks of a channel's user. */
export interface ChannelHandlers {
  message(text: string): void;
  /** Called once, when the channel has closed for any reason. No message follows. */
  closed(reason?: string): void;
}

/** Sent before `hello` on channels with an `authority`. The other end must prove that it knows a token; see `proofText` of the kit. */
export interface Challenge {
  type: "prove";
  /** Identifies the token; see `tokenIdText` of the kit. */
  id: string;
  /** 32 random bytes, in hex. */
  nonce: string;
  authority: string;
}

/** The first message of a client, or the second one if the first is `prove`. */
export interface Hello {
  type: "hello";
  protocol: number;
  /** Version of Scorel, or of the program that connects. */
  version: string;
  /** The client's name, as people see it: `terminal`, `web page`, `curl`. */
  name?: string | undefined;
  /** The secret that admits the client, for transports that require one. */
  token?: string | undefined;
  /** Resumes the client of an earlier connection, with its sessions and unanswered requests. */
  resume?: { clientId: string; secret: string } | undefined;
}

/** The host's answer to `hello`. */
export interface Welcome {
  type: "welcome";
  protocol: number;
  /** Version of the host's Scorel. */
  version: string;
  /** Identifies the host process. If it changes, the host has restarted and lost what it had only in memory. */
  instance: string;
  clientId: string;
  /** The secret for `resume` after a lost connection. */
  secret: string;
  /** Whether the client was resumed: its sessions are still open, and its requests are still being answered. */
  resumed: boolean;
  /** Maximum size in bytes of a message that the host accepts on this connection. A longer one closes the connection. */
  maxMessage?: number | undefined;
}

/** A message of a client. `requestId` is unique within the client; each is answered by one `response`. */
export type ClientMessage =
  | Challenge
  | Hello
  | { type: "request"; requestId: number; operation: string; params: Record<string, unknown> }
  | {
      type: "subscribe";
      requestId: number;
      /** The client's number for this subscription. */
      subscription: number;
      sessionId: string;
      options: WireSubscribeOptions;
    }
  | { type: "watch"; requestId: number; subscription: number; capacity?: number | undefined }
  | { type: "unsubscribe"; requestId: number; subscription: number }
  /** Asks for a response that is sent after all events that the session has announced so far. */
  | { type: "drain"; requestId: number; sessionId: string }
  /** The total number of characters of events and changes that the client has processed since it connected. */
  | { type: "processed"; characters: number }
  /** Shows that the client is alive. It has received the answers to all requests up to `answered`, so the host can forget them. */
  | { type: "ping"; answered: number }
  /** The client leaves for good, and its sessions are released. */
  | { type: "leave" };

/** A message of the host. */
export type HostMessage =
  | Welcome
  /** The answer to `prove`, in hex. It reveals nothing to clients without the token. */
  | { type: "proof"; proof: string }
  | { type: "response"; requestId: number; result?: unknown }
  | { type: "response"; requestId: number; error: WireError }
  | {
      type: "events";
      subscription: number;
      events: Delivered[];
      /** The position after these events. */
      anchor: Anchor;
      /** These events happened before the subscription began or was resumed. They come before all live events. */
      replay?: true | undefined;
    }
  | { type: "changes"; subscription: number; changes: SessionChange[] }
  | { type: "pong" }
  /** The host ends the connection. With `retry`, the client may reconnect, after at least `retryAfter` seconds. */
  | { type: "closing"; error: WireError; retry: boolean; retryAfter?: number | undefined };

/** Messages that answer requests or belong to subscriptions. */
export type Answer = Extract<HostMessage, { type: "response" | "events" | "changes" }>;

/** An error with its stable code, without its stack. */
export interface WireError {
  code: string;
  message: string;
  data?: Record<string, unknown> | undefined;
}

/** The options of a subscription; `all` stands for `Infinity`, which JSON does not have. */
export interface WireSubscribeOptions extends Pick<SubscribeOptions, "capacity" | "joined" | "anchor"> {
  tail?: number | "all";
}

/** The response to `subscribe`. */
export interface Subscribed extends Pick<Subscription, "mode" | "more" | "anchor"> {
  status: SessionStatus;
}
