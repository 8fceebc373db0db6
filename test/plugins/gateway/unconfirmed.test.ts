import type { Channel } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { Guest } from "../../../plugins/gateway/guest.ts";
import { usedBytes } from "../../memory.ts";

const ROUNDS = 1_000;
const REQUESTS = 200;

/** A client that reads its answers, and never confirms one. */
function unconfirming() {
  let carriedOut = 0;
  const client = { request: async () => ++carriedOut, close: async () => {} };
  const guest = new Guest(client as unknown as Client);
  let answered = 0;
  let whenAll = () => {};
  let last = "";
  const send = (text: string) => {
    last = text;
    if (++answered % REQUESTS === 0) whenAll();
  };
  guest.join({ unsent: 0, send } as unknown as Channel);
  const ask = (requestId: number) =>
    guest.ask({ type: "request", requestId, operation: "list_sessions", params: {} }, 100);
  const round = async (first: number) => {
    const all = new Promise<void>((resolve) => {
      whenAll = resolve;
    });
    for (let n = 0; n < REQUESTS; n++) ask(first + n);
    await all;
  };
  return { ask, round, last: () => JSON.parse(last), carriedOut: () => carriedOut };
}

it("a client that never confirms its answers costs little, and none of its requests is carried out twice", async () => {
  const t = unconfirming();
  await t.round(1);
  const before = await usedBytes();
  for (let n = 1; n < ROUNDS; n++) await t.round(1 + n * REQUESTS);
  expect((await usedBytes()) - before).toBeLessThan(6_000_000);
  const total = ROUNDS * REQUESTS;
  t.ask(total);
  expect(t.last()).toEqual({ type: "response", requestId: total, result: total });
  t.ask(1);
  expect(t.last()).toMatchObject({ requestId: 1, error: { code: "GATEWAY_RESULT_GONE" } });
  expect(t.carriedOut()).toBe(total);
});
