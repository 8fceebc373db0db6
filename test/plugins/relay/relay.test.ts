import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { signRevocation } from "../../../plugins/relay/protocol/grants.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import { addressKey } from "../../../plugins/relay/server/limits.ts";
import { StoredRevocations } from "../../../plugins/relay/server/revocations.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { certificate, privateKey } from "../ws/certificate.ts";
import { connectTo, expectOnlyRouteClosed, grantFor, listen, say, startRelay } from "./relays.ts";

describe("a route through a relay", () => {
  it("carries bytes in both directions until one end closes it", async () => {
    const relay = await startRelay();
    const [host, client] = await Promise.all([relay.host(), relay.client()]);
    const there = client.connection.open(await grantFor(host.identity, client.identity));
    const atClient = listen(there);
    say(there, "first");
    const here = await host.routes.next();
    const atHost = listen(here);
    expect(await atHost.texts.next()).toBe("first");
    say(here, "answer");
    expect(await atClient.texts.next()).toBe("answer");
    expect(relay.relay.counts).toMatchObject({ hosts: 1, clients: 1, routes: 1, frames: 2 });
    here.close("done");
    expect(await atClient.closed.next()).toBe("done");
    expect(relay.relay.counts).toMatchObject({ routes: 0 });
  });

  it("is closed when the other end leaves, and cannot be opened to a host that is not there", async () => {
    const relay = await startRelay();
    const [host, client] = await Promise.all([relay.host(), relay.client()]);
    const grant = await grantFor(host.identity, client.identity);
    const first = listen(client.connection.open(grant));
    await host.routes.next();
    host.connection.close();
    expect(await first.closed.next()).toBe("gone");
    expect(await listen(client.connection.open(grant)).closed.next()).toBe("offline");
  });

  it.each([
    ["of another client", async () => undefined, "grant"],
    ["that is expired", async () => BigInt(Math.floor(Date.now() / 1000)) - 1n, "grant"],
    ["that lasts for too long", async () => BigInt(Math.floor(Date.now() / 1000)) + 500n * 86_400n, "grant"],
  ])("is refused with a grant %s", async (_name, notAfter, reason) => {
    const relay = await startRelay();
    const [host, client, other] = await Promise.all([relay.host(), relay.client(), createIdentity(nodeCrypto)]);
    const until = await notAfter();
    const grant = await (until === undefined
      ? grantFor(host.identity, other)
      : grantFor(host.identity, client.identity, 1n, until));
    expect(await listen(client.connection.open(grant)).closed.next()).toBe(reason);
    expect(host.routes.all).toEqual([]);
  });

  it("is refused with a grant of which any byte was changed", async () => {
    const relay = await startRelay({ routes: { client: 300, host: 300, guest: 1 } });
    const [host, client] = await Promise.all([relay.host(), relay.client()]);
    const grant = await grantFor(host.identity, client.identity);
    const ends = [...grant.keys()].map((at) => {
      const changed = grant.slice();
      changed[at] = (changed[at] as number) ^ 1;
      return listen(client.connection.open(changed)).closed.next();
    });
    expect(new Set(await Promise.all(ends))).toEqual(new Set(["grant"]));
  });

  it("of a client is ended within a second when the host revokes it, also for later grants up to the serial", async () => {
    const relay = await startRelay();
    const [host, client] = await Promise.all([relay.host(), relay.client()]);
    const [old, next] = await Promise.all([
      grantFor(host.identity, client.identity, 4n),
      grantFor(host.identity, client.identity, 5n),
    ]);
    const open = listen(client.connection.open(old));
    await host.routes.next();
    host.connection.revoke(await signRevocation(host.identity, { clientId: client.identity.id, serial: 4n }));
    expect(await open.closed.next()).toBe("revoked");
    expect(await listen(client.connection.open(old)).closed.next()).toBe("grant");
    client.connection.open(next);
    expect(await host.routes.next()).toBeDefined();
  });

  it("cannot be ended by a revocation of another host", async () => {
    const relay = await startRelay();
    const [host, other, client] = await Promise.all([relay.host(), relay.host(), relay.client()]);
    const route = client.connection.open(await grantFor(host.identity, client.identity));
    await host.routes.next();
    other.connection.revoke(await signRevocation(host.identity, { clientId: client.identity.id, serial: 9n }));
    expect(await other.closed.next()).toBe("malformed");
    say(route, "still there");
    expect(relay.relay.counts.routes).toBe(1);
  });

  it("is closed, and the connection is not, when the other end does not read", async () => {
    const relay = await startRelay({ unsent: 64 * 1024, bytes: { burst: 1e9, perSecond: 1e9 } });
    await expectOnlyRouteClosed(await relay.host(), relay.address);
  });
});

describe("a relay", () => {
  it("tells clients with a grant when a host comes and goes", async () => {
    const relay = await startRelay();
    const [client, identity] = await Promise.all([relay.client(), createIdentity(nodeCrypto)]);
    client.connection.watch(await grantFor(identity, client.identity));
    expect(await client.presence.next()).toBe(false);
    const host = await relay.host(identity);
    expect(await client.presence.next()).toBe(true);
    host.connection.revoke(await signRevocation(identity, { clientId: client.identity.id, serial: 1n }));
    await host.connection.offer();
    host.connection.close();
    // After the revocation, the client gets nothing about the host.
    await expect.poll(() => relay.relay.counts.hosts).toBe(0);
    expect(client.presence.all).toEqual([false, true]);
  });

  it("lets the newest connection of a host win", async () => {
    const relay = await startRelay();
    const first = await relay.host();
    await new Promise((resolve) => setImmediate(resolve));
    const second = await relay.host(first.identity);
    expect(await first.closed.next()).toBe("superseded");
    expect(second.connection.isOpen).toBe(true);
    expect(relay.relay.counts).toMatchObject({ hosts: 1 });
  });

  it("refuses a hello that is signed for another relay or with another key, and an old one", async () => {
    const relay = await startRelay();
    const other = await startRelay({}, { names: [new URL(relay.address).host] });
    const identity = await createIdentity(nodeCrypto);
    const stranger = await createIdentity(nodeCrypto);
    const forged = { ...identity, signing: stranger.signing };
    await expect(connectTo(relay.address, { role: "client", identity: forged }, identity)).rejects.toMatchObject({
      code: "RELAY_REFUSED",
      data: { reason: "unauthenticated" },
    });
    // A relay accepts the names that its owner has configured.
    await expect(connectTo(other.address, { role: "client", identity }, identity)).resolves.toBeDefined();
  });

  it("carries nothing of identities that its owner has blocked, also after a restart", async () => {
    const folder = temporaryFolder("scorel-relay-");
    const revocations = new StoredRevocations(folder, Date.now());
    const relay = await startRelay({}, { revocations });
    const [host, client] = await Promise.all([relay.host(), relay.client()]);
    relay.relay.block(idOf(client.identity.id));
    expect(await client.closed.next()).toBe("blocked");
    host.connection.revoke(await signRevocation(host.identity, { clientId: client.identity.id, serial: 3n }));
    await host.connection.offer();
    const again = new StoredRevocations(folder, Date.now());
    expect(again.isBlocked(idOf(client.identity.id))).toBe(true);
    expect(again.isRevoked(idOf(host.identity.id), idOf(client.identity.id), 3n)).toBe(true);
    expect(again.isRevoked(idOf(host.identity.id), idOf(client.identity.id), 4n)).toBe(false);
    const late = new StoredRevocations(folder, Date.now() + 401 * 86_400_000);
    expect(late.isRevoked(idOf(host.identity.id), idOf(client.identity.id), 3n)).toBe(false);
  });

  it("does not start with a damaged list of revocations", async () => {
    const folder = temporaryFolder("scorel-relay-");
    writeFileSync(join(folder, "revocations.jsonl"), '{"host":"a"}\n');
    expect(() => new StoredRevocations(folder, Date.now())).toThrow(
      expect.objectContaining({
        code: "RELAY_DATA",
        data: { path: join(folder, "revocations.jsonl"), problem: "line 1 cannot be read" },
      }),
    );
  });

  it("ends connections that send nothing, and those that send invalid frames", async () => {
    const relay = await startRelay({ helloMs: 1 });
    const silent = new WebSocket(relay.address, "scorel-relay-1");
    const rude = new WebSocket(relay.address, "scorel-relay-1");
    rude.on("open", () => rude.send(createHash("sha256").update("noise").digest()));
    const codeOf = (socket: WebSocket) => new Promise((resolve) => socket.on("close", resolve));
    expect(await Promise.all([codeOf(silent), codeOf(rude)])).toEqual([4004, 4001]);
    expect(relay.relay.counts).toMatchObject({ strangers: 0 });
  });

  it("limits connections of an address and an identity, and keeps its counts right", async () => {
    const relay = await startRelay({ socketsOfAddress: 3, socketsOfIdentity: 2 });
    const first = await relay.client();
    const second = await relay.client(first.identity);
    await expect(relay.client(first.identity)).rejects.toMatchObject({ data: { reason: "limit" } });
    await relay.guest();
    await expect(relay.guest()).rejects.toMatchObject({ data: { reason: "limit" } });
    second.connection.close();
    await expect.poll(() => relay.relay.counts.clients).toBe(1);
    await expect(relay.client(first.identity)).resolves.toBeDefined();
  });

  it("answers nobody else: no other path, and no other protocol", async () => {
    const relay = await startRelay();
    const url = relay.address.replace("ws:", "http:");
    expect(await (await fetch(new URL("/healthz", url))).text()).toBe("ok\n");
    expect((await fetch(url)).status).toBe(404);
    const other = new WebSocket(relay.address, "another");
    await expect(new Promise((resolve, reject) => other.on("open", resolve).on("error", reject))).rejects.toThrow(
      "404",
    );
  });
});

describe("a place to pair", () => {
  it("leads guests to its host, five times", async () => {
    const relay = await startRelay();
    const host = await relay.host();
    const { place, seconds } = await host.connection.offer();
    expect([place, seconds]).toEqual([expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{3}$/), 300]);
    for (let tries = 0; tries < 5; tries++) {
      const guest = await relay.guest();
      const there = guest.connection.join(place);
      say(there, "hello");
      expect(await listen(await host.routes.next()).texts.next()).toBe("hello");
    }
    const late = await relay.guest();
    expect(await listen(late.connection.join(place)).closed.next()).toBe("place");
  });

  it("ends with its host, when it is withdrawn, and when the host asks for another one", async () => {
    const relay = await startRelay();
    const [host, gone] = await Promise.all([relay.host(), relay.host()]);
    const guest = await relay.guest();
    const tryPlace = async (place: string) => listen(guest.connection.join(place)).closed.next();
    const first = await host.connection.offer();
    const second = await host.connection.offer();
    expect(await tryPlace(first.place)).toBe("place");
    host.connection.withdraw(second.place);
    await host.connection.offer();
    expect(await tryPlace(second.place)).toBe("place");
    const { place } = await gone.connection.offer();
    gone.connection.close();
    await expect.poll(() => relay.relay.counts.hosts).toBe(1);
    expect(await tryPlace(place)).toBe("place");
  });

  it("cannot be guessed: attempts are limited for each address, and in total", async () => {
    const relay = await startRelay({ joinsOfAddress: { burst: 3, perSecond: 0.001 } });
    const guest = await relay.guest();
    const ends: string[] = [];
    for (let tries = 0; tries < 5; tries++) ends.push(await listen(guest.connection.join("ZZZ")).closed.next());
    expect(ends).toEqual(["place", "place", "place", "limit", "limit"]);
  });
});

it("counts an IPv6 network as one address", () => {
  const addresses = ["127.0.0.1", "::ffff:10.0.0.1", "::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "fe80::1%eth0"];
  expect(addresses.map(addressKey)).toEqual([
    ...["127.0.0.1", "10.0.0.1", "0:0:0:0::/64", "2001:db8:1:2::/64", "2001:db8:1:2::/64", "fe80:0:0:0::/64"],
  ]);
});

function idOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

it("behind a proxy, uses the last address that the proxy names as the client's, and without one ignores the header", async () => {
  const ends = async (behindProxy: boolean) => {
    const relay = await startRelay({ socketsOfAddress: 1 }, { behindProxy });
    const open = (forwarded: string) => {
      const headers = { "X-Forwarded-For": forwarded };
      const socket = new WebSocket(relay.address, "scorel-relay-1", { headers });
      onTestFinished(() => socket.terminate());
      return new Promise<string>((resolve) => {
        const types: number[] = [];
        socket.on(
          "message",
          (data: Buffer) => types.push(data[0] as number) === 1 && setImmediate(() => socket.ping()),
        );
        socket.on("pong", () => resolve("let in"));
        socket.on("close", (code) => resolve(String(code)));
      });
    };
    // A client can put any address before the one that the proxy appends.
    const given = ["10.0.0.1", "10.0.0.2", "10.0.0.3, 10.0.0.1"];
    const said: string[] = [];
    for (const forwarded of given) said.push(await open(forwarded));
    return said;
  };
  expect(await ends(true)).toEqual(["let in", "let in", "4004"]);
  expect(await ends(false)).toEqual(["let in", "4004", "4004"]);
});

it("encrypts connections with a certificate, and then answers nobody without TLS", async () => {
  const tls = { cert: Buffer.from(certificate), key: Buffer.from(privateKey) };
  const relay = await startRelay({}, { tls, names: ["relay.example"] });
  expect(relay.address).toBe(`wss://127.0.0.1:${relay.port}/relay`);
  const answer = await new Promise<number>((resolve, reject) => {
    const socket = new WebSocket(relay.address, "scorel-relay-1", {
      rejectUnauthorized: false,
    });
    onTestFinished(() => socket.terminate());
    socket.on("message", (data: Buffer) => resolve(data[0] as number)).on("error", reject);
  });
  // The frame type of a challenge.
  expect(answer).toBe(1);
  const plain = new WebSocket(relay.address.replace("wss:", "ws:"), "scorel-relay-1");
  await expect(new Promise((resolve, reject) => plain.on("open", resolve).on("error", reject))).rejects.toThrow();
});
