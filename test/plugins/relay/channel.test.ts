import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { MAX_KEY_MS } from "../../../plugins/relay/protocol/key-use.ts";
import { MAX_TEXT } from "../../../plugins/relay/protocol/secure-channel.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { eventually } from "../../eventually.ts";
import { link, settle } from "./ends.ts";

const CANARY = "canary-of-plaintext";

describe.each([
  ["node:crypto", nodeCrypto],
  ["WebCrypto at the client", [webCrypto, nodeCrypto] as [typeof webCrypto, typeof webCrypto]],
  ["WebCrypto", webCrypto],
] as const)("a channel by %s", (_name, primitives) => {
  it("carries texts both ways in their order, of all lengths, and nothing that can be read", async () => {
    const { client, host } = link({ primitives: primitives as typeof webCrypto });
    const texts = [
      "",
      CANARY,
      "ä€😀",
      CANARY.repeat(10_000),
      ...Array.from({ length: 300 }, (_, n) => `${CANARY} ${n}`),
    ];
    for (const text of texts) {
      client.channel.send(text);
      host.channel.send(text);
    }
    await eventually(() => expect(client.texts.length + host.texts.length).toBe(2 * texts.length));
    expect({ client: client.texts, host: host.texts }).toEqual({ client: texts, host: texts });
    const crossed = Buffer.concat([...client.sent, ...host.sent]);
    expect(crossed.includes(CANARY)).toBe(false);
    const sizes = new Set([...client.sent, ...host.sent].map(({ length }) => length));
    expect([...sizes].every((size) => [48, 272, 1040, 4112, 16_400, 32_784].includes(size))).toBe(true);
  });
});

describe("a channel", () => {
  it("puts texts that wait together into one message", async () => {
    const { client, host } = link();
    await settle();
    for (let n = 0; n < 50; n++) host.channel.send(`text ${n}`);
    await settle();
    expect({ texts: client.texts.length, messages: host.sent.length }).toEqual({ texts: 50, messages: 2 });
  });

  it("ends after the texts that were sent, and tells both ends that nothing is missing", async () => {
    const { client, host } = link();
    client.channel.send("last");
    await settle();
    client.channel.close();
    client.channel.send("too late");
    await settle();
    expect({ texts: host.texts, client: client.closed, host: host.closed }).toEqual({
      texts: ["last"],
      client: { reason: undefined, told: "done" },
      host: { reason: undefined, told: "done" },
    });
  });

  it("tells its user when the route ends without the end of the channel", async () => {
    const { client } = link();
    client.channel.ended("the relay is gone");
    await settle();
    expect(client.closed).toEqual({ reason: "the relay is gone", told: undefined });
  });

  it("changes its keys after a number of messages, and after 15 minutes", async () => {
    let now = 0;
    const { client, host } = link({ now: () => now, maxKeyMessages: 3 });
    for (let n = 0; n < 20; n++) {
      client.channel.send(`text ${n}`);
      if (n % 5 === 0) now += MAX_KEY_MS;
      await settle(3);
    }
    expect({ texts: host.texts.length, closed: host.closed }).toEqual({ texts: 20, closed: undefined });
  });

  it("refuses a key that was used for too long", async () => {
    const { client, host } = link({ maxKeyMessages: [4, 2] });
    for (let n = 0; n < 4; n++) {
      client.channel.send(`text ${n}`);
      await settle(3);
    }
    expect(host.texts).toEqual(["text 0", "text 1"]);
    expect(host.closed?.reason).toContain("a key was used for too long");
  });

  it("refuses a text that is longer than the host accepts", async () => {
    const { client, host } = link();
    client.channel.send("x".repeat(MAX_TEXT.host + 1));
    await eventually(() => expect(host.closed).toBeDefined());
    expect(host.closed?.told).toBe("failed");
    expect(host.closed?.reason).toContain("a text is too long");
    expect(host.texts).toEqual([]);
  });

  it("keeps messages that arrive before it is opened, and reports how much waits", async () => {
    const { client, host } = link();
    client.channel.send("12345");
    expect(client.channel.unsent).toBe(5);
    await settle();
    expect({ unsent: client.channel.unsent, texts: host.texts }).toEqual({ unsent: 0, texts: ["12345"] });
  });
});
