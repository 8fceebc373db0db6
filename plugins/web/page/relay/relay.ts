import type { Channel } from "@scorel/host/client";
import { dialPaired, fingerprintOfKeys, type PairedHost, type PairOptions, pairWith } from "@scorel/relay/browser";
import { forgetHost, keepHost, ownKeys, pairedHost } from "./pairings.ts";

export { forgetHost };

/** Whether this browser has paired with a host. */
export async function isPaired(id: string): Promise<boolean> {
  return (await pairedHost(id)) !== undefined;
}

/** Connects to a host through its relay. Throws RELAY errors. */
export async function dialRelayed(id: string): Promise<Channel> {
  const host = await pairedHost(id);
  // Removed in another tab.
  if (!host) throw Object.assign(new Error("This browser is not paired with the host any more."), { fatal: true });
  return dialPaired(await ownKeys(), host);
}

/** Pairs with the host that shows a code, and keeps it. Throws RELAY errors. */
export async function pair(options: PairOptions): Promise<PairedHost> {
  const host = await pairWith(await ownKeys(), options);
  await keepHost(host);
  return host;
}

/** What people compare of this browser. */
export async function ownFingerprint(): Promise<string> {
  return fingerprintOfKeys(await ownKeys());
}
