import { keptToken } from "./access.ts";
import { Device } from "./device.ts";
import type { Kept } from "./kept.ts";

/** The code for relays. It is part of the page, and loaded when it is first needed. */
const relay = () => import("../relay/relay.ts");

/** Another host, as in the list of the page's own host. */
export interface KnownDevice {
  id: string;
  name: string;
  /** Its address; if `host` is set, the address of the relay. */
  address: string;
  /** Id of a host that is reached through a relay. */
  host?: string | undefined;
  /** Addresses of its other relays. */
  more?: string[] | undefined;
}

/** Name under which this browser stores what a host says. It contains the host, since a relay has many. */
export function keptAs({ address, host }: KnownDevice): string {
  return host === undefined ? address : `relay:${host}`;
}

/** Connects to another host. Resolves with undefined if this tab has no token for it and this browser is not paired with it. */
export async function connectOther(
  known: KnownDevice,
  kept: Kept,
  relayed: () => KnownDevice | undefined = () => undefined,
): Promise<Device | undefined> {
  const { id, name, host } = known;
  const where = { id, name, address: keptAs(known), kept };
  if (host === undefined) {
    const token = keptToken(id);
    const way = relayed();
    // Without a token in this tab, only the relay is left.
    if (token === undefined) return way && connectRelayed(way, where);
    return Device.connect(token, { ...where, ways: () => relayed()?.host });
  }
  return connectRelayed(known, where);
}

/** Connects through a relay. Resolves with undefined if this browser is not paired with the host. */
async function connectRelayed(
  { address, more = [], host = "" }: KnownDevice,
  where: { id: string; name: string; address: string; kept: Kept },
): Promise<Device | undefined> {
  const { isPaired, dialRelayed } = await relay();
  if (!(await isPaired(host))) return undefined;
  return Device.connect(undefined, {
    ...where,
    through: { relay: [address, ...more].join(", "), host, dial: () => dialRelayed(host) },
  });
}

/** Removes the pairing of this browser with a host. */
export async function forgetPairing({ host }: KnownDevice): Promise<void> {
  if (host !== undefined) await (await relay()).forgetHost(host);
}
