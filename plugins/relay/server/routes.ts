import type { CloseReason, Frame } from "../protocol/frames.ts";
import { closePayload } from "../protocol/payloads.ts";
import type { RelayLimits } from "./limits.ts";
import { type Peer, Refusal, type Route } from "./peer.ts";

/** The routes between peers, and what passes on them. */
export class Routes {
  readonly #limits: RelayLimits;
  #frames = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** DATA frames that were passed on. */
  get frames(): number {
    return this.#frames;
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
  }

  /** Passes a DATA frame on as it is. */
  pass(from: Peer, frame: Frame): void {
    const route = from.routes.get(frame.route);
    // One that was closed meanwhile: the sender was told, or will be.
    if (!route) return;
    const to = route.host === from ? route.visitor : route.host;
    if (to.unsent > this.#limits.unsent) this.close(route, "limit");
    else {
      this.#frames++;
      to.forward(frame.bytes);
    }
  }

  /** Ends a route, and tells both ends but the one `by` which it ends. */
  close({ id, visitor, host }: Route, reason: CloseReason, by?: Peer): void {
    for (const peer of [visitor, host]) {
      peer.routes.delete(id);
      if (peer !== by) peer.send("close", id, closePayload(reason));
    }
  }
}
