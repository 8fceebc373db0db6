import { expect, it } from "vitest";
import { Gateway } from "../../plugins/gateway/gateway.ts";
import { addDevice } from "../../plugins/relay/host/devices.ts";
import { groupOf } from "../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../plugins/relay/host/relayed-host.ts";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { base64url, fromBase64url } from "../../plugins/relay/protocol/bytes.ts";
import { grantFrom } from "../../plugins/relay/protocol/grants.ts";
import { createIdentity, idOf, joinKeys, keysAt } from "../../plugins/relay/protocol/identity.ts";
import type { Bytes } from "../../plugins/relay/protocol/primitives.ts";
import { scratch } from "../e2e/scorel.ts";
import { testHome, testHost } from "../plugins/host/home.ts";
import { secondProcess } from "../second-process.ts";
import type { CrowdDevice } from "./relay-crowd.ts";

/** `CLIENTS=2000` needs two idle processors: all hosts share this process, and all clients share another one. */
const clients = Number(process.env.CLIENTS ?? 200);
/** Connections per device of a host, and routes per host: below the limits of hosts and of the relay. */
const [OF_DEVICE, OF_HOST] = [25, 1_000];
const BACK_MS = 10_000;

/**
 * A relay with default limits that trusts the addresses in a proxy's header, so that each client has another address.
 */
async function serve(relay: ReturnType<typeof scratch>, port: string) {
  const running = relay.start(["relay", "serve", "--port", port, "--behind-proxy"], { open: true });
  const line = await running.line((each) => each.startsWith("The relay listens at "));
  return { running, address: line.split(" at ")[1] as string };
}

it(`${clients} clients are back within 10 s after their relay was killed`, { timeout: 300_000 }, async () => {
  const [relay, home] = [scratch(), testHome()];
  let serving = await serve(relay, "0");
  const { address } = serving;
  const t = await testHost();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const gateway = new Gateway({
    ...{ host: t.host, version: "1.0.0", logger: { info: () => {}, warn } },
    limits: { clients: 10_000, strangers: 10_000 },
  });
  const hosts = await Promise.all(
    Array.from({ length: Math.ceil(clients / OF_HOST) }, async () => {
      const identity = await createIdentity(nodeCrypto);
      const host = new RelayedHost({ gateway, identity, joined: () => {}, warn });
      await host.enter(groupOf([address]));
      return host;
    }),
  );
  const folder = home.cwd;
  await using crowd = await secondProcess(new URL("relay-crowd.ts", import.meta.url), folder, [
    String(Math.ceil(clients / OF_DEVICE)),
  ]);
  const hear = async () => JSON.parse(await crowd.line());
  const tell = (value: unknown) => void crowd.child.stdin?.write(`${JSON.stringify(value)}\n`);
  try {
    const devices: CrowdDevice[] = [];
    for (const [at, joined] of ((await hear()) as string[]).entries()) {
      const keys = keysAt(fromBase64url(joined) as Bytes, 0);
      const clientId = await idOf(nodeCrypto, keys);
      await addDevice(keys, { id: base64url(clientId), name: "device", scopes: ["view"], serial: "1" });
      const { identity } = hosts[Math.floor((at * OF_DEVICE) / OF_HOST)] as RelayedHost;
      const grant = base64url(await grantFrom(identity, { clientId, serial: 1n }, Date.now()));
      const of = Math.min(OF_DEVICE, clients - at * OF_DEVICE);
      devices.push({ clients: of, relay: address, keys: base64url(joinKeys(identity.publicKeys)), grant });
    }
    tell(devices);
    expect(await hear()).toBe("there");
    serving.running.child.kill("SIGKILL");
    await serving.running.finished;
    tell("killed");
    expect(await hear()).toBe("away");
    serving = await serve(relay, new URL(address).port);
    const before = process.cpuUsage();
    tell("again");
    const { took, cpu } = await hear();
    const { user, system } = process.cpuUsage(before);
    const own = Math.round((user + system) / 1_000);
    console.log(`${clients} clients were back after ${took} ms (CPU: clients ${cpu} ms, hosts ${own} ms)`);
    expect(took).toBeLessThan(BACK_MS);
  } finally {
    for (const host of hosts) host.end();
    await gateway.dismiss("the test ends", false);
    await t.kernel.stop();
    for (const each of [relay, home]) each[Symbol.dispose]();
  }
});
