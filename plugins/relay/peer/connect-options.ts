import type { ScorelError } from "@scorel/kit/values/coded-error";
import type { PublicKeys } from "../protocol/identity.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import type { Who } from "./hello.ts";
import type { PeerRoute } from "./route.ts";

/** The part of the browser's WebSocket that a connection needs. The WebSocket of the package `ws` has it, too. */
export interface BinarySocket {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(bytes: Bytes): void;
  close(code?: number): void;
  addEventListener(
    type: string,
    listener: (event: { data?: unknown; reason?: string; message?: string }) => void,
  ): void;
}

export interface ConnectOptions {
  /** Such as `wss://relay.example/relay`. */
  address: string;
  who: Who;
  primitives: Primitives;
  make(address: string, protocol: string): BinarySocket;
  /** Milliseconds that connecting may take. */
  limitMs?: number | undefined;
  /** Aborts connecting, or closes the connection. Its reason is a text for people. */
  signal?: AbortSignal | undefined;
  /** Called for messages that the relay sends without a request. */
  events?: Partial<PeerEvents>;
}

export interface PeerEvents {
  /** A client has opened a route to this host. */
  incoming(route: PeerRoute, client: PublicKeys): void;
  /** A guest has opened a route to this host's pairing place. */
  joined(route: PeerRoute, place: string): void;
  presence(hostId: Bytes, isThere: boolean): void;
  /** The relay has refused something that does not belong to a route. */
  refused(error: ScorelError): void;
  /** The connection has ended. */
  closed(error: ScorelError): void;
}
