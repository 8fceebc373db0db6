import type { Channel, ClientMessage } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { Guest } from "../../../plugins/gateway/guest.ts";
import { eventually } from "../../eventually.ts";

type Asking = Extract<ClientMessage, { requestId: number }>;

function channel() {
  const answered: number[] = [];
  const send = (text: string) => void answered.push((JSON.parse(text) as { requestId: number }).requestId);
  return { answered, channel: { unsent: 0, send, close: () => {}, open: () => {} } as unknown as Channel };
}

it("what waited in the line of a lost connection, and is sent again over the next one, is carried out once", async () => {
  const done: string[] = [];
  const guest = new Guest({
    request: (operation: string) => (operation === "wait_turn" ? new Promise(() => {}) : Promise.resolve({})),
    watchSessions: async () => {
      done.push("watch");
      return async () => {};
    },
    drained: async (sessionId: string) => void done.push(sessionId),
  } as unknown as Client);
  const ask = (message: object) => guest.ask(message as Asking, 50);
  const [lost, next] = [channel(), channel()];
  guest.join(lost.channel);
  const request = { type: "request", operation: "wait_turn" } as const;
  // The line begins the next request after a while.
  for (const requestId of [1, 2, 3]) ask({ ...request, requestId });
  const again = [
    { type: "watch", requestId: 4, subscription: 7 },
    { type: "drain", requestId: 5, sessionId: "one" },
  ] as const;
  for (const message of again) ask(message);
  await guest.part();
  guest.join(next.channel);
  for (const message of again) ask(message);
  ask({ ...request, requestId: 6, operation: "list_sessions" });
  await eventually(() => expect(next.answered).toContain(6));
  expect({ done, lost: lost.answered, next: next.answered }).toEqual({
    done: ["watch", "one"],
    lost: [],
    next: [4, 5, 6],
  });
});

it("a long request waits until the client has read what it was sent; more than a host can hold is refused", async () => {
  const done: number[] = [];
  const guest = new Guest({
    request: async (_operation: string, { number }: { number: number }) => void done.push(number),
  } as unknown as Client);
  const { answered, channel: line } = channel();
  const slow = { ...line, unsent: 2 * 1024 * 1024 };
  guest.join(slow);
  const ask = (requestId: number, characters: number) =>
    guest.ask(
      { type: "request", requestId, operation: "send_message", params: { number: requestId } } as unknown as Asking,
      characters,
    );
  for (const requestId of [1, 2, 3]) ask(requestId, 6_000_000);
  expect({ done, answered }).toEqual({ done: [], answered: [3] });
  slow.unsent = 0;
  await eventually(() => expect(answered).toEqual([3, 1, 2]));
  expect(done).toEqual([1, 2]);
});
