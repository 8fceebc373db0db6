import type { ScorelError } from "@scorel/kit/values/coded-error";
import { type CloseReason, fail } from "../protocol/frames.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { PeerRoute, type RouteWire } from "./route.ts";

const ROUTE_BYTES = 8;
/** Most routes of one connection. A relay allows a host as many. */
const MAX_ROUTES = 1_024;

/** Routes of a connection, by their numbers. */
export class RouteTable {
  private readonly routes = new Map<bigint, PeerRoute>();
  private readonly wire: RouteWire;

  constructor(wire: RouteWire) {
    this.wire = {
      get given() {
        return wire.given;
      },
      get sent() {
        return wire.sent;
      },
      data: (id, bytes) => wire.data(id, bytes),
      close: (id, reason) => {
        this.routes.delete(id);
        wire.close(id, reason);
      },
    };
  }

  get size(): number {
    return this.routes.size;
  }

  /** Starts a route from this end, with a number that nobody can guess. */
  begin(primitives: Primitives): PeerRoute {
    const bytes = primitives.random(ROUTE_BYTES);
    // Makes sure that the number is not 0, which is no route.
    bytes[0] = (bytes[0] as number) | 1;
    return this.add(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  }

  /**
   * Adds a route that the relay leads here. If there are too many, closes it and returns undefined. Throws RELAY_FRAME if the number is in
   * use.
   */
  led(id: bigint): PeerRoute | undefined {
    if (this.routes.has(id)) fail("a route was opened twice");
    if (this.routes.size < MAX_ROUTES) return this.add(id);
    this.wire.close(id, "limit");
    return undefined;
  }

  receive(id: bigint, payload: Bytes): void {
    this.routes.get(id)?.receive(payload);
  }

  ended(id: bigint, reason: CloseReason, error?: ScorelError): void {
    const route = this.routes.get(id);
    this.routes.delete(id);
    route?.ended(reason, error);
  }

  /** Ends all routes, because the connection is lost. */
  allEnded(error: ScorelError): void {
    const routes = [...this.routes.values()];
    this.routes.clear();
    for (const route of routes) route.ended("lost", error);
  }

  private add(id: bigint): PeerRoute {
    const route = new PeerRoute(id, this.wire);
    this.routes.set(id, route);
    return route;
  }
}
