import { Stored } from "@scorel/kit/files/stored";
import { scopeNames } from "@scorel/kit/values/scopes";
import { z } from "zod";
import type { PairedDevice } from "../contract.ts";
import { errors } from "../errors.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { fingerprint, joinKeys, keysAt, type PublicKeys } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { FOLDER } from "./identity.ts";

const KEYS_BYTES = 64;
/** The most devices, revocations and relays that are stored. */
export const MAX = { devices: 200, revoked: 1_000, relays: 8 };

const id = z.string().refine((text) => fromBase64url(text)?.length === 32, "must be an id");
const serial = z.string().regex(/^\d{1,20}$/);
const device = z.strictObject({
  id,
  keys: z.string().refine((text) => fromBase64url(text)?.length === KEYS_BYTES, "must be two keys"),
  name: z.string(),
  scopes: z.array(z.enum(scopeNames)),
  serial,
  /** Milliseconds since 1970. */
  pairedAt: z.number(),
});
const schema = z.strictObject({
  relays: z.array(z.string().or(z.array(z.string()).min(1).max(MAX.relays))).max(MAX.relays),
  devices: z.array(device).max(MAX.devices),
  /** Revocations that relays have to be told. */
  revoked: z.array(z.strictObject({ id, serial })).max(MAX.revoked),
  /** Serial number of the latest grant. */
  lastSerial: serial,
});
export type StoredDevice = z.infer<typeof device>;
export type HostRecord = z.infer<typeof schema>;

const stored = new Stored<HostRecord>({
  ...{ folder: FOLDER, file: "host.json", schema, failed: errors.RELAY_STORED },
  empty: { relays: [], devices: [], revoked: [], lastSerial: "0" },
});

/** Reads what this host has stored about relays and devices. Throws RELAY_STORED for a damaged file. */
export function hostRecord(): HostRecord {
  return stored.read();
}

/** Changes the relays in the file. Nothing is written if `change` returns its argument. */
export async function changeRelays(change: (now: HostRecord["relays"]) => HostRecord["relays"]): Promise<void> {
  await stored.change((now) => {
    const relays = change(now.relays);
    return relays === now.relays ? now : { ...now, relays };
  });
}

/** Serial number for a new grant, higher than all before. */
export async function nextSerial(): Promise<bigint> {
  const { lastSerial } = await stored.change((now) => ({ ...now, lastSerial: String(BigInt(now.lastSerial) + 1n) }));
  return BigInt(lastSerial);
}

/** Stores a paired device, and replaces an earlier pairing with the same device. Throws RELAY_MANY. */
export async function addDevice(
  publicKeys: PublicKeys,
  given: Pick<StoredDevice, "id" | "name" | "scopes" | "serial">,
): Promise<void> {
  const added: StoredDevice = { ...given, keys: base64url(joinKeys(publicKeys)), pairedAt: Date.now() };
  await stored.change((now) => {
    const others = now.devices.filter((each) => each.id !== added.id);
    if (others.length === MAX.devices) throw errors.RELAY_MANY({ what: "devices", max: MAX.devices });
    const taken = others.map(({ name }) => name);
    return { ...now, devices: [...others, { ...added, name: freeName(added.name, taken) }] };
  });
}

/** Changes a stored device, and returns the result. A name that another device has gets a number. Throws RELAY_DEVICE_UNKNOWN. */
export async function changeDevice(
  wanted: string,
  change: Partial<Pick<StoredDevice, "name" | "scopes">>,
): Promise<StoredDevice> {
  const { id: found } = deviceNamed(wanted);
  const { devices } = await stored.change((now) => ({
    ...now,
    devices: renamed(now.devices, found, change),
  }));
  return devices.find((each) => each.id === found) as StoredDevice;
}

/** Removes a device, and stores the revocation that relays have to be told. */
export async function forgetDevice(wanted: string): Promise<StoredDevice> {
  const gone = deviceNamed(wanted);
  await stored.change((now) => ({
    ...now,
    devices: now.devices.filter((each) => each.id !== gone.id),
    revoked: [...now.revoked.filter((each) => each.id !== gone.id), { id: gone.id, serial: gone.serial }].slice(
      -MAX.revoked,
    ),
  }));
  return gone;
}

/** Finds a device by its name, id or fingerprint. Throws RELAY_DEVICE_UNKNOWN. */
export function deviceNamed(wanted: string): StoredDevice {
  const { devices } = hostRecord();
  const found = namedBy(devices, wanted);
  if (!found) throw errors.RELAY_DEVICE_UNKNOWN({ device: wanted, known: devices.map(({ name }) => name) });
  return found;
}

/** Decodes the public keys of a stored device. */
export function keysOf({ keys }: Pick<StoredDevice, "keys">): PublicKeys {
  return keysAt(fromBase64url(keys) as Bytes, 0);
}

/** The fingerprint of an id in base64url. */
export function fingerprintOf(text: string): string {
  return fingerprint(fromBase64url(text) as Bytes);
}

/** A device in the form that clients see. */
export function shownDevice({ id, name, scopes, pairedAt }: StoredDevice): PairedDevice {
  return { id, name, scopes, pairedAt, fingerprint: fingerprintOf(id) };
}

/**
 * Finds a device or a host by its name, id or fingerprint. One whose name is the fingerprint of another is not taken for that other one:
 * they choose their names themselves.
 */
export function namedBy<P extends { id: string; name: string }>(all: readonly P[], wanted: string): P | undefined {
  return all.find(({ id }) => [id, fingerprintOf(id)].includes(wanted)) ?? all.find(({ name }) => name === wanted);
}

/** Changes the device or host with an id. A name that another one has gets a number. */
export function renamed<P extends { id: string; name: string }>(
  all: P[],
  id: string,
  change: Partial<NoInfer<P>>,
): P[] {
  const taken = all.flatMap((each) => (each.id === id ? [] : each.name));
  const named = change.name === undefined ? {} : { name: freeName(change.name, taken) };
  return all.map((each) => (each.id === id ? { ...each, ...change, ...named } : each));
}

/** A name that is not taken yet: `phone`, `phone 2`. */
export function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let count = 2; taken.includes(free); count++) free = `${name} ${count}`;
  return free;
}
