import type { CloseReason, Frame, FrameType } from "../protocol/frames.ts";
import type { Role } from "../protocol/identity.ts";
import { closePayload, errorPayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { RelayLimits } from "./limits.ts";
import { Refusal } from "./refusal.ts";

/** One of the two who talk over a route: a peer of this relay, or of another one on its bus. */
export interface RouteEnd {
  readonly role: Role | undefined;
  /** In base64url; empty for guests. */
  readonly id: string;
  readonly routes: Map<bigint, Route>;
  /** More waits for it than may wait. */
  readonly isFull: boolean;
  /** Sends a frame as it came. */
  forward(frame: Bytes): void;
  send(type: FrameType, route: bigint, payload: Bytes): void;
}

/** Two peers that talk to each other by way of the relay. */
export interface Route {
  readonly id: bigint;
  /** Who opened it. */
  readonly visitor: RouteEnd;
  readonly host: RouteEnd;
  /** Of the grant with which a client came; undefined while pairing. */
  readonly serial: bigint | undefined;
}

/** The routes between peers, and what passes on them. */
export class Routes {
  readonly #limits: RelayLimits;
  #frames = 0;
  #open = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** DATA frames that were passed on. */
  get frames(): number {
    return this.#frames;
  }

  /** Routes that are open. */
  get size(): number {
    return this.#open;
  }

  /** Makes a route. Throws a refusal if there is one with this number, or if one of the two has too many. */
  open(route: Route): void {
    const { visitor, host, id } = route;
    const { routes } = this.#limits;
    if (visitor.routes.has(id) || host.routes.has(id)) throw new Refusal("route", "This route exists.");
    if (visitor.routes.size >= routes[visitor.role === "client" ? "client" : "guest"])
      throw new Refusal("limit", "This connection has too many routes.");
    if (host.routes.size >= routes.host) throw new Refusal("limit", "The host has too many routes.");
    visitor.routes.set(id, route);
    host.routes.set(id, route);
    this.#open++;
  }

  /** Passes a DATA frame on as it is. */
  pass(from: RouteEnd, frame: Frame): void {
    const route = from.routes.get(frame.route);
    // One that was closed meanwhile: the sender was told, or will be.
    if (!route) return;
    const to = route.host === from ? route.visitor : route.host;
    if (to.isFull) this.close(route, "limit");
    else {
      this.#frames++;
      to.forward(frame.bytes);
    }
  }

  /** Ends a route, and tells both ends but the one `by` which it ends. */
  close(route: Route, reason: CloseReason, by?: RouteEnd): void {
    for (const end of this.#remove(route)) if (end !== by) end.send("close", route.id, closePayload(reason));
  }

  /** Ends a route, of which something may have been lost, and says so to all ends but the one that cannot be reached. */
  fail(route: Route, text: string, unreachable: RouteEnd): void {
    for (const end of this.#remove(route)) {
      if (end === unreachable) continue;
      end.send("error", route.id, errorPayload("unavailable", text));
      end.send("close", route.id, closePayload("gone"));
    }
  }

  /** Takes back what `open` has done, without a word to anybody. */
  forget(route: Route): void {
    this.#remove(route);
  }

  #remove(route: Route): RouteEnd[] {
    const { id, visitor, host } = route;
    if (host.routes.get(id) !== route) return [];
    this.#open--;
    for (const end of [visitor, host]) end.routes.delete(id);
    return [visitor, host];
  }
}
