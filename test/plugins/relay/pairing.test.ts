import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { signGrant } from "../../../plugins/relay/protocol/grants.ts";
import type { Group } from "../../../plugins/relay/protocol/group.ts";
import { littleEndian } from "../../../plugins/relay/protocol/group.ts";
import type { Identity } from "../../../plugins/relay/protocol/identity.ts";
import {
  type Admission,
  CODE_SECONDS,
  type HostRun,
  MAX_TRIES,
  PairingOffer,
} from "../../../plugins/relay/protocol/pairing.ts";
import { GuestRun } from "../../../plugins/relay/protocol/pairing-guest.ts";
import type { Bytes, Primitives } from "../../../plugins/relay/protocol/primitives.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { client, host } from "./ends.ts";

const code = { place: "7Q2", secret: "K9FV0CXE" };
const wrong = { place: "7Q2", secret: "K9FV0CXF" };
const grant = await signGrant(host, { clientId: client.id, serial: 1n, notAfter: 9_000n });
const admission: Admission = { name: "desk", grant, scopes: ["view", "prompt", "approve"] };

/**
 * Integers modulo 2^61 - 1, which replace ristretto255 where a test runs the steps thousands of times. They are not
 * secure, since their discrete logarithms are easy to compute.
 */
const P = 2n ** 61n - 1n;
const toy: Group<unknown> = {
  dsi: "Toy",
  sampleScalar: (primitives) => (littleEndian(primitives.random(7)) % (P - 2n)) + 1n,
  deriveElement: (bytes) => (littleEndian(bytes) % (P - 3n)) + 2n,
  multiply: (scalar, point) => encoded(power(point as bigint, scalar)),
  multiplyVerified: (scalar, bytes) => encoded(power(littleEndian(bytes) % P, scalar)),
};

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

function encoded(value: bigint): Bytes {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

interface Options {
  primitives?: Primitives;
  group?: Group<unknown>;
  guestCode?: typeof code;
  now?: () => number;
  expected?: Bytes;
  route?: bigint;
  identity?: Identity;
}

function offerOf({ primitives = nodeCrypto, group, now = () => 0 }: Options = {}): PairingOffer {
  return new PairingOffer({ primitives, code, identity: host, name: "desk", now, ...(group ? { group } : {}) });
}

function guestOf({ primitives = nodeCrypto, group, guestCode = code, expected, route = 1n, identity }: Options = {}) {
  return new GuestRun({
    primitives,
    code: guestCode,
    identity: identity ?? client,
    name: "phone",
    route,
    ...(group ? { group } : {}),
    ...(expected ? { host: expected } : {}),
  });
}

/** Exchanges messages 1 to 4. */
async function confirmed(guest: GuestRun, run: HostRun) {
  const { reply: share } = await run.receive(await guest.begin());
  const third = (await guest.receive(share)) as { reply: Bytes };
  const { reply, guest: peer } = await run.receive(third.reply);
  return { step: await guest.receive(reply), peer, crossed: [share, third.reply, reply] };
}

describe.each([
  ["node:crypto", nodeCrypto],
  ["WebCrypto", webCrypto],
])("pairing by %s", (_name, primitives) => {
  it("makes host and guest known to each other, and admits the guest when the user has agreed", async () => {
    const offer = offerOf({ primitives });
    const run = offer.join(1n);
    const guest = guestOf({ primitives, expected: host.id });
    const { step, peer, crossed } = await confirmed(guest, run);
    const fifth = await run.accept(admission);
    expect({ step, peer, end: await guest.receive(fifth), ended: offer.ended }).toEqual({
      step: { isConfirmed: true },
      peer: { publicKeys: client.publicKeys, id: client.id, name: "phone" },
      end: { host: { publicKeys: host.publicKeys, id: host.id, name: "desk" }, admission },
      ended: "it was used",
    });
    const readable = Buffer.concat([...crossed, fifth]);
    const secrets = [code.secret, "phone", "desk", "approve", client.publicKeys.signing, host.publicKeys.agreement];
    expect(secrets.map((secret) => readable.includes(secret as string))).toEqual(secrets.map(() => false));
  });

  it("is refused with a wrong code, by the host first", async () => {
    const run = offerOf({ primitives }).join(1n);
    const guest = guestOf({ primitives, guestCode: wrong });
    const { reply: share } = await run.receive(await guest.begin());
    const third = (await guest.receive(share)) as { reply: Bytes };
    await expect(run.receive(third.reply)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
    await expect(run.receive(third.reply)).rejects.toMatchObject({ code: "RELAY_PAIR_MESSAGE" });
    await expect(run.accept(admission)).rejects.toMatchObject({ code: "RELAY_PAIR_MESSAGE" });
  });
});

describe("a code", () => {
  it("lets nobody in by 10,000 wrong ones, and is void after five", async () => {
    const offers = Array.from({ length: 2_000 }, () => offerOf({ group: toy }));
    const outcomes: Record<string, number> = {};
    for (const [index, offer] of offers.entries())
      for (let guess = 0; guess < MAX_TRIES; guess++) {
        const secret = (index * MAX_TRIES + guess).toString().padStart(8, "0");
        const outcome = await guessed(offer, { place: "7Q2", secret });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    expect(outcomes).toEqual({ RELAY_CODE_WRONG: 10_000 });
    const late = await Promise.all(offers.map((offer) => guessed(offer, code)));
    expect(new Set(late)).toEqual(new Set(["RELAY_CODE_ENDED"]));
    expect(new Set(offers.map(({ ended }) => ended))).toEqual(new Set(["it was tried 5 times"]));
  }, 120_000);

  it("also counts guests that leave before they prove that they know it", async () => {
    const offer = offerOf({ group: toy });
    for (let n = 0; n < MAX_TRIES; n++) await offer.join(BigInt(n + 1)).receive(await guestOf({ group: toy }).begin());
    expect(await guessed(offer, code)).toBe("RELAY_CODE_ENDED");
  });

  it("is not revealed to a guest that does not know it: the host proves its knowledge only after the guest", async () => {
    const run = offerOf({ group: toy }).join(1n);
    const step = await run.receive(await guestOf({ group: toy }).begin());
    expect({ keys: Object.keys(step), bytes: step.reply.length }).toEqual({ keys: ["reply"], bytes: 32 });
  });

  it("is good for one guest", async () => {
    const offer = offerOf({ group: toy });
    const [first, second] = [offer.join(1n), offer.join(2n)];
    const late = guestOf({ group: toy, route: 2n });
    const { reply } = await second.receive(await late.begin());
    await confirmed(guestOf({ group: toy }), first);
    const third = (await late.receive(reply)) as { reply: Bytes };
    await expect(second.receive(third.reply)).rejects.toMatchObject({ code: "RELAY_CODE_ENDED" });
  });

  it("is valid for five minutes, including the user's answer", async () => {
    let now = 0;
    const offer = offerOf({ group: toy, now: () => now });
    const run = offer.join(1n);
    await confirmed(guestOf({ group: toy }), run);
    const other = offerOf({ group: toy, now: () => now });
    now = CODE_SECONDS * 1000;
    await expect(run.accept(admission)).rejects.toMatchObject({ code: "RELAY_CODE_ENDED" });
    expect(other.ended).toBe("its time is over");
    expect(await guessed(other, code)).toBe("RELAY_CODE_ENDED");
  });

  it("can be withdrawn", async () => {
    const offer = offerOf({ group: toy });
    offer.withdraw();
    expect(await guessed(offer, code)).toBe("RELAY_CODE_ENDED");
  });
});

describe("a relay in the middle of pairing", () => {
  it("gets one guess in each run: with a wrong one it is refused by both", async () => {
    const run = offerOf().join(1n);
    const guest = guestOf();
    const asGuest = guestOf({ guestCode: wrong });
    const asHost = new PairingOffer({ primitives: nodeCrypto, code: wrong, identity: client, name: "m", now: () => 0 });
    const middle = asHost.join(1n);
    // The relay acts as the host towards the guest, and as a guest towards the host.
    const third = (await guest.receive((await middle.receive(await guest.begin())).reply)) as { reply: Bytes };
    await expect(middle.receive(third.reply)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
    await expect(guest.receive(new Uint8Array(64))).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
    const share = (await run.receive(await asGuest.begin())).reply;
    const answer = (await asGuest.receive(share)) as { reply: Bytes };
    await expect(run.receive(answer.reply)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
  });

  it("cannot put its own keys in: a change of any byte of a message ends the run", async () => {
    for (const message of [1, 2, 3, 4, 5])
      for (let at = 0; at < 280; at += 7) {
        const outcome = await pairedWith((index, bytes) => {
          if (index !== message) return bytes;
          const changed = bytes.slice();
          const place = at % bytes.length;
          changed[place] = (changed[place] as number) ^ 1;
          return changed;
        });
        expect({ message, at, outcome }).toEqual({ message, at, outcome: expect.stringMatching(/^RELAY_/) });
      }
  });

  it.each([
    ["sends the guest's share back to it", 2],
    ["sends the guest's confirmation back to it", 4],
  ])("is refused when it %s", async (_what, message) => {
    const seen: Bytes[] = [];
    const outcome = await pairedWith((index, bytes) => {
      seen[index] = bytes;
      return index === message ? (seen[index - 1] as Bytes).slice(0, bytes.length) : bytes;
    });
    expect(outcome).toMatch(/^RELAY_/);
  });

  it("is refused when it joins a guest to the host on another route", async () => {
    const run = offerOf({ group: toy }).join(2n);
    const guest = guestOf({ group: toy, route: 1n });
    await expect(confirmed(guest, run)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
  });

  it("is refused when another host answers than the link names", async () => {
    const run = offerOf({ group: toy }).join(1n);
    const guest = guestOf({ group: toy, expected: client.id });
    await confirmed(guest, run);
    await expect(guest.receive(await run.accept(admission))).rejects.toMatchObject({ code: "RELAY_PAIR_OTHER" });
  });

  it("is refused when the grant is for somebody else", async () => {
    const run = offerOf({ group: toy }).join(1n);
    const guest = guestOf({ group: toy });
    await confirmed(guest, run);
    const other = await signGrant(host, { clientId: host.id, serial: 1n, notAfter: 9_000n });
    const fifth = await run.accept({ ...admission, grant: other });
    await expect(guest.receive(fifth)).rejects.toMatchObject({ code: "RELAY_PAIR_MESSAGE" });
  });
});

it.each(["", "x".repeat(65), "名".repeat(22), "a\u001b[2J", "a\u202eb", "a\nb"])(
  "does not pair under the name %j, and says what names may be",
  (name) => {
    expect(() => new GuestRun({ primitives: nodeCrypto, code, identity: client, name, route: 1n })).toThrow(
      "A name has 1 to 64 bytes, on one line, of visible characters.",
    );
  },
);

/** The result for a guest with this code: "let in", or the code of the error. */
async function guessed(offer: PairingOffer, guestCode: typeof code): Promise<string> {
  try {
    await confirmed(guestOf({ group: toy, guestCode }), offer.join(1n));
    return "let in";
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

/** Runs a pairing whose messages pass through this function; returns "paired" or the code of the error. */
async function pairedWith(pass: (index: number, bytes: Bytes) => Bytes): Promise<string> {
  const run = offerOf().join(1n);
  const guest = guestOf();
  try {
    const second = await run.receive(pass(1, await guest.begin()));
    const third = (await guest.receive(pass(2, second.reply))) as { reply: Bytes };
    const fourth = await run.receive(pass(3, third.reply));
    await guest.receive(pass(4, fourth.reply));
    await guest.receive(pass(5, await run.accept(admission)));
    return "paired";
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? String(thrown);
  }
}
