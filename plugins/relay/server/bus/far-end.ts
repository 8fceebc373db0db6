import { encodeFrame, type FrameType } from "../../protocol/frames.ts";
import type { Role } from "../../protocol/identity.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Route, RouteEnd } from "../routes.ts";
import type { Neighbour } from "./neighbours.ts";

/** What carries the frames of far ends. */
export interface FarWire {
  readonly isFull: boolean;
  frame(end: FarEnd, frame: Bytes): void;
  /** The end has no route any more. */
  over(end: FarEnd): void;
}

/** The end of one route whose peer is connected with another relay. */
export class FarEnd implements RouteEnd {
  readonly role: Role;
  id: string;
  /** What this relay calls the route on the bus. */
  readonly number: bigint;
  readonly routes = new Map<bigint, Route>();
  /** The other relay, and what it calls the route; undefined until it has taken it. */
  there: { neighbour: Neighbour; number: bigint } | undefined;
  readonly #wire: FarWire;

  constructor(role: Role, id: string, number: bigint, wire: FarWire) {
    this.role = role;
    this.id = id;
    this.number = number;
    this.#wire = wire;
  }

  get isFull(): boolean {
    return this.#wire.isFull;
  }

  forward(frame: Bytes): void {
    this.#wire.frame(this, frame);
  }

  send(type: FrameType, route: bigint, payload: Bytes): void {
    this.forward(encodeFrame(type, route, payload));
    if (type === "close") this.#wire.over(this);
  }
}
