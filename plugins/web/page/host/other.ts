import { keptToken } from "./access.ts";
import { Device } from "./device.ts";
import type { Kept } from "./kept.ts";

/** What reaches hosts through relays. It is part of the page, and begins to run when it is first needed. */
const relay = () => import("../relay/relay.ts");

/** Another host, as this page's own host keeps it in its list. */
export interface KnownDevice {
  id: string;
  name: string;
  /** Where it listens; with `host`, the address of the relay. */
  address: string;
  /** The id of a host that is reached through a relay. */
  host?: string | undefined;
  /** The addresses of its other relays. */
  more?: string[] | undefined;
}

/** Under which name this browser keeps what a host says. A relay has many hosts. */
export function keptAs({ address, host }: KnownDevice): string {
  return host === undefined ? address : `relay:${host}`;
}

/** Connects to another host, if this tab has a token for it, or this browser is paired with it. */
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
    // Without a token in this tab, the relay is the only way.
    if (token === undefined) return way && connectRelayed(way, where);
    return Device.connect(token, { ...where, ways: () => relayed()?.host });
  }
  return connectRelayed(known, where);
}

/** Connects through a relay, if this browser is paired with the host. */
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

/** Forgets that this browser is paired with a host. */
export async function forgetPairing({ host }: KnownDevice): Promise<void> {
  if (host !== undefined) await (await relay()).forgetHost(host);
}
