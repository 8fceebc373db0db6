/** The messages between relays that share a bus. */

import { byte, concat, hex, textOf, uint16, uint64, uint64At, utf8 } from "../../protocol/bytes.ts";
import { type ErrorName, errorCodes, fail } from "../../protocol/frames.ts";
import { GRANT_BYTES, REVOCATION_BYTES } from "../../protocol/grants.ts";
import { joinKeys, keysAt, type PublicKeys } from "../../protocol/identity.ts";
import { errorPayload, type Hello, helloPayload, readError, readHello } from "../../protocol/payloads.ts";
import type { Bytes } from "../../protocol/primitives.ts";

export const NODE_BYTES = 16;
const NUMBER_BYTES = 8;
const NONCE_BYTES = 32;
const KEYS_BYTES = 64;

/** The first byte of a message: its kind. */
export const kinds = { open: 1, presence: 2, claim: 3, join: 4, taken: 5, frame: 6, alive: 7, revoked: 8 } as const;
export type Kind = keyof typeof kinds;

/** The subjects of the bus. */
export const subjects = {
  /** Subscribed to by the relay that the host is connected to. */
  host: (id: Bytes) => `scorel.dev.${hex(id)}`,
  /** Subscribed to by the relay that has assigned the place. */
  place: (place: string) => `scorel.place.${place}`,
  /** Subscribed to by the relay itself, while it is connected to the bus with this name. */
  node: (node: Bytes) => `scorel.node.${hex(node)}`,
  /** Announces that a host has connected or disconnected, for relays whose clients watch it. */
  presence: (id: Bytes) => `scorel.presence.${hex(id)}`,
  revoke: "scorel.revoke",
  /** A relay that joins the bus publishes its name here to get earlier revocations. */
  newcomer: "scorel.newcomer",
} as const;

/** One end of a route over the bus: the relay, and its number for the route. */
export interface Link {
  node: Bytes;
  number: bigint;
}

/** The hello of a host to the relay it is connected to, with all that is needed to check its signature. */
export interface SignedHello {
  nonce: Bytes;
  authority: string;
  hello: Extract<Hello, { publicKeys: PublicKeys }>;
}

export function kindOf(message: Bytes): Kind {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind] === message[0]) ?? fail("an unknown message");
}

export function openMessage(link: Link, route: bigint, client: PublicKeys, grant: Bytes): Bytes {
  return concat(byte(kinds.open), joinLink(link), uint64(route), joinKeys(client), grant);
}

export function readOpen(message: Bytes) {
  assertLength(message, 1 + NODE_BYTES + 2 * NUMBER_BYTES + KEYS_BYTES + GRANT_BYTES);
  const after = 1 + NODE_BYTES + 2 * NUMBER_BYTES;
  return { ...readRoute(message), client: keysAt(message, after), grant: message.slice(after + KEYS_BYTES) };
}

export function joinMessage(link: Link, route: bigint): Bytes {
  return concat(byte(kinds.join), joinLink(link), uint64(route));
}

export function readJoin(message: Bytes): { link: Link; route: bigint } {
  assertLength(message, 1 + NODE_BYTES + 2 * NUMBER_BYTES);
  return readRoute(message);
}

export function claimMessage({ nonce, authority, hello }: SignedHello): Bytes {
  const name = utf8(authority);
  return concat(byte(kinds.claim), nonce, uint16(name.length), name, helloPayload(hello));
}

export function readClaim(message: Bytes): SignedHello {
  if (message.length < 1 + NONCE_BYTES + 2) fail("a claim is cut off");
  const [high = 0, low = 0] = message.subarray(1 + NONCE_BYTES);
  const begin = 1 + NONCE_BYTES + 2;
  const end = begin + high * 256 + low;
  const hello = readHello(message.subarray(end));
  if (hello.role !== "host") fail("a claim is not of a host");
  return { nonce: message.slice(1, 1 + NONCE_BYTES), authority: textOf(message.subarray(begin, end)), hello };
}

/** A message that consists of its kind only. */
export function bare(kind: "presence" | "taken"): Bytes {
  return byte(kinds[kind]);
}

/** Accepts an `open`, `join` or `presence`, and tells the relay's number for the route. */
export function accepted(link: Link): Bytes {
  return concat(byte(0), joinLink(link));
}

export function refused(name: ErrorName, text: string): Bytes {
  return errorPayload(name, text);
}

/** Reads the answer to an `open`, `join` or `presence`: a link, or the reason of a refusal. */
export function readAnswer(reply: Bytes): { link: Link } | { name: ErrorName; text: string } {
  if (reply[0] !== 0) return readError(reply);
  assertLength(reply, 1 + NODE_BYTES + NUMBER_BYTES);
  return { link: readLink(reply) };
}

/** A yes or no, in answer to `alive` and `claim`. */
export function verdict(isRight: boolean): Bytes {
  return byte(isRight ? 0 : errorCodes.superseded);
}

export function isYes(reply: Bytes): boolean {
  return reply.length === 1 && reply[0] === 0;
}

/** A frame for the relay that has assigned `number` to the route. `count`: how many messages `from` has sent to that relay. */
export function frameMessage(from: Bytes, count: number, number: bigint, frame: Bytes): Bytes {
  return concat(byte(kinds.frame), from, uint64(BigInt(count)), uint64(number), frame);
}

export function readFrame(message: Bytes) {
  const begin = 1 + NODE_BYTES + 2 * NUMBER_BYTES;
  if (message.length <= begin) fail("a frame of the bus is cut off");
  const number = uint64At(message, 1 + NODE_BYTES + NUMBER_BYTES);
  return { ...readCounted(message), number, frame: message.subarray(begin) };
}

/** Asks whether all `count` messages from `from` have arrived. */
export function aliveMessage(from: Bytes, count: number): Bytes {
  return concat(byte(kinds.alive), from, uint64(BigInt(count)));
}

export function readAlive(message: Bytes): { from: Bytes; count: number } {
  assertLength(message, 1 + NODE_BYTES + NUMBER_BYTES);
  return readCounted(message);
}

/** Announces that a host has connected to a relay, or has left it. */
export function presenceMessage(node: Bytes, isThere: boolean): Bytes {
  return concat(node, byte(isThere ? 1 : 0));
}

/** Undefined for an invalid message. As it answers no request, there is nobody to tell about the error. */
export function presenceIn(message: Bytes): { node: Bytes; isThere: boolean } | undefined {
  const [state] = message.subarray(NODE_BYTES);
  if (message.length !== NODE_BYTES + 1 || (state !== 0 && state !== 1)) return undefined;
  return { node: message.slice(0, NODE_BYTES), isThere: state === 1 };
}

export function revokedMessage(revocations: readonly Bytes[]): Bytes {
  return concat(byte(kinds.revoked), ...revocations);
}

export function readRevoked(message: Bytes): Bytes[] {
  if ((message.length - 1) % REVOCATION_BYTES !== 0) fail("a list of revocations is cut off");
  const begins = Array.from({ length: (message.length - 1) / REVOCATION_BYTES }, (_, at) => 1 + at * REVOCATION_BYTES);
  return begins.map((begin) => message.slice(begin, begin + REVOCATION_BYTES));
}

function joinLink({ node, number }: Link): Bytes {
  return concat(node, uint64(number));
}

function readLink(message: Bytes): Link {
  return { node: message.slice(1, 1 + NODE_BYTES), number: uint64At(message, 1 + NODE_BYTES) };
}

function readRoute(message: Bytes): { link: Link; route: bigint } {
  return { link: readLink(message), route: uint64At(message, 1 + NODE_BYTES + NUMBER_BYTES) };
}

function readCounted(message: Bytes): { from: Bytes; count: number } {
  return { from: message.slice(1, 1 + NODE_BYTES), count: Number(uint64At(message, 1 + NODE_BYTES)) };
}

function assertLength(message: Bytes, length: number): void {
  if (message.length !== length) fail(`a message of the bus has ${message.length} bytes, not ${length}`);
}
