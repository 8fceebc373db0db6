import { beforeEach, describe, expect, it } from "vitest";
import type { Bus } from "../../../plugins/relay/server/bus/bus.ts";
import { InProcessHub } from "../../../plugins/relay/server/bus/in-process.ts";
import { kinds } from "../../../plugins/relay/server/bus/messages.ts";
import { testBackplane } from "../../contracts/backplane.ts";
import { grantFor, listen, say, startRelay } from "./relays.ts";

describe("relays of one process", () => {
  let hub = new InProcessHub();
  beforeEach(() => {
    hub = new InProcessHub();
  });
  testBackplane(async () => hub.join());

  /** A bus that loses one message with a frame after each call of `lose`. */
  function losing(): Bus & { lose(): void } {
    const bus = hub.join();
    let isLosing = false;
    return {
      get isConnected() {
        return bus.isConnected;
      },
      isFull: false,
      start: (events) => bus.start(events),
      publish: (subject, message) => {
        if (!isLosing || message[0] !== kinds.frame) return bus.publish(subject, message);
        isLosing = false;
        return true;
      },
      request: (...asked) => bus.request(...asked),
      subscribe: (...subscribed) => bus.subscribe(...subscribed),
      settled: () => bus.settled(),
      close: () => bus.close(),
      lose: () => {
        isLosing = true;
      },
    };
  }

  it.each([
    ["another message follows", true],
    ["none follows", false],
  ])("end a route at both ends when the bus loses a message, also if %s", async (_which, follows) => {
    const bus = losing();
    const [a, b] = [await startRelay({}, { bus: hub.join() }), await startRelay({}, { bus })];
    const [host, client] = await Promise.all([a.host(), b.client()]);
    const grant = await grantFor(host.identity, client.identity);
    const there = client.connection.open(grant);
    const atClient = listen(there);
    const atHost = listen(await host.routes.next());
    say(there, "first");
    expect(await atHost.texts.next()).toBe("first");
    bus.lose();
    say(there, "lost");
    if (follows) say(there, "too late");
    expect(await Promise.all([atClient.closed.next(), atHost.closed.next()])).toEqual(["unavailable", "unavailable"]);
    expect(atHost.texts.all).toEqual(["first"]);
    // Routes that were opened later are not affected.
    const again = client.connection.open(grant);
    const after = listen(await host.routes.next());
    say(again, "again");
    expect(await after.texts.next()).toBe("again");
  });
});
