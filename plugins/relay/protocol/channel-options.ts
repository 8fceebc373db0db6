import type { CloseReason } from "./frames.ts";
import type { Identity, PublicKeys } from "./identity.ts";
import type { Bytes, Primitives } from "./primitives.ts";

/** The connection to the other end: sends the DATA and CLOSE frames of one route. */
export interface RouteEnd {
  readonly id: bigint;
  /** Bytes that wait to be sent, if known. */
  readonly unsent?: number;
  send(bytes: Bytes): void;
  close(reason: CloseReason): void;
}

export interface SecureChannelOptions {
  primitives: Primitives;
  /** The end that this is: the client starts the handshake, the host answers. */
  role: "client" | "host";
  identity: Identity;
  /** Keys of the other end, as stored when pairing. */
  peer: PublicKeys;
  route: RouteEnd;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** For a host: payload of its handshake message, which only this client can read. */
  tells?: Bytes | undefined;
  /** For a client: receives that payload. If it throws, the channel ends. */
  told?: ((payload: Bytes) => void) | undefined;
  /** Called when the other end has proved its identity: to a client by its handshake, to a host by its first message. */
  opened?(): void;
  /** Called when the channel has ended, for whatever reason, before its user is told. */
  ended?(): void;
  /** Number of messages per key; only tests set a smaller one. */
  maxKeyMessages?: number;
}
