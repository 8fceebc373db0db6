import { expect, it } from "vitest";
import { relayAddresses } from "../../../plugins/relay/peer/known-relays.ts";

const SECRET = "pass-word-77";

it.each([
  [`wss://me:${SECRET}@relay.example`, "…@relay.example"],
  [`wss://me:s3cr/${SECRET}@relay.example`, "…@relay.example"],
  [`wss://me:s3cr@${SECRET}/@relay.example/relay`, "…@relay.example/relay"],
  [`wss://me:${SECRET},et@relay.example`, "…"],
  [`wss://me:12,${SECRET}@relay.example`, "…@relay.example"],
  [`wss://relay.example/relay?token=${SECRET}`, "wss://relay.example/relay"],
  ["ftp://relay.example", "ftp://relay.example"],
])("refuses the addresses %s, and shows only %s", (given, shown) => {
  const thrown = (() => {
    try {
      return relayAddresses(given);
    } catch (error) {
      return error as Error;
    }
  })();
  expect(thrown).toMatchObject({ code: "RELAY_ADDRESS", data: { given: shown } });
  expect((thrown as Error).message).not.toContain(SECRET);
});
