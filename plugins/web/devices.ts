import { createHash } from "node:crypto";
import { Stored } from "@scorel/kit/files/stored";
import { z } from "zod";
import type { KnownDevice } from "./contract.ts";
import { errors } from "./errors.ts";

/** The most devices. Each makes the policy of the page longer. */
const MOST_DEVICES = 50;
/**
 * Matches hosts that can be part of a policy. IPv6 addresses in brackets cannot, and other characters that URLs allow in a host could end
 * the directive.
 */
const HOST = /^[a-z\d.-]+(?::\d+)?$/;

/** Origins of relays that pages may temporarily connect to, each with the end of that time in milliseconds of `performance.now`. */
export type AllowedRelays = Map<string, number>;
/** Milliseconds for which a relay is allowed before a host there is in the list. A pairing code is valid for five minutes. */
const ALLOWED_MS = 10 * 60_000;
const MOST_ALLOWED = 8;

const device = z.strictObject({
  ...{ id: z.string(), name: z.string(), address: z.string() },
  host: z.string().optional(),
  more: z.array(z.string()).optional(),
});
const schema = z.strictObject({ devices: z.array(device).max(MOST_DEVICES) });

const stored = new Stored({
  folder: "host",
  file: "devices.json",
  schema,
  empty: { devices: [] },
  failed: errors.WEB_DEVICES,
});

/** The hosts that the page may connect to. Throws WEB_DEVICES for a damaged list, and for one that another user may have written. */
export function readDevices(): KnownDevice[] {
  return stored.read().devices;
}

/** The origins in the page's policy that it may connect to, besides its own host. Empty if the list cannot be read. */
export function deviceOrigins(allowed: AllowedRelays = new Map()): string[] {
  try {
    const known = readDevices().flatMap(({ address, more = [] }) =>
      [address, ...more].flatMap((each) => originOf(each) ?? []),
    );
    const now = performance.now();
    const awaited = [...allowed].filter(([, until]) => now < until).map(([origin]) => origin);
    return [...new Set([...known, ...awaited])];
  } catch {
    return [];
  }
}

/** Temporarily allows a relay. Returns its address in the form in which it is stored with a device. */
export function allowRelay(given: string, allowed: AllowedRelays): string {
  const address = addressIn(given);
  const { origin } = new URL(address);
  // Added again at the end, so that the map is in the order of the calls.
  allowed.delete(origin);
  allowed.set(origin, performance.now() + ALLOWED_MS);
  const [oldest] = allowed.keys();
  if (allowed.size > MOST_ALLOWED && oldest !== undefined) allowed.delete(oldest);
  return address;
}

/** Adds a device to the list, and replaces the one with the same id. Throws WEB_DEVICE_ADDRESS, WEB_DEVICE_MANY. */
export async function addDevice(given: Omit<KnownDevice, "id">): Promise<KnownDevice> {
  const { name, host, more = [] } = given;
  const address = addressIn(given.address);
  // The same address gets the same id, also in another list. Behind relays, the same host does.
  const id = createHash("sha256")
    .update(host ?? address)
    .digest("base64url")
    .slice(0, 10);
  const relays = host === undefined || more.length === 0 ? {} : { more: more.map(addressIn) };
  const device = { id, name, address, ...(host !== undefined && { host }), ...relays };
  await changing((devices) => {
    const others = devices.filter((each) => each.id !== id);
    if (others.length === MOST_DEVICES) throw errors.WEB_DEVICE_MANY({ max: MOST_DEVICES });
    return [...others, device];
  });
  return device;
}

/** Renames a device in the list. Throws WEB_DEVICE_UNKNOWN. */
export async function renameDevice(id: string, name: string): Promise<KnownDevice> {
  const devices = await changing((all) => all.map((device) => (device.id === id ? { ...device, name } : device)));
  const device = devices.find((each) => each.id === id);
  if (!device) throw errors.WEB_DEVICE_UNKNOWN({ id });
  return device;
}

/** Returns false if the device was not in the list. */
export async function removeDevice(id: string): Promise<boolean> {
  let found = false;
  await changing((devices) => {
    found = devices.some((each) => each.id === id);
    return devices.filter((each) => each.id !== id);
  });
  return found;
}

/** Normalizes an address for storage. Throws WEB_DEVICE_ADDRESS. */
function addressIn(given: string): string {
  const text = given.trim().replace(/^http/i, "ws");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isBare || originOf(text) === undefined) throw errors.WEB_DEVICE_ADDRESS();
  return url.pathname === "/" ? url.origin : url.href;
}

function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, origin } = new URL(address);
  return /^wss?:$/.test(protocol) && HOST.test(host) ? origin : undefined;
}

async function changing(change: (devices: KnownDevice[]) => KnownDevice[]): Promise<KnownDevice[]> {
  const { devices } = await stored.change((now) => ({ devices: change(now.devices) }));
  return devices;
}
