/** Payloads of frames that consist of several fields. The functions that read them throw RELAY_FRAME for an invalid one. */

import { byte, concat, textOf, uint16, uint64, uint64At, utf8 } from "./bytes.ts";
import { type CloseReason, closeCodes, type ErrorName, errorCodes, fail } from "./frames.ts";
import { joinKeys, keysAt, type PublicKeys, roles } from "./identity.ts";
import type { Bytes } from "./primitives.ts";

export const PROTOCOL_VERSION = 1;
/** Subprotocol of the WebSocket between a peer and a relay. */
export const SUBPROTOCOL = "scorel-relay-1";
const HELLO_BYTES = 137;
const PLACE_BYTES = 3;
const MAX_ERROR_TEXT = 1000;

export type Hello =
  | { role: "host" | "client"; generation: bigint; publicKeys: PublicKeys; signature: Bytes }
  | { role: "guest" };

export interface Welcome {
  /** Seconds between pings. */
  ping: number;
  maxRoutes: number;
}

export function helloPayload(hello: Hello): Bytes {
  const role = byte(roles[hello.role]);
  if (hello.role === "guest") return role;
  return concat(role, uint64(hello.generation), joinKeys(hello.publicKeys), hello.signature);
}

export function readHello(payload: Bytes): Hello {
  const [role] = payload;
  if (role === roles.guest && payload.length === 1) return { role: "guest" };
  if ((role !== roles.host && role !== roles.client) || payload.length !== HELLO_BYTES)
    fail("a hello has a wrong form");
  return {
    role: role === roles.host ? "host" : "client",
    generation: uint64At(payload, 1),
    publicKeys: keysAt(payload, 9),
    signature: payload.slice(73),
  };
}

export function welcomePayload({ ping, maxRoutes }: Welcome): Bytes {
  return concat(byte(PROTOCOL_VERSION), utf8(JSON.stringify({ ping, maxRoutes })));
}

export function readWelcome(payload: Bytes): Welcome {
  if (payload[0] !== PROTOCOL_VERSION) fail(`the relay speaks version ${payload[0]} of the protocol`);
  const { ping, maxRoutes } = (jsonOf(payload.subarray(1)) ?? {}) as Partial<Record<keyof Welcome, unknown>>;
  if (!isCount(ping) || !isCount(maxRoutes)) fail("a welcome has a wrong form");
  return { ping, maxRoutes };
}

export function errorPayload(name: ErrorName, text: string): Bytes {
  return concat(byte(errorCodes[name]), utf8(text).subarray(0, MAX_ERROR_TEXT));
}

/** The text was written by the relay: it is not trusted, and has to be cleaned before it is shown. */
export function readError(payload: Bytes): { name: ErrorName; text: string } {
  const text = new TextDecoder().decode(payload.subarray(1));
  return { name: nameIn(errorCodes, payload[0]) ?? fail(`there is no error ${payload[0]}`), text };
}

export function closePayload(reason: CloseReason): Bytes {
  return byte(closeCodes[reason]);
}

export function readClose(payload: Bytes): CloseReason {
  return nameIn(closeCodes, payload[0]) ?? fail(`there is no reason ${payload[0]} to close a route`);
}

export function incomingPayload(client: PublicKeys): Bytes {
  return joinKeys(client);
}

export function readIncoming(payload: Bytes): PublicKeys {
  return keysAt(payload, 0);
}

export function presencePayload(hostId: Bytes, isThere: boolean): Bytes {
  return concat(hostId, byte(isThere ? 1 : 0));
}

export function readPresence(payload: Bytes): { hostId: Bytes; isThere: boolean } {
  const [state] = payload.subarray(32);
  if (state !== 0 && state !== 1) fail("a presence has a wrong form");
  return { hostId: payload.slice(0, 32), isThere: state === 1 };
}

export function offeredPayload(place: string, seconds: number): Bytes {
  return concat(utf8(place), uint16(seconds));
}

export function readOffered(payload: Bytes): { place: string; seconds: number } {
  const [high = 0, low = 0] = payload.subarray(PLACE_BYTES);
  return { place: readPlace(payload.subarray(0, PLACE_BYTES)), seconds: high * 256 + low };
}

export function placePayload(place: string): Bytes {
  return utf8(place);
}

export function readPlace(payload: Bytes): string {
  const place = String.fromCharCode(...payload);
  return /^[0-9A-HJKMNP-TV-Z]{3}$/.test(place) ? place : fail("a place has a wrong form");
}

function jsonOf(bytes: Bytes): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return fail("a welcome has a wrong form");
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function nameIn<Name extends string>(codes: Record<Name, number>, code: number | undefined): Name | undefined {
  return (Object.keys(codes) as Name[]).find((name) => codes[name] === code);
}
