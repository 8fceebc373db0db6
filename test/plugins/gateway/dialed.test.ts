import { connectHost, type RemoteOptions } from "@scorel/host/client";
import { expect, it } from "vitest";

const options = (dial: unknown, more: object = {}) => ({ version: "1.0.0", dial, ...more }) as RemoteOptions;
const MUST =
  "It must be a function that returns a channel with the functions send, close and open, such as dialWebSocket(address).";
const refused = (problem: string) => ({
  code: "LINK_CHANNEL",
  message: `The option "dial" of connectHost ${problem}. ${MUST}`,
});

it.each([
  ["no function", undefined, "is undefined"],
  ["an address", "ws://127.0.0.1:1", "is a string"],
  ["nothing", async () => {}, "returned undefined"],
  ["a number", () => 5, "returned a number"],
  ["half a channel", async () => ({ send() {}, open() {} }), "returned a channel without close"],
])("connectHost refuses %s as its dial", async (_what, dial, problem) => {
  await expect(connectHost(options(dial))).rejects.toMatchObject(refused(problem));
});

it("connectHost refuses no options", async () => {
  await expect(connectHost(undefined as never)).rejects.toMatchObject(refused("is undefined"));
});

it("a patient client does not connect again after a dial that returns no channel", async () => {
  let dialed = 0;
  const dial = () => {
    dialed++;
    return 5;
  };
  const client = await connectHost(options(dial, { patient: true }));
  await expect(client.request("ping", {})).rejects.toMatchObject(refused("returned a number"));
  expect([dialed, client.state.state]).toEqual([1, "closed"]);
});
