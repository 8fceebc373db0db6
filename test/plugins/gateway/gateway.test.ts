import type { Delivered } from "@scorel/host/contract";
import { defineErrors, definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask } from "../host/home.ts";
import { dial, testGateway } from "./home.ts";

describe("a client in another process", () => {
  it("gets the answers and errors of the host as its own clients do", async () => {
    await using t = await testGateway();
    const client = await t.connect();
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    expect(await ask(client, sessionId, "hello")).toBe("echo: hello");
    const [own, remote] = await Promise.all(
      [t.client, client].map((each) => each.request("get_events", { sessionId })),
    );
    expect(remote).toEqual(own);
    const refusals = [t.client, client].map((each) =>
      each.request("get_events", { sessionId: "nothing" }).catch((thrown) => thrown),
    );
    const [ownError, error] = await Promise.all(refusals);
    expect({ code: error.code, message: error.message, data: error.data }).toEqual({
      code: ownError.code,
      message: ownError.message,
      data: ownError.data,
    });
  });

  it("gets an error whose data cannot be sent without that data, and the answers to later requests", async () => {
    const errors = defineErrors({ ODD_FAILED: (a: { size: bigint }) => `It has ${a.size} bytes.` });
    const odd = definePlugin({
      id: "odd",
      name: "Odd",
      version: "1.0.0",
      scope: "host",
      operations: (): object => ({
        fail_oddly: {
          summary: "Fails.",
          params: () => z.strictObject({}),
          result: () => z.strictObject({}),
          run: () => {
            throw errors.ODD_FAILED({ size: 10n });
          },
        },
      }),
    });
    await using t = await testGateway({ hostPlugins: [odd] });
    const client = await t.connect();
    const failed = await client.request("fail_oddly" as never, {} as never).catch((thrown) => thrown);
    const { code, message, data } = failed;
    expect({ code, message, data }).toEqual({ code: "ODD_FAILED", message: "It has 10 bytes.", data: {} });
    expect(await client.request("list_sessions", {})).toMatchObject({ sessions: [] });
  });

  it("gets events in order, each once, while the connection is cut again and again", async () => {
    await using t = await testGateway();
    const client = await t.connect();
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    const heard: unknown[] = [];
    await client.subscribe(sessionId, ({ event }: Delivered) => void ("id" in event && heard.push(event)), {
      tail: Number.POSITIVE_INFINITY,
    });
    for (let n = 0; n < 20; n++) {
      const asking = ask(client, sessionId, `message ${n}`);
      t.cut();
      expect(await asking).toBe(`echo: message ${n}`);
    }
    await client.drained(sessionId);
    const { events } = await t.client.request("get_events", { sessionId });
    expect(heard).toEqual(events.map(({ event }) => event));
  });

  it("continues after the host was restarted, with its sessions and subscriptions", async () => {
    await using t = await testGateway();
    const client = await t.connect();
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    await ask(client, sessionId, "before");
    const heard: string[] = [];
    const modes: string[] = [];
    await client.subscribe(sessionId, ({ event }) => void ("id" in event && heard.push(event.id)), {
      tail: Number.POSITIVE_INFINITY,
      resumed: (mode) => void modes.push(mode),
    });
    await t.restart();
    expect(await ask(client, sessionId, "after")).toBe("echo: after");
    await client.drained(sessionId);
    const { events } = await client.request("get_events", { sessionId });
    expect(heard).toEqual(events.map(({ event }) => (event as { id: string }).id));
    expect(modes).toHaveLength(1);
  });

  it("is refused with the reason when it speaks another version of the protocol", async () => {
    await using t = await testGateway();
    const channel = await dial(t.path);
    const answer = new Promise<string>((resolve) => channel.open({ message: resolve, closed: () => {} }));
    channel.send(JSON.stringify({ type: "hello", protocol: 99, version: "9.0.0" }));
    expect(JSON.parse(await answer)).toEqual({
      type: "closing",
      retry: false,
      error: {
        code: "GATEWAY_PROTOCOL",
        data: { host: 1, client: 99, hostVersion: "1.0.0", clientVersion: "9.0.0" },
        message: expect.stringContaining("Update the older one"),
      },
    });
  });
});
