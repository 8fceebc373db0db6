import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { grantFor, startRelay } from "./relays.ts";

it("what waits for one device of a host is not counted for another", async () => {
  const many = { burst: 1e12, perSecond: 1e12 };
  const relay = await startRelay({ unsent: 1e12, bytes: many, frames: many });
  const host = await relay.host();
  const routeTo = async () => {
    const device = await relay.client();
    device.connection.open(await grantFor(host.identity, device.identity));
    return host.routes.next();
  };
  const [busy, idle] = [await routeTo(), await routeTo()];
  for (let count = 0; count < 700; count++) busy.send(new Uint8Array(60_000));
  idle.send(new Uint8Array(5));
  expect([busy.unsent > 20_000_000, idle.unsent]).toEqual([true, 5]);
  await eventually(() => expect([busy.unsent, idle.unsent]).toEqual([0, 0]));
});
