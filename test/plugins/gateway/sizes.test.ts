import { connectHost } from "@scorel/host/client";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask } from "../host/home.ts";
import { testGateway } from "./home.ts";
import { wire } from "./wires.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    large: { params: Record<string, never>; result: { text: string } };
  }
}

const MAX = 2 * 1024 * 1024;

describe("a request that is longer than the connection allows", () => {
  it("rejects with the limit and is not sent, and the client continues over the same connection", async () => {
    await using t = await testGateway({ maxBytes: MAX });
    const client = await t.connect();
    const states: string[] = [];
    client.onState(({ state }) => void states.push(state));
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    // The first has too many characters, the second only too many bytes in UTF-8.
    for (const content of ["x".repeat(MAX), "ä".repeat(0.6 * MAX)])
      await expect(client.request("send_message", { sessionId, content })).rejects.toMatchObject({
        code: "LINK_TOO_LARGE",
        data: { max: MAX },
      });
    const fits = "x".repeat(MAX - 1_000);
    expect(await ask(client, sessionId, fits)).toBe(`echo: ${fits}`);
    expect(states).toEqual([]);
  });

  it("fails after it has broken a few connections, if the host does not state its limit", async () => {
    const welcome = { protocol: 1, version: "9", instance: "i", clientId: "c", secret: "s", resumed: true };
    let connections = 0;
    let sent = 0;
    const dial = () => {
      connections++;
      const { near, far } = wire();
      far.open({
        message: (text) => {
          const { type, requestId } = JSON.parse(text);
          if (type === "hello") far.send(JSON.stringify({ type: "welcome", ...welcome }));
          else if (text.length > 1024 * 1024) {
            sent++;
            far.close();
          } else if (type === "request") far.send(JSON.stringify({ type: "response", requestId, result: {} }));
        },
        closed: () => {},
      });
      return near;
    };
    const client = await connectHost({ dial, version: "1.0.0", times: { firstRetry: 5, lastRetry: 20 } });
    const content = "x".repeat(1024 * 1024);
    await expect(client.request("send_message", { sessionId: "s", content })).rejects.toMatchObject({
      code: "LINK_REPEATED",
      data: { operation: "send_message", times: 3 },
    });
    expect(await client.request("ping", {})).toEqual({});
    expect([connections, sent]).toEqual([4, 3]);
    await client.close();
  });
});

it("refuses a response that is too large for the client, instead of losing the connection", async () => {
  const large = definePlugin({
    id: "large",
    name: "Large",
    version: "1.0.0",
    scope: "host",
    operations: () => ({
      large: {
        params: () => z.strictObject({}),
        result: () => z.strictObject({ text: z.string() }),
        run: async () => ({ text: "x".repeat(65 * 1024 * 1024) }),
      },
    }),
  });
  await using t = await testGateway({ hostPlugins: [large] });
  const client = await t.connect();
  const states: string[] = [];
  client.onState(({ state }) => void states.push(state));
  await expect(client.request("large", {})).rejects.toMatchObject({ code: "GATEWAY_ANSWER" });
  expect(await client.request("ping", {})).toMatchObject({});
  expect(states).toEqual([]);
});
