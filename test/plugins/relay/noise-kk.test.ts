import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { concat, hex, utf8 } from "../../../plugins/relay/protocol/bytes.ts";
import { CipherState, KkHandshake } from "../../../plugins/relay/protocol/noise-kk.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { bytes } from "./bytes.ts";

/**
 * The test vector of this name in cacophony.txt, which was made by the Haskell library cacophony and is included in the
 * Rust library snow.
 */
const vector = {
  prologue: "4a6f686e2047616c74",
  initiatorStatic: "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1",
  initiatorEphemeral: "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
  responderStatic: "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
  responderEphemeral: "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
  responderPublic: "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
  initiatorPublic: "6bc3822a2aa7f4e6981d6538692b3cdf3e6df9eea6ed269eb41d93c22757b75a",
  /** Called handshake_hash in the file; it is the hash after the first message. */
  hashAfterFirst: "b9c397b2d82fcd66abf66a9c760c1320cd7bd47d701c14b9ccd41436f47a172a",
  messages: [
    [
      "4c756477696720766f6e204d69736573",
      "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79448564738a841228e693caeec4c497a8bd562231c3e51a1f03c4fd45dfe3a67870",
    ],
    [
      "4d757272617920526f746862617264",
      "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843b94504c4d83506f5dd2568b68490eba8ed6f9cf2cca194a273c56d7ae3c558",
    ],
    ["462e20412e20486179656b", "6a5c10a201d4e3a08f79f64949e55731f774913a4d949bda3fcebf"],
    ["4361726c204d656e676572", "4e8a1bf06926fdd74e2f516e2b0c11cc1dc3387fadeb75389d4342"],
    ["4a65616e2d426170746973746520536179", "c1df7194ca8ea51d4dd99059bc9b90288112d47237d8481f1773fb26a31629a05c"],
    [
      "457567656e2042f6686d20766f6e2042617765726b",
      "3edba4feaf590ee88dd8f5fba51db4bee651cf41afd410fe476c524ac9b1db24252fc55ff8",
    ],
  ],
} as const;

const none = new Uint8Array(0);

describe.each([
  ["node:crypto", nodeCrypto],
  ["WebCrypto", webCrypto],
])("Noise_KK_25519_AESGCM_SHA256 by %s", (_name, primitives) => {
  async function end(isInitiator: boolean, other?: string) {
    const [own, ephemeral, known] = isInitiator
      ? [vector.initiatorStatic, vector.initiatorEphemeral, vector.responderPublic]
      : [vector.responderStatic, vector.responderEphemeral, vector.initiatorPublic];
    return KkHandshake.begin({
      primitives,
      isInitiator,
      prologue: bytes(vector.prologue),
      own: await primitives.agreementKey(bytes(own)),
      other: bytes(other ?? known),
      ephemeral: await primitives.agreementKey(bytes(ephemeral)),
    });
  }

  async function handshake() {
    const [initiator, responder] = [await end(true), await end(false)];
    const [first, second] = vector.messages;
    const written = [await initiator.write(bytes(first[0]))];
    const read = [await responder.read(written[0] as Uint8Array<ArrayBuffer>)];
    written.push(await responder.write(bytes(second[0])));
    read.push(await initiator.read(written[1] as Uint8Array<ArrayBuffer>));
    return { written, read, initiator: await initiator.split(), responder: await responder.split() };
  }

  it("makes the messages, the hash and the ciphers of the published vector", async () => {
    const { written, read, initiator, responder } = await handshake();
    const turns: [CipherState, CipherState][] = [
      [initiator.sending, responder.receiving],
      [responder.sending, initiator.receiving],
    ];
    for (const [index, [payload]] of vector.messages.slice(2).entries()) {
      const [sending, receiving] = turns[index % 2] as [CipherState, CipherState];
      const sealed = await sending.encryptWithAd(none, bytes(payload));
      written.push(sealed);
      read.push(await receiving.decryptWithAd(none, sealed));
    }
    const second = written[1] as Uint8Array<ArrayBuffer>;
    const ephemeral = await primitives.sha256(concat(bytes(vector.hashAfterFirst), second.subarray(0, 32)));
    expect({ written: written.map(hex), read: read.map(hex), hash: initiator.handshakeHash }).toEqual({
      written: vector.messages.map(([, ciphertext]) => ciphertext),
      read: vector.messages.map(([payload]) => payload),
      hash: await primitives.sha256(concat(ephemeral, second.subarray(32))),
    });
    expect(responder.handshakeHash).toEqual(initiator.handshakeHash);
  });

  it("continues after both ends have rekeyed, and with no other key", async () => {
    const { initiator, responder } = await handshake();
    await initiator.sending.rekey();
    await responder.receiving.rekey();
    const sealed = await initiator.sending.encryptWithAd(utf8("associated"), utf8("after"));
    expect(await responder.receiving.decryptWithAd(utf8("associated"), sealed)).toEqual(utf8("after"));
    await initiator.sending.rekey();
    const later = await initiator.sending.encryptWithAd(none, utf8("after"));
    await expect(async () => responder.receiving.decryptWithAd(none, later)).rejects.toThrow();
  });

  it("is refused by a responder who expects somebody else, and by an initiator whom somebody else answers", async () => {
    const [first] = vector.messages;
    const stranger = await end(false, vector.responderPublic);
    await expect(stranger.read(bytes(first[1]))).rejects.toThrow();
    const mistaken = await end(true, vector.initiatorPublic);
    const responder = await end(false);
    await expect(responder.read(await mistaken.write())).rejects.toThrow();
  });

  it("refuses ephemeral keys of low order", async () => {
    const responder = await end(false);
    await expect(responder.read(new Uint8Array(48))).rejects.toThrow();
    await expect((await end(false)).read(new Uint8Array(31))).rejects.toThrow("too short");
  });
});

/** REKEY in section 4.2: the first 32 bytes of 32 zero bytes that are encrypted with the greatest nonce. */
describe("REKEY", () => {
  it("is the same by both primitives", async () => {
    const texts = [];
    for (const primitives of [nodeCrypto, webCrypto]) {
      const state = new CipherState(primitives, await primitives.cipher(new Uint8Array(32).fill(7)));
      await state.rekey();
      texts.push(hex(await state.encryptWithAd(none, utf8("text"))));
    }
    expect(texts[0]).toBe(texts[1]);
  });
});
