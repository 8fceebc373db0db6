import type { PublicKeys } from "../../protocol/identity.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { FarEnd } from "./far-end.ts";
import type { SignedHello } from "./messages.ts";

/** A host that is connected with this relay. */
export interface OwnHost {
  readonly idBytes: Bytes;
  readonly signed: SignedHello;
}

/** What other relays ask of this one. What throws a refusal is answered with it. */
export interface NodeUser {
  hosts(): Iterable<OwnHost>;
  /** Opens a route to a host of this relay, for a client of another one. */
  openFor(end: FarEnd, route: bigint, grant: Bytes, client: PublicKeys): Promise<void>;
  /** Opens a route to the host at a place, for a guest of another relay. */
  joinFor(end: FarEnd, route: bigint, place: string): void;
  /** Whether this relay goes on having the host, which says that it has come to another one. */
  keeps(host: OwnHost, claim: SignedHello): Promise<boolean>;
  /** A revocation has come. Nothing vouches for it but itself. */
  revoked(revocation: Bytes): void;
  /** All that were stored, as hosts have signed them. */
  revocations(): Iterable<Bytes>;
  /** The bus was lost, or is there again. */
  busChanged(isThere: boolean): void;
  /** A host has come to a relay with this name, or has left it. Without a host: all that were there have left. */
  hostChanged(node: string, isThere: boolean, host?: Bytes): void;
}
