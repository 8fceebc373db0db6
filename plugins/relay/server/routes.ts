import type { CloseReason, Frame, FrameType } from "../protocol/frames.ts";
import type { Role } from "../protocol/identity.ts";
import { closePayload, errorPayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { RelayLimits } from "./limits.ts";
import { Refusal } from "./refusal.ts";

/** One end of a route: a peer of this relay, or of another one on its bus. */
export interface RouteEnd {
  readonly role: Role | undefined;
  /** Base64url; empty for guests. */
  readonly id: string;
  readonly routes: Map<bigint, Route>;
  /** Whether more bytes wait to be sent to this end than are allowed. */
  readonly isFull: boolean;
  /** Sends an encoded frame unchanged. */
  forward(frame: Bytes): void;
  send(type: FrameType, route: bigint, payload: Bytes): void;
}

/** A connection between two peers through the relay. */
export interface Route {
  readonly id: bigint;
  /** The peer that has opened the route. */
  readonly visitor: RouteEnd;
  readonly host: RouteEnd;
  /** Serial number of the client's grant; undefined while pairing. */
  readonly serial: bigint | undefined;
}

/** The routes between peers, and the frames that pass over them. */
export class Routes {
  private readonly limits: RelayLimits;
  private frameCount = 0;
  private openCount = 0;

  constructor(limits: RelayLimits) {
    this.limits = limits;
  }

  /** Number of DATA frames that were passed on. */
  get frames(): number {
    return this.frameCount;
  }

  /** Number of open routes. */
  get size(): number {
    return this.openCount;
  }

  /** Adds a route. Throws a Refusal if its number is in use, or if one of its ends has too many routes. */
  open(route: Route): void {
    const { visitor, host, id } = route;
    const { routes } = this.limits;
    if (visitor.routes.has(id) || host.routes.has(id)) throw new Refusal("route", "This route exists.");
    if (visitor.routes.size >= routes[visitor.role === "client" ? "client" : "guest"])
      throw new Refusal("limit", "This connection has too many routes.");
    if (host.routes.size >= routes.host) throw new Refusal("limit", "The host has too many routes.");
    visitor.routes.set(id, route);
    host.routes.set(id, route);
    this.openCount++;
  }

  /** Passes a DATA frame on unchanged. */
  pass(from: RouteEnd, frame: Frame): void {
    const route = from.routes.get(frame.route);
    // The route has been closed meanwhile. The sender was told, or will be.
    if (!route) return;
    const to = route.host === from ? route.visitor : route.host;
    if (to.isFull) this.close(route, "limit");
    else {
      this.frameCount++;
      to.forward(ownBytes(frame.bytes));
    }
  }

  /** Closes a route, and tells both ends, except the end `by`, which has closed it. */
  close(route: Route, reason: CloseReason, by?: RouteEnd): void {
    for (const end of this.remove(route)) if (end !== by) end.send("close", route.id, closePayload(reason));
  }

  /** Closes a route over which frames may have been lost, and tells the end that can still be reached. */
  fail(route: Route, text: string, unreachable: RouteEnd): void {
    for (const end of this.remove(route)) {
      if (end === unreachable) continue;
      end.send("error", route.id, errorPayload("unavailable", text));
      end.send("close", route.id, closePayload("gone"));
    }
  }

  /** Undoes `open` without telling the ends. */
  forget(route: Route): void {
    this.remove(route);
  }

  private remove(route: Route): RouteEnd[] {
    const { id, visitor, host } = route;
    if (host.routes.get(id) !== route) return [];
    this.openCount--;
    for (const end of [visitor, host]) end.routes.delete(id);
    return [visitor, host];
  }
}

/**
 * A frame that keeps at most four times its size in memory while it waits: it is a view of a message, which may be much larger, and only
 * its own bytes are counted as unsent.
 */
function ownBytes(frame: Bytes): Bytes {
  return frame.buffer.byteLength > 4 * frame.length ? frame.slice() : frame;
}
