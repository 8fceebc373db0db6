import type { CloseReason } from "./frames.ts";
import type { Identity, PublicKeys } from "./identity.ts";
import type { Bytes, Primitives } from "./primitives.ts";

/** The way to the other end: DATA and CLOSE frames of one route. */
export interface RouteEnd {
  readonly id: bigint;
  /** Bytes that were sent and wait, if it is known. */
  readonly unsent?: number;
  send(bytes: Bytes): void;
  close(reason: CloseReason): void;
}

export interface SecureChannelOptions {
  primitives: Primitives;
  /** Which end this is: a client begins, a host answers. */
  role: "client" | "host";
  identity: Identity;
  /** The keys of the other end, as pairing has stored them. */
  peer: PublicKeys;
  route: RouteEnd;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** For a host: the payload of its handshake message, which only this client can read. */
  tells?: Bytes | undefined;
  /** For a client: takes that payload. What it throws ends the channel. */
  told?: ((payload: Bytes) => void) | undefined;
  /** The other end has proved who it is: to a client by its handshake, to a host by its first message. */
  opened?(): void;
  /** The channel has ended, for whatever reason, before its user is told. */
  ended?(): void;
  /** Messages of one key; only tests have fewer. */
  maxKeyMessages?: number;
}
