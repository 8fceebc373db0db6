import type { KnownDevice } from "../host/other.ts";
import { forgetHost, type KeptHost, keepHost, pairedHost, pairedHosts } from "./pairings.ts";

export { forgetHost };

/** The hosts of this browser: the first paired one first, those that have revoked this browser last. */
export async function pairedDevices(): Promise<(KnownDevice & { host: string })[]> {
  const hosts = await pairedHosts();
  const rank = ({ isShutOut = false }: KeptHost) => Number(isShutOut);
  hosts.sort((a, b) => rank(a) - rank(b) || (a.pairedAt ?? 0) - (b.pairedAt ?? 0));
  return hosts.map(({ id, name, relay }) => ({ id, name, address: relay, host: id }));
}

export async function renameHost(id: string, name: string): Promise<void> {
  await change(id, { name });
}

/** Notes that a host has revoked this browser. The pairing is kept, since the message may come from a malicious relay. */
export async function markShutOut(id: string): Promise<void> {
  await change(id, { isShutOut: true });
}

async function change(id: string, changed: Partial<KeptHost>): Promise<void> {
  const host = await pairedHost(id);
  if (host) await keepHost({ ...host, ...changed });
}
