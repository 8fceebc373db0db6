import { encodeFrame, type FrameType } from "../../protocol/frames.ts";
import type { Role } from "../../protocol/identity.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Route, RouteEnd } from "../routes.ts";
import type { Neighbour } from "./neighbours.ts";

/** Sends the frames of far ends over the bus. */
export interface FarWire {
  readonly isFull: boolean;
  frame(end: FarEnd, frame: Bytes): void;
  /** The end has lost its route. */
  over(end: FarEnd): void;
}

/** One end of a route whose peer is connected to another relay. */
export class FarEnd implements RouteEnd {
  readonly role: Role;
  id: string;
  /** Number of the route on the bus, assigned by this relay. */
  readonly number: bigint;
  readonly routes = new Map<bigint, Route>();
  /** The other relay, and its number for the route; undefined until it has accepted the route. */
  there: { neighbour: Neighbour; number: bigint } | undefined;
  /** Frames that have come before `there` was known, with the relays that sent them. */
  readonly early: { from: Bytes; frame: Bytes }[] = [];
  private readonly wire: FarWire;

  constructor(role: Role, id: string, number: bigint, wire: FarWire) {
    this.role = role;
    this.id = id;
    this.number = number;
    this.wire = wire;
  }

  get isFull(): boolean {
    return this.wire.isFull;
  }

  forward(frame: Bytes): void {
    this.wire.frame(this, frame);
  }

  send(type: FrameType, route: bigint, payload: Bytes): void {
    this.forward(encodeFrame(type, route, payload));
    if (type === "close") this.wire.over(this);
  }
}
