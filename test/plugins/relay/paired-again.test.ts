import { expect, it, onTestFinished } from "vitest";
import type { Channel } from "../../../plugins/host/client/index.ts";
import { RelayService } from "../../../plugins/relay/host/service.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { dialHost } from "../../../plugins/relay/peer/dial.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import { joinHost } from "../../../plugins/relay/peer/pair.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import { testHome } from "../host/home.ts";
import { Heard, startRelay } from "./relays.ts";

it("a device that pairs again loses the rights of its connections from before", async () => {
  using _home = testHome();
  const relay = await startRelay();
  const [heard, closed] = [new Heard<string>(), new Heard<string>()];
  const accept = (channel: Channel) => channel.open({ message: heard.add, closed: () => closed.add("closed") });
  const service = await RelayService.begin({ gateway: { accept }, warn: () => {} });
  onTestFinished(() => service.end());
  const guest = { identity: await createIdentity(nodeCrypto), primitives: nodeCrypto, make: nodeSocket };
  const relays = [relay.address];
  const pair = async (scopes: ("view" | "admin")[]) => {
    const { code } = await service.offer({ relays, insecure: true, name: "desk" });
    const joining = joinHost({ ...guest, code, relays, name: "laptop", confirmed: () => {} });
    await service.pairing(code).follow("waiting");
    await service.answer(code, true, scopes);
    const { host, admission } = await joining;
    const known = { name: "desk", relays, keys: host.publicKeys, grant: admission.grant };
    const channel = await dialHost({ ...guest, host: known });
    channel.send("hello");
    await heard.next();
  };
  await pair(["admin"]);
  const ends = [...closed.all];
  await pair(["view"]);
  expect(ends).toEqual([]);
  expect(await closed.next()).toBe("closed");
});
