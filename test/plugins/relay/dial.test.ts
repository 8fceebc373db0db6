import { expect, it } from "vitest";
import { errors } from "../../../plugins/relay/errors.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { dialHost } from "../../../plugins/relay/peer/dial.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import { routedChannel } from "../../../plugins/relay/peer/routed-channel.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { grantFor, Heard, startRelay } from "./relays.ts";

async function reachable() {
  const relay = await startRelay();
  const host = await relay.host();
  const identity = await createIdentity(webCrypto);
  const grant = await grantFor(host.identity, identity);
  const known = { name: "desk", relays: [relay.address], keys: host.identity.publicKeys, grant };
  return { relay, host, identity, options: { host: known, identity, primitives: webCrypto, make: nodeSocket } };
}

it("a client with keys of WebCrypto talks with a host that has keys of node:crypto", async () => {
  const { host, identity, options } = await reachable();
  const dialed = dialHost(options);
  const route = await host.routes.next();
  const answering = routedChannel({
    ...{ role: "host", identity: host.identity, peer: identity.publicKeys, route, primitives: nodeCrypto },
  });
  const texts = new Heard<string>();
  answering.open({ message: (text) => answering.send(`heard: ${text}`), closed: () => {} });
  const channel = await dialed;
  channel.open({ message: texts.add, closed: () => {} });
  channel.send("hello");
  expect(await texts.next()).toBe("heard: hello");
  channel.close();
});

it("a host that is there but does not answer is not waited for, and its connection is closed", async () => {
  const { host, options } = await reachable();
  const failing = dialHost({ ...options, limitMs: 100 }).catch((thrown) => thrown);
  const route = await host.routes.next();
  const closed = new Heard<string>();
  route.use({ data: () => {}, closed: closed.add });
  expect((await failing).message).toBe(errors.RELAY_SILENT({ host: "desk", seconds: 0.1 }).message);
  expect(await closed.next()).toBe("done");
});

it("the error for a grant that is not valid any more is final", async () => {
  const { relay, identity, options } = await reachable();
  const other = await relay.host();
  const keys = other.identity.publicKeys;
  const grant = await grantFor(other.identity, identity, 1n, 1n);
  await expect(dialHost({ ...options, host: { ...options.host, keys, grant } })).rejects.toMatchObject({
    code: "RELAY_NOT_PAIRED",
    fatal: true,
  });
});
