import type { Channel } from "@scorel/host/client";
import {
  type BrowserKeys,
  dialPaired,
  fingerprintOfKeys,
  type PairedHost,
  type PairOptions,
  pairWith,
  relaysOf,
  renewed,
} from "@scorel/relay/browser";
import { forgetHost, keepHost, ownKeys, pairedHost } from "./pairings.ts";

export { forgetHost, relaysOf };

/** Addresses of a paired host's relays. Empty if this browser is not paired with it. */
export async function knownRelays(id: string): Promise<string[]> {
  const host = await pairedHost(id);
  return host ? relaysOf(host) : [];
}

/** Whether this browser is paired with a host. */
export async function isPaired(id: string): Promise<boolean> {
  return (await pairedHost(id)) !== undefined;
}

/** Connects to a paired host through one of its relays. Throws RELAY errors. */
export async function dialRelayed(id: string): Promise<Channel> {
  const host = await pairedHost(id);
  // The pairing was removed in another tab.
  if (!host) throw Object.assign(new Error("This browser is not paired with the host any more."), { fatal: true });
  const keys = await ownKeys();
  // If storing the relays fails, the host names them again at the next connection.
  const channel = await dialPaired(keys, host, (changed) => void keep(changed, ["told"]).catch(() => {}));
  // A failure is ignored: the old grant is valid for weeks, and the next connection tries again.
  void renew(keys, host).catch(() => {});
  return channel;
}

/** Stores a new grant of the host if the current one expires soon. */
async function renew(keys: BrowserKeys, host: PairedHost): Promise<void> {
  const changed = await renewed(keys, host);
  if (changed) await keep(changed, ["grant"]);
}

/** Stores these fields of a host, unless the pairing was removed meanwhile. */
async function keep(changed: PairedHost, parts: readonly (keyof PairedHost)[]): Promise<void> {
  const known = await pairedHost(changed.id);
  if (known) await keepHost({ ...known, ...Object.fromEntries(parts.map((part) => [part, changed[part]])) });
}

/** Pairs with the host that shows a code, and stores it. Throws RELAY errors. */
export async function pair(options: PairOptions): Promise<PairedHost> {
  const host = await pairWith(await ownKeys(), options);
  const { pairedAt = Date.now() } = (await pairedHost(host.id)) ?? {};
  await keepHost({ ...host, pairedAt });
  return host;
}

/** The fingerprint of this browser, which people compare. */
export async function ownFingerprint(): Promise<string> {
  return fingerprintOfKeys(await ownKeys());
}
