import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { hex, utf8 } from "../../../plugins/relay/protocol/bytes.ts";
import type { Primitives } from "../../../plugins/relay/protocol/primitives.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { bytes } from "./bytes.ts";

const all = [
  ["node:crypto", nodeCrypto],
  ["WebCrypto", webCrypto],
] as const;
const none = new Uint8Array(0);
const nonce = new Uint8Array(12);

/** Runs `work` so that both an error that it throws and a rejection of its promise become a rejection. */
const trying = (work: () => unknown) => Promise.resolve().then(work);

describe.each(all)("the primitives by %s", (_name, primitives: Primitives) => {
  it("hash and authenticate as FIPS 180-4 and RFC 4231 (case 2) print it", async () => {
    expect({
      sha256: hex(await primitives.sha256(utf8("abc"))),
      sha512: hex(await primitives.sha512(utf8("abc"))).slice(0, 32),
      hmac256: hex(await primitives.hmac("SHA-256", utf8("Jefe"), utf8("what do ya want for nothing?"))),
      hmac512: hex(await primitives.hmac("SHA-512", utf8("Jefe"), utf8("what do ya want for nothing?"))).slice(0, 32),
    }).toEqual({
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      sha512: "ddaf35a193617abacc417349ae204131",
      hmac256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      hmac512: "164b7a7bfcf819e2e395fbe73b56e0a3",
    });
  });

  it("seal as the GCM specification prints it (case 14), and open nothing else", async () => {
    const cipher = await primitives.cipher(new Uint8Array(32));
    const sealed = await cipher.seal(nonce, none, new Uint8Array(16));
    expect(hex(sealed)).toBe("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
    expect(await cipher.open(nonce, none, sealed)).toEqual(new Uint8Array(16));
    await expect(trying(() => cipher.open(nonce, utf8("more"), sealed))).rejects.toThrow();
    await expect(trying(() => cipher.open(nonce, none, sealed.slice(0, 15)))).rejects.toThrow();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = sealed.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      await expect(trying(() => cipher.open(nonce, none, changed))).rejects.toThrow();
    }
  });

  it("sign as RFC 8032 prints it (7.1, test 2), and verify nothing else", async () => {
    const key = await primitives.signingKey(bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
    const signature = await key.sign(bytes("72"));
    expect({ publicKey: hex(key.publicKey), signature: hex(signature) }).toEqual({
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    });
    const other = (await primitives.signingKey()).publicKey;
    const answers = [
      await primitives.verify(key.publicKey, signature, bytes("72")),
      await primitives.verify(key.publicKey, signature, bytes("73")),
      await primitives.verify(other, signature, bytes("72")),
      await primitives.verify(new Uint8Array(31), signature, bytes("72")),
      await primitives.verify(key.publicKey, new Uint8Array(63), bytes("72")),
    ];
    expect(answers).toEqual([true, false, false, false, false]);
  });

  it("agree as RFC 7748 prints it (6.1), and on nothing with a key of low order", async () => {
    const bob = await primitives.agreementKey(
      bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"),
    );
    const alice = bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
    expect({ publicKey: hex(bob.publicKey), shared: hex(await bob.agree(alice)) }).toEqual({
      publicKey: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
      shared: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    });
    await expect(trying(() => bob.agree(new Uint8Array(32)))).rejects.toThrow();
    await expect(trying(() => bob.agree(Uint8Array.of(1, ...new Uint8Array(31))))).rejects.toThrow();
    await expect(trying(() => bob.agree(new Uint8Array(31)))).rejects.toThrow();
  });

  it("make other keys each time", async () => {
    const keys = await Promise.all([primitives.signingKey(), primitives.signingKey(), primitives.agreementKey()]);
    expect(new Set(keys.map(({ publicKey }) => hex(publicKey))).size).toBe(3);
    expect(primitives.random(32)).not.toEqual(primitives.random(32));
  });
});
