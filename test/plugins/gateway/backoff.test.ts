import type { LinkState } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { ask } from "../host/home.ts";
import { testGateway } from "./home.ts";

const FIRST_MS = 20;

/** A connected client, and the waits before its attempts to reconnect. */
async function watched() {
  const t = await testGateway();
  const client = await t.connect({ times: { firstRetry: FIRST_MS, lastRetry: 10_000 } });
  const waits: (Extract<LinkState, { state: "waiting" }> & { ms: number })[] = [];
  client.onState((state) => void (state.state === "waiting" && waits.push({ ...state, ms: state.at - Date.now() })));
  const live = () => eventually(() => expect(client.state.state).toBe("live"));
  return { ...t, client, waits, live, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

it("waits longer after each unexplained disconnection, and briefly again after a host that has announced its stop", async () => {
  await using t = await watched();
  const last = () => t.waits.at(-1)?.ms ?? 0;
  // A wait is a tenth of the time since the connection first broke.
  while (last() <= 4 * FIRST_MS) {
    t.cut();
    await eventually(() => expect(t.client.state.state).not.toBe("live"));
    await t.live();
  }
  for (const planned of [1, 2]) {
    await t.restart();
    await eventually(() => expect(t.waits.filter(({ hostStopped }) => hostStopped)).toHaveLength(planned));
    expect(last()).toBeLessThanOrEqual(FIRST_MS);
    await t.live();
  }
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  expect(await ask(t.client, sessionId, "hello")).toBe("echo: hello");
});

it("reconnects although a listener of its state throws", async () => {
  await using t = await testGateway();
  const thrown: unknown[] = [];
  const client = await t.connect({ times: { firstRetry: FIRST_MS }, listenerFailed: (each) => void thrown.push(each) });
  client.onState(() => {
    throw new Error("a mistake");
  });
  t.cut();
  await eventually(() => expect(client.state.state).toBe("waiting"));
  await eventually(() => expect(client.state.state).toBe("live"));
  const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
  expect(await ask(client, sessionId, "hello")).toBe("echo: hello");
  expect(new Set(thrown.map(String))).toEqual(new Set(["Error: a mistake"]));
});

it("describes why the host is away as a part of a sentence", async () => {
  await using t = await watched();
  await t.restart();
  await eventually(() => expect(t.waits).toHaveLength(1));
  expect(t.waits[0]?.reason).toBe("The host has ended the connection: it is restarted");
});
