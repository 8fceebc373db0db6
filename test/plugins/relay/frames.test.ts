import { describe, expect, it } from "vitest";
import { utf8 } from "../../../plugins/relay/protocol/bytes.ts";
import {
  decodeFrames,
  encodeFrame,
  type FrameType,
  frameRules,
  MAX_MESSAGE,
  MAX_PAYLOAD,
} from "../../../plugins/relay/protocol/frames.ts";
import * as payloads from "../../../plugins/relay/protocol/payloads.ts";
import { bytes } from "./bytes.ts";
import { client, host } from "./ends.ts";

const ping = encodeFrame("ping", 0n, bytes("01"));

describe("a frame", () => {
  it("has the bytes that the protocol names", () => {
    expect(encodeFrame("data", 0x0102030405060708n, bytes("aabb"))).toEqual(bytes("12 0102030405060708 00000002 aabb"));
  });

  it.each([
    ["nothing", bytes(""), "a message has 0 bytes"],
    ["half a header", ping.subarray(0, 12), "ends within its header"],
    ["a payload that is cut", ping.subarray(0, 13), "longer than its message"],
    ["bytes after a frame", new Uint8Array([...ping, 4]), "ends within its header"],
    ["an unknown type", bytes("07 0000000000000000 00000000"), "there is no frame of type 7"],
    ["a ping about a route", encodeFrame("ping", 1n, bytes("")), "names the wrong route"],
    ["data without a route", encodeFrame("data", 0n, bytes("00")), "names the wrong route"],
    ["data without content", encodeFrame("data", 1n, bytes("")), "has 0 bytes"],
    ["a ping that is too long", encodeFrame("ping", 0n, new Uint8Array(9)), "has 9 bytes"],
    ["too much data", encodeFrame("data", 1n, new Uint8Array(MAX_PAYLOAD + 1)), "has 65537 bytes"],
    ["a message that is too long", new Uint8Array(MAX_MESSAGE + 1), "a message has 262145 bytes"],
    ["what a client does not send", encodeFrame("offer", 0n, bytes("")), "a client sent a frame of type offer"],
  ])("is refused: %s", (_what, message, problem) => {
    expect(() => decodeFrames(message, "client", "relay")).toThrow(problem);
  });

  it("is allowed only for its permitted senders and receivers", () => {
    const allowed = (type: FrameType, from: "relay" | "host" | "client" | "guest") => {
      const { route, size } = frameRules[type];
      const frame = encodeFrame(type, route === "some" ? 1n : 0n, new Uint8Array(size[0]));
      try {
        return decodeFrames(frame, from, from === "relay" ? "guest" : "relay").length === 1;
      } catch {
        return false;
      }
    };
    const types = Object.keys(frameRules) as FrameType[];
    const table = (["host", "client", "guest", "relay"] as const).map((from) => types.filter((t) => allowed(t, from)));
    expect(table).toEqual([
      ["hello", "ping", "pong", "data", "close", "revoke", "offer", "withdraw"],
      ["hello", "ping", "pong", "open", "data", "close", "watch", "join"],
      ["hello", "ping", "pong", "data", "close", "join"],
      ["challenge", "welcome", "ping", "pong", "error", "data", "close"],
    ]);
  });
});

describe("a payload", () => {
  it("is read as it was written", () => {
    const hello = {
      role: "client",
      generation: 9n,
      publicKeys: client.publicKeys,
      signature: new Uint8Array(64).fill(3),
    } as const;
    expect(payloads.readHello(payloads.helloPayload(hello))).toEqual(hello);
    expect(payloads.readHello(payloads.helloPayload({ role: "guest" }))).toEqual({ role: "guest" });
    const welcome = { ping: 10, maxRoutes: 64 };
    expect(payloads.readWelcome(payloads.welcomePayload(welcome))).toEqual(welcome);
    expect(payloads.readError(payloads.errorPayload("offline", "not here"))).toEqual({
      name: "offline",
      text: "not here",
    });
    expect(payloads.readClose(payloads.closePayload("revoked"))).toBe("revoked");
    expect(payloads.readIncoming(payloads.incomingPayload(client.publicKeys))).toEqual(client.publicKeys);
    expect(payloads.readPresence(payloads.presencePayload(host.id, true))).toEqual({ hostId: host.id, isThere: true });
    expect(payloads.readOffered(payloads.offeredPayload("7Q2", 300))).toEqual({ place: "7Q2", seconds: 300 });
  });

  it.each([
    ["a hello of no role", () => payloads.readHello(new Uint8Array(137))],
    ["a short hello", () => payloads.readHello(bytes("01"))],
    ["a guest with more", () => payloads.readHello(bytes("0300"))],
    ["a welcome of another version", () => payloads.readWelcome(new Uint8Array([2, ...utf8("{}")]))],
    ["a welcome that is no JSON", () => payloads.readWelcome(new Uint8Array([1, ...utf8("{")]))],
    ["a welcome of null", () => payloads.readWelcome(new Uint8Array([1, ...utf8("null")]))],
    ["a welcome without numbers", () => payloads.readWelcome(new Uint8Array([1, ...utf8('{"ping":"10"}')]))],
    ["an unknown error", () => payloads.readError(bytes("63"))],
    ["an unknown reason", () => payloads.readClose(bytes("63"))],
    ["an unknown presence", () => payloads.readPresence(new Uint8Array(33).fill(2))],
    ["a place of other characters", () => payloads.readPlace(utf8("7Qi"))],
  ])("is refused: %s", (_what, read) => {
    expect(read).toThrow(expect.objectContaining({ code: "RELAY_FRAME" }));
  });
});
