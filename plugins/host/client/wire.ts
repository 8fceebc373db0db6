/** The messages between a client and a host that are not in the same process, in every transport. They are JSON. */

import type { Anchor, Delivered, SessionChange, SessionStatus, SubscribeOptions, Subscription } from "../contract.ts";

/** Version of this protocol. A host serves only clients of the same version. */
export const PROTOCOL = 1;

/**
 * A connection that carries text messages in both directions, in order and whole. Transports make one for each connection; it
 * knows nothing of what the messages mean.
 */
export interface Channel {
  /** Bytes that were sent and that the other end has not taken yet, if the transport knows. */
  readonly unsent?: number;
  /**
   * Host and port that the channel leads to, if another program than the host could listen there. The other end must then prove that it
   * knows the client's token before it is sent.
   */
  readonly authority?: string;
  /** Bytes of the longest message that this end takes; a longer one closes the channel. The host tells its clients. */
  readonly maxMessage?: number;
  /** Sends a message. Does nothing after the channel has closed. */
  send(message: string): void;
  /** Closes the channel, after the messages that were sent. */
  close(): void;
  /** Called by the channel's user, once, before the first message arrives. */
  open(handlers: ChannelHandlers): void;
}

export interface ChannelHandlers {
  message(text: string): void;
  /** The channel has closed, for whatever reason. Called once; no message comes after it. */
  closed(reason?: string): void;
}

/** Comes before `hello` on channels with an `authority`: the other end must prove that it knows a token; see `proofText` of the kit. */
export interface Challenge {
  type: "prove";
  /** Names the token; see `tokenIdText` of the kit. */
  id: string;
  /** 32 random bytes, in hex. */
  nonce: string;
  authority: string;
}

/** The first message of a client, or the one after `prove`. */
export interface Hello {
  type: "hello";
  protocol: number;
  /** Version of Scorel, or of the program that connects. */
  version: string;
  /** What people see of this client: `terminal`, `web page`, `curl`. */
  name?: string | undefined;
  /** Secret that lets the client in, for transports that ask for one. */
  token?: string | undefined;
  /** Goes on as the client of an earlier connection, with its sessions and its unanswered requests. */
  resume?: { clientId: string; secret: string } | undefined;
}

/** The host's answer to `hello`. */
export interface Welcome {
  type: "welcome";
  protocol: number;
  /** Version of the host's Scorel. */
  version: string;
  /** Changes whenever the host starts: what it knew only in memory is then gone. */
  instance: string;
  clientId: string;
  /** For `resume` after the connection was lost. */
  secret: string;
  /** Whether the client goes on as it was: its sessions are open, and its requests are still being answered. */
  resumed: boolean;
  /** Bytes of the longest message that the host takes on this connection. A longer one would close it. */
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
  /** Asks for the response after all events that the session has announced so far. */
  | { type: "drain"; requestId: number; sessionId: string }
  /** The client has processed `events` of this many characters in all, since it connected. */
  | { type: "processed"; characters: number }
  /** A sign of life. The answers to all requests up to `answered` have arrived, and can be forgotten. */
  | { type: "ping"; answered: number }
  /** The client leaves for good: its sessions are released. */
  | { type: "leave" };

/** A message of the host. */
export type HostMessage =
  | Welcome
  /** The answer to `prove`, in hex. It says nothing to those who do not know the token. */
  | { type: "proof"; proof: string }
  | { type: "response"; requestId: number; result?: unknown }
  | { type: "response"; requestId: number; error: WireError }
  | {
      type: "events";
      subscription: number;
      events: Delivered[];
      /** The position after these events. */
      anchor: Anchor;
      /** These events are from before the subscription began or went on. They come first: no replay follows live events. */
      replay?: true | undefined;
    }
  | { type: "changes"; subscription: number; changes: SessionChange[] }
  | { type: "pong" }
  /** The host ends the connection. With `retry`, connecting again can help, after so many seconds if it says so. */
  | { type: "closing"; error: WireError; retry: boolean; retryAfter?: number | undefined };

/** What a connected client gets from its host, besides signs of life. */
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
