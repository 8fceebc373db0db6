import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { hex, utf8 } from "../../../plugins/relay/protocol/bytes.ts";
import { beginCpace, generatorString, lengthValues } from "../../../plugins/relay/protocol/cpace.ts";
import { littleEndian, ristretto255 } from "../../../plugins/relay/protocol/group.ts";
import { webCrypto } from "../../../plugins/relay/protocol/web-crypto.ts";
import { bytes } from "./bytes.ts";

/** From draft-irtf-cfrg-cpace-21, appendices A.1.2 and B.3: ristretto255 with SHA-512. */
const vector = {
  channel: bytes("0b415f696e69746961746f720b425f726573706f6e646572"),
  sid: bytes("7e4b4791d6a8ef019b936c79fb7f2c57"),
  generatorHash: `da6d3ddc8802fca9058755ffd3ebde08a9c2c74945901a258482a288b6663af0
    6bf645c93cd1c515123071 99c80e849089 16d983b34af77205f90851a657ee27`,
  generator: "222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56",
  initiatorScalar: "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08",
  initiatorShare: "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157",
  responderScalar: "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d",
  responderShare: "3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258",
  key: `b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd
    2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447`,
  run: `bb1c449b35f0ea79a65c209f329a693d475e0ce2387bed9fe4b78f60b2a27c21
    9813fb2cfe175ef40d2222d9261e66da7d78f7c55a303b1b8611dcdfab880c47`,
  scalar: "7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05",
  element: "2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c",
  product: "7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e",
  noElement: "2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c",
};

describe.each([
  ["node:crypto", nodeCrypto],
  ["WebCrypto", webCrypto],
])("CPACE-RISTR255-SHA512 by %s", (_name, primitives) => {
  const password = utf8("Password");
  const begin = async (isInitiator: boolean, more: { scalar?: bigint; password?: Uint8Array<ArrayBuffer> } = {}) =>
    beginCpace({
      primitives,
      group: await ristretto255(),
      password,
      channel: vector.channel,
      sid: vector.sid,
      isInitiator,
      associated: isInitiator ? { own: utf8("ADa"), other: utf8("ADb") } : { own: utf8("ADb"), other: utf8("ADa") },
      ...more,
    });

  it("makes the generator of the published vector", async () => {
    const group = await ristretto255();
    const text = generatorString(group.dsi, password, vector.channel, vector.sid);
    const hash = await primitives.sha512(text);
    const generator = group.multiply(1n, group.deriveElement(hash));
    expect({ length: text.length, hash: hex(hash), generator: hex(generator) }).toEqual({
      length: 170,
      hash: vector.generatorHash.replaceAll(/\s/g, ""),
      generator: vector.generator,
    });
  });

  it("makes the shares, the key and the name of the run of the published vector", async () => {
    const initiator = await begin(true, { scalar: littleEndian(bytes(vector.initiatorScalar)) });
    const responder = await begin(false, { scalar: littleEndian(bytes(vector.responderScalar)) });
    expect([hex(initiator.share), hex(responder.share)]).toEqual([vector.initiatorShare, vector.responderShare]);
    const ours = await initiator.finish(responder.share);
    const theirs = await responder.finish(initiator.share);
    expect({ key: ours?.key, run: ours?.run }).toEqual({ key: bytes(vector.key), run: bytes(vector.run) });
    expect(theirs).toEqual({
      key: ours?.key,
      run: ours?.run,
      ownConfirmation: ours?.otherConfirmation,
      otherConfirmation: ours?.ownConfirmation,
    });
    expect(ours?.ownConfirmation).not.toEqual(ours?.otherConfirmation);
  });

  it("has other keys and confirmations with another password", async () => {
    const initiator = await begin(true);
    const responder = await begin(false, { password: utf8("Passwort") });
    const ours = await initiator.finish(responder.share);
    const theirs = await responder.finish(initiator.share);
    expect(ours?.run).toEqual(theirs?.run);
    expect(ours?.key).not.toEqual(theirs?.key);
    expect(ours?.otherConfirmation).not.toEqual(theirs?.ownConfirmation);
  });

  it.each([
    ["what is not an element", vector.noElement],
    ["the identity", "00".repeat(32)],
    ["what is too short", "00"],
  ])("refuses %s", async (_what, share) => {
    expect(await (await begin(true)).finish(bytes(share))).toBeUndefined();
    expect(await (await begin(false)).finish(bytes(share))).toBeUndefined();
  });
});

it("multiplies as the draft's valid case does", async () => {
  const group = await ristretto255();
  expect(hex(group.multiplyVerified(littleEndian(bytes(vector.scalar)), bytes(vector.element)) ?? bytes(""))).toBe(
    vector.product,
  );
});

it("writes lengths as the draft does", () => {
  const parts = [0, 4, 127, 128].map((length) => lengthValues(new Uint8Array(length)));
  expect(parts.map((part) => hex(part.subarray(0, 2)))).toEqual(["00", "0400", "7f00", "8001"]);
  expect(parts.map((part) => part.length)).toEqual([1, 5, 128, 130]);
});
