/** Frames: the parts of a WebSocket message between a peer and a relay. */

import { errors } from "../errors.ts";
import { GRANT_BYTES, REVOCATION_BYTES } from "./grants.ts";
import type { Bytes } from "./primitives.ts";

/** Bytes of the header: type, route and length. */
export const HEADER_BYTES = 13;
export const MAX_PAYLOAD = 65_536;
export const MAX_MESSAGE = 262_144;
const HELLO_BYTES = 1 + 8 + 32 + 32 + 64;
const PLACE_BYTES = 3;

type Place = "relay" | "host" | "client" | "guest";

interface FrameRule {
  code: number;
  /** Who may send the frame, and to whom. */
  from: readonly Place[];
  to: readonly Place[];
  /** Whether it belongs to a route ("some": the number is not 0), to the connection ("none": 0), or to either. */
  route: "some" | "none" | "either";
  /** Smallest and largest payload in bytes. */
  size: readonly [number, number];
}

const peers = ["host", "client", "guest"] as const;
const everyone = ["relay", ...peers] as const;
const visitors = ["client", "guest"] as const;
const relay = ["relay"] as const;

/** Rules for each type of frame. */
export const frameRules = {
  challenge: { code: 0x01, from: relay, to: peers, route: "none", size: [32, 32] },
  hello: { code: 0x02, from: peers, to: relay, route: "none", size: [1, HELLO_BYTES] },
  welcome: { code: 0x03, from: relay, to: peers, route: "none", size: [3, 1024] },
  ping: { code: 0x04, from: everyone, to: everyone, route: "none", size: [0, 8] },
  pong: { code: 0x05, from: everyone, to: everyone, route: "none", size: [0, 8] },
  error: { code: 0x06, from: relay, to: peers, route: "either", size: [1, 1024] },
  open: { code: 0x10, from: ["client"], to: relay, route: "some", size: [GRANT_BYTES, GRANT_BYTES] },
  incoming: { code: 0x11, from: relay, to: ["host"], route: "some", size: [64, 64] },
  data: { code: 0x12, from: everyone, to: everyone, route: "some", size: [1, MAX_PAYLOAD] },
  close: { code: 0x13, from: everyone, to: everyone, route: "some", size: [1, 1] },
  watch: { code: 0x20, from: ["client"], to: relay, route: "none", size: [GRANT_BYTES, GRANT_BYTES] },
  presence: { code: 0x21, from: relay, to: ["client"], route: "none", size: [33, 33] },
  revoke: { code: 0x22, from: ["host"], to: relay, route: "none", size: [REVOCATION_BYTES, REVOCATION_BYTES] },
  offer: { code: 0x30, from: ["host"], to: relay, route: "none", size: [0, 0] },
  offered: { code: 0x31, from: relay, to: ["host"], route: "none", size: [PLACE_BYTES + 2, PLACE_BYTES + 2] },
  withdraw: { code: 0x32, from: ["host"], to: relay, route: "none", size: [PLACE_BYTES, PLACE_BYTES] },
  join: { code: 0x33, from: visitors, to: relay, route: "some", size: [PLACE_BYTES, PLACE_BYTES] },
  joined: { code: 0x34, from: relay, to: ["host"], route: "some", size: [PLACE_BYTES, PLACE_BYTES] },
} as const satisfies Record<string, FrameRule>;

export type FrameType = keyof typeof frameRules;

export interface Frame {
  type: FrameType;
  /** 0n if the frame belongs to the connection. */
  route: bigint;
  /** A view of the message. Copy it to keep it. */
  payload: Bytes;
  /** The whole frame, to be passed on. */
  bytes: Bytes;
}

/** Codes in ERROR frames. A WebSocket is closed with the code 4000 plus this number. */
export const errorCodes = {
  malformed: 1,
  unauthenticated: 2,
  superseded: 3,
  limit: 4,
  offline: 5,
  grant: 6,
  route: 7,
  place: 8,
  blocked: 9,
  unavailable: 10,
  stopping: 11,
} as const;
export type ErrorName = keyof typeof errorCodes;

/** Codes in CLOSE frames. */
export const closeCodes = { done: 0, gone: 1, refused: 2, failed: 3, limit: 4, revoked: 5 } as const;
export type CloseReason = keyof typeof closeCodes;

const types = new Map<number, FrameType>(
  (Object.keys(frameRules) as FrameType[]).map((type) => [frameRules[type].code, type]),
);

/** Encodes one frame. The caller must follow the rules of its type. */
export function encodeFrame(type: FrameType, route: bigint, payload: Bytes): Bytes {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, frameRules[type].code);
  view.setBigUint64(1, route);
  view.setUint32(9, payload.length);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Decodes the frames of a message that `from` has sent to `to`. Throws RELAY_FRAME unless every byte follows the rules. */
export function decodeFrames(message: Bytes, from: Place, to: Place): Frame[] {
  if (message.length === 0 || message.length > MAX_MESSAGE) fail(`a message has ${message.length} bytes`);
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const frames: Frame[] = [];
  for (let at = 0; at < message.length; ) {
    const frame = frameAt(message, view, at);
    check(frame, from, to);
    frames.push(frame);
    at += frame.bytes.length;
  }
  return frames;
}

function frameAt(message: Bytes, view: DataView, at: number): Frame {
  const begin = at + HEADER_BYTES;
  if (begin > message.length) fail("a frame ends within its header");
  const code = view.getUint8(at);
  const type = types.get(code) ?? fail(`there is no frame of type ${code}`);
  const end = begin + view.getUint32(at + 9);
  if (end > message.length) fail(`a frame of type ${type} is longer than its message`);
  return {
    type,
    route: view.getBigUint64(at + 1),
    payload: message.subarray(begin, end),
    bytes: message.subarray(at, end),
  };
}

function check({ type, route, payload }: Frame, from: Place, to: Place): void {
  const rule: FrameRule = frameRules[type];
  const [least, most] = rule.size;
  if (payload.length < least || payload.length > most) fail(`a frame of type ${type} has ${payload.length} bytes`);
  if ((rule.route === "some" && route === 0n) || (rule.route === "none" && route !== 0n))
    fail(`a frame of type ${type} names the wrong route`);
  if (!rule.from.includes(from) || !rule.to.includes(to)) fail(`a ${from} sent a frame of type ${type} to a ${to}`);
}

/** Throws RELAY_FRAME. */
export function fail(problem: string): never {
  throw errors.RELAY_FRAME({ problem });
}
