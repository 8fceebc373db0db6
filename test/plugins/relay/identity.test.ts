import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeKeys } from "../../../plugins/relay/browser.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { base32, typedBase32 } from "../../../plugins/relay/protocol/base32.ts";
import { base64url, fromBase64url, hex } from "../../../plugins/relay/protocol/bytes.ts";
import { createCode, parseCode, showCode } from "../../../plugins/relay/protocol/code.ts";
import {
  isInTime,
  MAX_GRANT_SECONDS,
  readGrant,
  readRevocation,
  signGrant,
  signRevocation,
} from "../../../plugins/relay/protocol/grants.ts";
import {
  authorityOf,
  createIdentity,
  fingerprint,
  type HelloFacts,
  helloText,
  identityOf,
  idText,
  signHello,
  verifyHello,
} from "../../../plugins/relay/protocol/identity.ts";
import { webAgreementKey, webCrypto, webSigningKey } from "../../../plugins/relay/protocol/web-crypto.ts";
import { bytes } from "./bytes.ts";
import { client, host } from "./ends.ts";

const facts: Omit<HelloFacts, "publicKeys"> = {
  role: "host",
  nonce: new Uint8Array(32).fill(5),
  generation: 7n,
  authority: "relay.example:7800",
};

describe("an identity", () => {
  it("has an id and a fingerprint that follow from its keys, with both primitives", async () => {
    const shown = [];
    for (const primitives of [nodeCrypto, webCrypto]) {
      const signing = await primitives.signingKey(new Uint8Array(32).fill(1));
      const { id } = await identityOf(primitives, signing, await primitives.agreementKey(new Uint8Array(32).fill(2)));
      shown.push({ id: idText(id), fingerprint: fingerprint(id) });
    }
    const expected = { id: "61UXZdR1ODQkrX57wCeuthGx0SObNqSbqPZQZhSY5Vg", fingerprint: "XDAH-ESEM-EMW3-895D" };
    expect(shown).toEqual([expected, expected]);
  });

  it("signs a hello for one relay, role, nonce, generation and pair of keys", async () => {
    const signature = await signHello(host, facts);
    const { publicKeys } = host;
    const others: Partial<HelloFacts>[] = [
      {},
      { role: "client" },
      { nonce: new Uint8Array(32).fill(6) },
      { generation: 8n },
      { authority: "relay.example" },
      { publicKeys: { ...publicKeys, agreement: client.publicKeys.agreement } },
      { publicKeys: client.publicKeys },
    ];
    const answers = await Promise.all(
      others.map((other) => verifyHello(nodeCrypto, { ...facts, publicKeys, ...other }, signature)),
    );
    expect(answers).toEqual([true, false, false, false, false, false, false]);
  });

  it("names the bytes of the text of a hello", () => {
    const keys = { signing: new Uint8Array(32).fill(0xaa), agreement: new Uint8Array(32).fill(0xbb) };
    expect(hex(helloText({ ...facts, authority: "r", publicKeys: keys }))).toBe(
      `${hex(new TextEncoder().encode("scorel hello 1"))}00` +
        `01${"05".repeat(32)}0000000000000007${"0001"}72${"aa".repeat(32)}${"bb".repeat(32)}`,
    );
  });

  it.each([
    ["wss://Relay.Example/relay", "relay.example"],
    ["wss://relay.example:443/relay", "relay.example"],
    ["ws://127.0.0.1:7800/relay", "127.0.0.1:7800"],
    ["ws://[::1]:7800", "[::1]:7800"],
  ])("knows the authority of %s", (address, authority) => {
    expect(authorityOf(address)).toBe(authority);
  });
});

it("new identities have ids that do not look like options of a command, with both primitives", async () => {
  // One in 64 of all ids begins with a hyphen, so this finds one with a probability of 0.9999.
  const made = [nodeCrypto, webCrypto].map(async (primitives) => {
    const ids = [];
    for (let count = 0; count < 300; count++) ids.push(idText((await createIdentity(primitives)).id));
    return ids;
  });
  expect((await Promise.all(made)).flat().filter((id) => id.startsWith("-"))).toEqual([]);
});

it("keys of browsers have ids that do not look like options, either", async () => {
  const browsers = [];
  for (let count = 0; count < 300; count++) {
    const { signing, agreement } = await makeKeys();
    const keys = { signing: webSigningKey(signing), agreement: webAgreementKey(agreement) };
    browsers.push(idText((await identityOf(webCrypto, keys.signing, keys.agreement)).id));
  }
  expect(browsers.filter((id) => id.startsWith("-"))).toEqual([]);
});

describe("a grant", () => {
  const grant = { clientId: client.id, serial: 3n, notAfter: 2_000n };

  it("contains what its host has signed, and is invalid once a bit of it is changed", async () => {
    const signed = await signGrant(host, grant);
    expect(await readGrant(webCrypto, signed)).toEqual({ ...grant, host: host.publicKeys, hostId: host.id });
    for (let at = 0; at < signed.length; at++) {
      const changed = signed.slice();
      changed[at] = (changed[at] as number) ^ (1 << (at & 7));
      expect(await readGrant(nodeCrypto, changed)).toBeUndefined();
    }
    expect(await readGrant(nodeCrypto, signed.slice(1))).toBeUndefined();
  });

  it("is not a revocation, nor the other way round", async () => {
    const revoked = await signRevocation(host, grant);
    expect(await readRevocation(nodeCrypto, revoked)).toEqual({
      host: host.publicKeys,
      hostId: host.id,
      clientId: client.id,
      serial: 3n,
    });
    expect(await readGrant(nodeCrypto, revoked)).toBeUndefined();
    expect(await readRevocation(nodeCrypto, await signGrant(host, grant))).toBeUndefined();
  });

  it("is valid until its expiry, and at most for the longest lifetime", () => {
    const read = { ...grant, host: host.publicKeys, hostId: host.id };
    expect([1_999_000, 2_000_999, 2_001_000].map((now) => isInTime(read, now))).toEqual([true, true, false]);
    expect(isInTime({ ...read, notAfter: BigInt(MAX_GRANT_SECONDS) + 3n }, 2_000)).toBe(false);
  });
});

describe("a pairing code", () => {
  it("is read as it is shown, and as people type it", () => {
    const code = createCode({ ...nodeCrypto, random: () => bytes("0102030405") }, "7Q2");
    expect(showCode(code)).toBe("7Q2-0410-6105");
    const typed = ["7Q2-0410-6105", " 7q204io6lo5", "7q2 O41O 6I05"];
    expect(typed.map((text) => parseCode(text))).toEqual([code, code, code]);
  });

  it.each(["", "7Q2-0410-610", "7Q2-0410-61055", "7Q2-0410-610U", "7Q2-0410-610é"])("is not %j", (text) => {
    expect(() => parseCode(text)).toThrow("This is not a pairing code");
  });

  it("has 40 random bits", () => {
    const secrets = Array.from({ length: 100 }, () => createCode(nodeCrypto, "000").secret);
    expect(new Set(secrets).size).toBe(100);
    expect(secrets.every((secret) => /^[0-9A-HJKMNP-TV-Z]{8}$/.test(secret))).toBe(true);
  });
});

it("writes bytes in base32 and base64url in exactly one way", () => {
  expect(base32(bytes("ffffffffff0000000001"))).toBe("ZZZZZZZZ00000001");
  expect(typedBase32("abc-ilo")).toBe("ABC110");
  expect(base64url(bytes("fbff"))).toBe("-_8");
  const wrong = ["-_9", "-_8=", "+/8", "a", "AB", "é_8", "\u{1f600}"];
  expect(["-_8", ...wrong].map((text) => fromBase64url(text))).toEqual([bytes("fbff"), ...wrong.map(() => undefined)]);
  fc.assert(
    fc.property(fc.uint8Array(), (all) => {
      const written = base64url(Uint8Array.from(all));
      expect(written).toBe(Buffer.from(all).toString("base64url"));
      expect(fromBase64url(written)).toEqual(Uint8Array.from(all));
    }),
  );
});
