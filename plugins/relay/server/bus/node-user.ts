import type { PublicKeys } from "../../protocol/identity.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { FarEnd } from "./far-end.ts";
import type { SignedHello } from "./messages.ts";

/** A host that is connected to this relay. */
export interface OwnHost {
  readonly idBytes: Bytes;
  readonly signed: SignedHello;
}

/** Handles requests from other relays. A Refusal that is thrown becomes the answer. */
export interface NodeUser {
  hosts(): Iterable<OwnHost>;
  /** Opens a route to a host of this relay, for a client of another relay. */
  openFor(end: FarEnd, route: bigint, grant: Bytes, client: PublicKeys): Promise<void>;
  /** Opens a route to the host at a pairing place, for a guest of another relay. */
  joinFor(end: FarEnd, route: bigint, place: string): void;
  /** Whether this relay keeps the host, which claims to have connected to another one. */
  keeps(host: OwnHost, claim: SignedHello): Promise<boolean>;
  /** Handles a revocation. Only its own signature proves that it is genuine. */
  revoked(revocation: Bytes): void;
  /** All stored revocations, as signed by hosts. */
  revocations(): Iterable<Bytes>;
  /** The bus was lost, or is connected again. */
  busChanged(isThere: boolean): void;
  /** A host has connected to the relay with this name, or has left it. Without `host`: that relay has lost all its hosts. */
  hostChanged(node: string, isThere: boolean, host?: Bytes): void;
}
