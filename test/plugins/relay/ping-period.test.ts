import { expect, it, onTestFinished, vi } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { type BinarySocket, connectRelay } from "../../../plugins/relay/peer/connection.ts";
import { decodeFrames, encodeFrame } from "../../../plugins/relay/protocol/frames.ts";
import { welcomePayload } from "../../../plugins/relay/protocol/payloads.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";

it.each([30, 3_600, 2 ** 31])("a relay that wants a ping every %i s gets one at least every minute", async (ping) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  let hear: (event: { data: unknown }) => void = () => {};
  const socket: BinarySocket = {
    ...{ binaryType: "", readyState: 1, bufferedAmount: 0, close: () => {} },
    send: (bytes) => void sent.push(...decodeFrames(bytes, "guest", "relay").map(({ type }) => type)),
    addEventListener: (type, listener) => {
      if (type === "message") hear = listener as typeof hear;
    },
  };
  const say = (bytes: Bytes) => hear({ data: bytes.buffer });
  const who = { role: "guest" } as const;
  const connecting = connectRelay({ address: "ws://relay/relay", who, primitives: nodeCrypto, make: () => socket });
  say(encodeFrame("challenge", 0n, new Uint8Array(32)));
  say(encodeFrame("welcome", 0n, welcomePayload({ ping, maxRoutes: 1 })));
  const connection = await connecting;
  vi.advanceTimersByTime(60_000);
  connection.close();
  expect(sent).toEqual(["hello", ...Array<string>(Math.max(1, 60 / ping)).fill("ping")]);
});
