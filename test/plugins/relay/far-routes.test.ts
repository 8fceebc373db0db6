import { describe, expect, it } from "vitest";
import { base64url } from "../../../plugins/relay/protocol/bytes.ts";
import { encodeFrame } from "../../../plugins/relay/protocol/frames.ts";
import { closePayload, readClose } from "../../../plugins/relay/protocol/payloads.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import type { Bus } from "../../../plugins/relay/server/bus/bus.ts";
import { FarRoutes } from "../../../plugins/relay/server/bus/far-routes.ts";
import { InProcessHub } from "../../../plugins/relay/server/bus/in-process.ts";
import { frameMessage, NODE_BYTES } from "../../../plugins/relay/server/bus/messages.ts";
import { Neighbours } from "../../../plugins/relay/server/bus/neighbours.ts";
import { DEFAULT_LIMITS } from "../../../plugins/relay/server/limits.ts";
import { type Route, type RouteEnd, Routes } from "../../../plugins/relay/server/routes.ts";
import { grantFor, listen, startRelay } from "./relays.ts";

describe("a route to a host of another relay", () => {
  it("is closed by a frame of that relay which is handled before its answer, and not by one of a third relay", () => {
    const routes = new Routes(DEFAULT_LIMITS);
    const far = new FarRoutes({ publish: () => {}, isFull: false } as unknown as Bus, routes, new Neighbours());
    const [theirs, third] = [new Uint8Array(NODE_BYTES).fill(1), new Uint8Array(NODE_BYTES).fill(2)];
    const told: string[] = [];
    const visitor = (name: string): RouteEnd => ({
      ...{ role: "client", id: name, routes: new Map<bigint, Route>(), isFull: false, forward: () => {} },
      send: (type, _route, payload: Bytes) => void told.push(`${name}: ${type} ${readClose(payload)}`),
    });
    for (const [count, [name, from]] of Object.entries({ one: theirs, other: third }).entries()) {
      const end = far.make("host", "host");
      routes.open({ id: 1n, visitor: visitor(name), host: end, serial: 1n });
      expect(far.take(frameMessage(from, 1, end.number, encodeFrame("close", 1n, closePayload("refused"))))).toBe(true);
      far.bind(end, { node: theirs, number: BigInt(count) });
    }
    expect(told).toEqual(["one: close refused"]);
  });

  it("is closed when the owner of either relay blocks the identity at the other", async () => {
    const hub = new InProcessHub();
    const [a, b] = [await startRelay({}, { bus: hub.join() }), await startRelay({}, { bus: hub.join() })];
    const [host, client] = [await a.host(), await b.client()];
    const open = async () => listen(client.connection.open(await grantFor(host.identity, client.identity)));
    const first = await open();
    await host.routes.next();
    a.relay.block(base64url(client.identity.id));
    expect(await first.closed.next()).toBe("revoked");
    const [other, there] = [await a.client(), await b.host()];
    const second = listen(other.connection.open(await grantFor(there.identity, other.identity)));
    await there.routes.next();
    a.relay.block(base64url(there.identity.id));
    expect(await second.closed.next()).toBe("revoked");
    expect([client.connection.isOpen, there.connection.isOpen]).toEqual([true, true]);
  });
});
