import { describe, expect, it, onTestFinished } from "vitest";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { utf8 } from "../../plugins/relay/protocol/bytes.ts";
import { signRevocation } from "../../plugins/relay/protocol/grants.ts";
import { createIdentity, signHello } from "../../plugins/relay/protocol/identity.ts";
import type { Bytes } from "../../plugins/relay/protocol/primitives.ts";
import { type Bus, Unavailable } from "../../plugins/relay/server/bus/bus.ts";
import { claimMessage, isYes, subjects } from "../../plugins/relay/server/bus/messages.ts";
import type { RelayLimits } from "../../plugins/relay/server/limits.ts";
import {
  expectOnlyRouteClosed,
  grantFor,
  Heard,
  listen,
  say,
  startRelay,
  type TestRelay,
} from "../plugins/relay/relays.ts";

/** A new connection with the same bus at each call. */
export type JoinBus = () => Promise<Bus>;

const textIn = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The test cases that every bus must pass, alone and with relays that use it. */
export function testBackplane(join: JoinBus): void {
  const joined = async () => {
    const bus = await join();
    onTestFinished(() => bus.close());
    await new Promise<void>((resolve) => bus.start({ connected: resolve, lost: () => {} }));
    return bus;
  };
  const relays = (count: number, limits: Partial<RelayLimits> = {}): Promise<TestRelay[]> =>
    Promise.all(Array.from({ length: count }, async () => startRelay(limits, { bus: await join() })));
  const two = async (limits?: Partial<RelayLimits>) => (await relays(2, limits)) as [TestRelay, TestRelay];

  describe("a bus", () => {
    it("delivers messages to all other subscribers, in order, and never back to the sender", async () => {
      const [a, b, c] = [await joined(), await joined(), await joined()];
      const heard = { a: new Heard<string>(), b: new Heard<string>(), c: new Heard<string>() };
      a.subscribe("x.1", (message) => heard.a.add(textIn(message)));
      b.subscribe("x.1", (message) => heard.b.add(textIn(message)));
      c.subscribe("x.2", (message) => heard.c.add(textIn(message)));
      await Promise.all([a.settled(), b.settled(), c.settled()]);
      const sent = Array.from({ length: 500 }, (_, index) => String(index));
      for (const text of sent) expect(a.publish("x.1", utf8(text))).toBe(true);
      while (heard.b.all.length < sent.length) await heard.b.next();
      expect([heard.a.all, heard.b.all, heard.c.all]).toEqual([[], sent, []]);
    });

    it("delivers answers to requests, and distinguishes absent receivers from silent ones", async () => {
      const [a, b] = [await joined(), await joined()];
      a.subscribe("mine", (_message, answer) => answer(utf8("from myself")));
      const end = b.subscribe("asked", (message, answer) => answer(utf8(`${textIn(message)}!`)));
      b.subscribe("silent", () => {});
      await expect
        .poll(async () => textIn((await a.request("asked", utf8("you"), 5_000)) ?? utf8("nobody")))
        .toBe("you!");
      expect(await a.request("nobody", utf8("?"), 5_000)).toBeUndefined();
      expect(await a.request("mine", utf8("?"), 5_000)).toBeUndefined();
      await expect(a.request("silent", utf8("?"), 50)).rejects.toBeInstanceOf(Unavailable);
      end();
      await b.settled();
      expect(await a.request("asked", utf8("you"), 5_000)).toBeUndefined();
    });
  });

  describe("relays that share a bus", () => {
    it("lead a client of one to a host of the other, and carry bytes in both directions until one end closes", async () => {
      const [a, b] = await two();
      const [host, client] = await Promise.all([a.host(), b.client()]);
      const there = client.connection.open(await grantFor(host.identity, client.identity));
      const atClient = listen(there);
      say(there, "first");
      const here = await host.routes.next();
      const atHost = listen(here);
      expect(await atHost.texts.next()).toBe("first");
      for (let index = 0; index < 100; index++) say(here, `answer ${index}`);
      for (let index = 0; index < 100; index++) expect(await atClient.texts.next()).toBe(`answer ${index}`);
      expect([a.relay.counts, b.relay.counts]).toMatchObject([{ routes: 1 }, { routes: 1 }]);
      here.close("done");
      expect(await atClient.closed.next()).toBe("done");
      expect([a.relay.counts, b.relay.counts]).toMatchObject([{ routes: 0 }, { routes: 0 }]);
    });

    it("close a route when either end leaves, and know when a host is nowhere", async () => {
      const [a, b] = await two();
      const [host, client, other] = await Promise.all([a.host(), b.client(), b.client()]);
      const grant = await grantFor(host.identity, client.identity);
      const first = listen(client.connection.open(grant));
      await host.routes.next();
      other.connection.open(await grantFor(host.identity, other.identity));
      const second = listen(await host.routes.next());
      other.connection.close();
      expect(await second.closed.next()).toBe("gone");
      host.connection.close();
      expect(await first.closed.next()).toBe("gone");
      expect(await listen(client.connection.open(grant)).closed.next()).toBe("offline");
      expect([a.relay.counts, b.relay.counts]).toMatchObject([{ routes: 0 }, { routes: 0 }]);
    });

    it("keep the routes of a client to several hosts apart", async () => {
      const [a, b] = await two();
      const [one, other, client] = await Promise.all([a.host(), a.host(), b.client()]);
      const routes = await Promise.all(
        [one, other].map(async (host) => client.connection.open(await grantFor(host.identity, client.identity))),
      );
      const heard = await Promise.all([one, other].map(async (host) => listen(await host.routes.next())));
      for (const [index, route] of routes.entries()) say(route, `to ${index}`);
      expect(await Promise.all(heard.map(({ texts }) => texts.next()))).toEqual(["to 0", "to 1"]);
    });

    it("end what a host revokes at any of them, and tell those that come later", async () => {
      const [a, b] = await two();
      const [host, client] = await Promise.all([a.host(), b.client()]);
      const grant = await grantFor(host.identity, client.identity, 4n);
      const open = listen(client.connection.open(grant));
      await host.routes.next();
      client.connection.watch(grant);
      expect(await client.presence.next()).toBe(true);
      host.connection.revoke(await signRevocation(host.identity, { clientId: client.identity.id, serial: 4n }));
      expect(await open.closed.next()).toBe("revoked");
      expect(await listen(client.connection.open(grant)).closed.next()).toBe("grant");
      const [late] = (await relays(1)) as [TestRelay];
      const again = await late.client(client.identity);
      await expect.poll(() => listen(again.connection.open(grant)).closed.next()).toBe("grant");
      const next = await grantFor(host.identity, client.identity, 5n);
      again.connection.open(next);
      expect(await host.routes.next()).toBeDefined();
      expect(client.presence.all).toEqual([true]);
    });

    it("accept no grant and no revocation that the host has not signed", async () => {
      const bus = await joined();
      const [a, b] = await two();
      const [host, client, stranger] = await Promise.all([a.host(), b.client(), createIdentity(nodeCrypto)]);
      const forged = await grantFor({ ...host.identity, signing: stranger.signing }, client.identity);
      expect(await listen(client.connection.open(forged)).closed.next()).toBe("grant");
      const route = client.connection.open(await grantFor(host.identity, client.identity));
      const here = listen(await host.routes.next());
      const { signing } = stranger;
      const revocation = { clientId: client.identity.id, serial: 9n };
      bus.publish("scorel.revoke", await signRevocation({ ...host.identity, signing }, revocation));
      bus.publish("scorel.revoke", utf8("nonsense"));
      bus.publish("scorel.newcomer", utf8("nonsense"));
      say(route, "still there");
      expect(await here.texts.next()).toBe("still there");
    });

    it("let the newest connection of a host win, at whichever relay", async () => {
      const [a, b] = await two();
      const first = await a.host();
      const client = await a.client();
      const second = await b.host(first.identity);
      expect(await first.closed.next()).toBe("superseded");
      client.connection.open(await grantFor(first.identity, client.identity));
      expect(await second.routes.next()).toBeDefined();
      expect([a.relay.counts.hosts, b.relay.counts.hosts]).toEqual([0, 1]);
      const third = await a.host(first.identity);
      expect(await second.closed.next()).toBe("superseded");
      expect(third.connection.isOpen).toBe(true);
    });

    it("accept only newer hellos that the host has signed", async () => {
      const bus = await joined();
      const [a] = await two();
      const [host, stranger] = await Promise.all([a.host(), createIdentity(nodeCrypto)]);
      const { publicKeys, id } = host.identity;
      const claim = async (generation: bigint, signing = host.identity.signing) => {
        const facts = { role: "host", nonce: new Uint8Array(32), generation, authority: "relay.example" } as const;
        const signature = await signHello({ ...host.identity, signing }, facts);
        const message = claimMessage({ ...facts, hello: { role: "host", generation, publicKeys, signature } });
        return bus.request(subjects.host(id), message, 5_000);
      };
      const later = BigInt(Date.now() + 1_000_000);
      expect(isYes((await claim(1n)) as Bytes)).toBe(false);
      expect(isYes((await claim(later, stranger.signing)) as Bytes)).toBe(false);
      expect(await bus.request(subjects.host(id), utf8("nonsense"), 5_000)).toBeDefined();
      expect(host.connection.isOpen).toBe(true);
      expect(isYes((await claim(later)) as Bytes)).toBe(true);
      expect(await host.closed.next()).toBe("superseded");
    });

    it("tell clients when a host comes to another relay and leaves it, and when that relay is gone", async () => {
      const [a, b] = await two();
      const [client, identity] = await Promise.all([b.client(), createIdentity(nodeCrypto)]);
      client.connection.watch(await grantFor(identity, client.identity));
      expect(await client.presence.next()).toBe(false);
      const host = await a.host(identity);
      expect(await client.presence.next()).toBe(true);
      host.connection.close();
      expect(await client.presence.next()).toBe(false);
      await a.host(identity);
      expect(await client.presence.next()).toBe(true);
      const late = await b.client();
      late.connection.watch(await grantFor(identity, late.identity));
      expect(await late.presence.next()).toBe(true);
      await a.close();
      expect(await client.presence.next()).toBe(false);
      expect(await late.presence.next()).toBe(false);
    });

    it("lead guests to a place of another relay, five times", async () => {
      const [a, b] = await two();
      const host = await a.host();
      const { place } = await host.connection.offer();
      for (let tries = 0; tries < 5; tries++) {
        const guest = await b.guest();
        const there = guest.connection.join(place);
        say(there, "hello");
        expect(await listen(await host.routes.next()).texts.next()).toBe("hello");
      }
      const late = await b.guest();
      expect(await listen(late.connection.join(place)).closed.next()).toBe("place");
      host.connection.withdraw(place);
      expect(await listen(late.connection.join(place)).closed.next()).toBe("place");
    });

    it("close a route whose client at another relay does not read, and no other one", async () => {
      const [a, b] = await two({ unsent: 64 * 1024, bytes: { burst: 1e9, perSecond: 1e9 } });
      await expectOnlyRouteClosed(await a.host(), b.address);
    });
  });
}
