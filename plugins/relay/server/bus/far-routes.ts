import { areEqual } from "../../protocol/bytes.ts";
import { decodeFrames } from "../../protocol/frames.ts";
import type { Role } from "../../protocol/identity.ts";
import { readClose } from "../../protocol/payloads.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Routes } from "../routes.ts";
import type { Bus } from "./bus.ts";
import { FarEnd, type FarWire } from "./far-end.ts";
import { frameMessage, type Link, readFrame } from "./messages.ts";
import type { Neighbour, Neighbours } from "./neighbours.ts";

const LOST = "Another relay cannot be reached. What was sent last may not have arrived.";

/** Most frames that are kept for a route until the answer of the other relay has been handled. */
const MAX_EARLY = 16;

/** Routes to peers of other relays. */
export class FarRoutes implements FarWire {
  private readonly bus: Bus;
  private readonly routes: Routes;
  private readonly neighbours: Neighbours;
  private readonly ends = new Map<bigint, FarEnd>();
  private last = 0n;

  constructor(bus: Bus, routes: Routes, neighbours: Neighbours) {
    this.bus = bus;
    this.routes = routes;
    this.neighbours = neighbours;
  }

  /** Name of this relay on the bus, for one connection with it. */
  own: Bytes = new Uint8Array(0);

  get isFull(): boolean {
    return this.bus.isFull;
  }

  /** Makes the far end of a route that is about to be opened. `over` removes it. */
  make(role: Role, id: string): FarEnd {
    const end = new FarEnd(role, id, ++this.last, this);
    this.ends.set(end.number, end);
    return end;
  }

  /** Records that the other relay has accepted the route. */
  bind(end: FarEnd, { node, number }: Link): void {
    end.there = { neighbour: this.neighbours.of(node), number };
    for (const { from, frame } of end.early.splice(0)) if (areEqual(from, node)) this.arrived(end, frame);
  }

  linkOf({ number }: FarEnd): Link {
    return { node: this.own, number };
  }

  has(end: FarEnd): boolean {
    return this.ends.has(end.number);
  }

  over({ number }: FarEnd): void {
    this.ends.delete(number);
  }

  /** Sends a frame to the other relay. While the bus is lost, nothing is sent: `lost` ends all these routes, and tells their peers. */
  frame({ there }: FarEnd, frame: Bytes): void {
    if (!there) return;
    const { neighbour, number } = there;
    this.bus.publish(neighbour.subject, frameMessage(this.own, ++neighbour.sent, number, frame));
  }

  /** Handles a frame from another relay. Returns false if an earlier message from it was lost. */
  take(message: Bytes): boolean {
    const { from, count, number, frame } = readFrame(message);
    const end = this.ends.get(number);
    const isTheirs = end?.there !== undefined && areEqual(end.there.neighbour.node, from);
    const neighbour = isTheirs ? (end.there as { neighbour: Neighbour }).neighbour : this.neighbours.of(from);
    if (!neighbour.takes(count)) return false;
    if (isTheirs) this.arrived(end, frame);
    // A host may close a route at once, and its CLOSE may be handled before the answer that it follows. Copied, since it is a view.
    else if (end && !end.there && end.early.length < MAX_EARLY) end.early.push({ from, frame: frame.slice() });
    return true;
  }

  /** Closes the routes to one relay that is gone, or without `neighbour`, all routes. */
  lost(neighbour?: Neighbour): void {
    for (const end of [...this.ends.values()]) {
      if (neighbour && end.there?.neighbour !== neighbour) continue;
      this.over(end);
      for (const route of end.routes.values()) this.routes.fail(route, LOST, end);
    }
  }

  private arrived(end: FarEnd, bytes: Bytes): void {
    for (const frame of decodeFrames(bytes, "relay", "relay")) {
      const route = end.routes.get(frame.route);
      if (!route) continue;
      if (frame.type === "data") this.routes.pass(end, frame);
      else if (frame.type === "close") {
        this.over(end);
        this.routes.close(route, readClose(frame.payload), end);
      }
    }
  }
}
