import { describe, expect, it } from "vitest";
import type { Channel } from "../../../plugins/host/client/index.ts";
import { oneEntryEach, TwoWays } from "../../../plugins/web/page/host/two-ways.ts";

const desk = { id: "d", name: "desk", address: "ws://10.0.0.2:7777" };
const again = { id: "r", name: "anything", address: "wss://relay.example/relay", host: "H" };
const others = [
  { id: "o", name: "desk", address: "ws://10.0.0.3:7777" },
  { id: "s", name: "desk", address: "wss://relay.example/relay", host: "S" },
];

describe("a host that is in the list directly and through a relay", () => {
  it("is one entry when it has proved to be the same, and never by its name", () => {
    const list = [desk, again, ...others];
    const told = (id: string) => (id === "d" ? "H" : undefined);
    expect(oneEntryEach(list, told).map(({ id, relayed }) => [id, relayed?.id])).toEqual([
      ["d", "r"],
      ["o", undefined],
      ["s", undefined],
    ]);
    expect(oneEntryEach(list, () => undefined).map(({ id }) => id)).toEqual(["d", "r", "o", "s"]);
    // Two addresses of the same host are two entries, and only one of them has the relay as its other way.
    expect(oneEntryEach(list, () => "H").map(({ id, relayed }) => [id, relayed?.id])).toEqual([
      ["d", "r"],
      ["o", undefined],
      ["s", undefined],
    ]);
    expect(oneEntryEach([desk], told).map(({ id, relayed }) => [id, relayed])).toEqual([["d", undefined]]);
  });

  it("is tried directly first, then through the relay, and again directly after each connection", async () => {
    const asked: string[] = [];
    const refused = Object.assign(new Error("revoked"), { fatal: true });
    let hasRelay = true;
    const ways = new TwoWays({
      token: "secret",
      direct: () => failing(asked, "direct", new Error("away")),
      relayed: () => (hasRelay ? () => failing(asked, "relay", refused) : undefined),
    });
    const attempt = async () => {
      asked.push(String(ways.token()));
      return ways.dial().catch((thrown) => thrown);
    };
    await attempt();
    // An error that is final on one way is not final on the other.
    expect(await attempt()).not.toHaveProperty("fatal");
    await attempt();
    ways.connected();
    await attempt();
    hasRelay = false;
    await attempt();
    const direct = ["secret", "direct"];
    expect(asked).toEqual([...direct, "undefined", "relay", ...direct, ...direct, ...direct]);
  });

  it("is given up directly after a while, and a connection that comes late is closed", async () => {
    let come: (channel: Channel) => void = () => {};
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const direct = () =>
      new Promise<Channel>((resolve) => {
        come = resolve;
      });
    const ways = new TwoWays({ token: "secret", direct, relayed: () => direct, ms: 1 });
    ways.token();
    await expect(ways.dial()).rejects.toThrow("does not answer at its address");
    come({ close: closed } as unknown as Channel);
    await isClosed;
  });
});

async function failing(asked: string[], way: string, error: Error): Promise<Channel> {
  asked.push(way);
  throw error;
}
