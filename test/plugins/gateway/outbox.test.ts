import { expect, it } from "vitest";
import { Outbox } from "../../../plugins/gateway/outbox.ts";
import type { Delivered } from "../../../plugins/host/contract.ts";

it("a listener goes on when the events for which it waited are no longer wanted", async () => {
  const outbox = new Outbox(() => {});
  const anchor = { epoch: "e", persistentSeq: 1, persistentId: null, activation: "", streamSeq: -1 };
  const event = { type: "test", text: "x".repeat(200 * 1024) };
  const delivered = { event, display: { display: "hidden" } } as unknown as Delivered;
  const waits = [1, 2, 3, 4, 5, 6].map((subscription) => outbox.add(subscription, delivered, anchor));
  for (const subscription of [1, 2, 3, 4, 5, 6]) outbox.forget(subscription);
  expect(await Promise.all(waits)).toHaveLength(6);
});
