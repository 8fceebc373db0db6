import { Stored } from "@scorel/kit/files/stored";
import { lineOf } from "@scorel/kit/text/one-line";
import { shellWord } from "@scorel/kit/text/shell-word";
import { z } from "zod";
import { errors } from "../errors.ts";
import { freeName, namedBy, renamed } from "../host/devices.ts";
import { FOLDER } from "../host/identity.ts";
import { MAX_ADDRESS_BYTES, MAX_ADDRESSES } from "../protocol/addresses.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { GRANT_BYTES } from "../protocol/grants.ts";
import type { Bytes } from "../protocol/primitives.ts";

const MAX_HOSTS = 100;
const sized = (bytes: number) =>
  z.string().refine((text) => fromBase64url(text)?.length === bytes, `must be ${bytes} bytes`);

const addresses = z.array(z.string().max(MAX_ADDRESS_BYTES)).max(MAX_ADDRESSES);
const host = z.strictObject({
  id: sized(32),
  keys: sized(64),
  name: z.string(),
  /** The first relay that was named when this computer was paired. */
  relay: z.string(),
  /** The other relays that were named then. */
  others: addresses.optional(),
  /** Relays that the host itself has named. */
  told: addresses.optional(),
  grant: sized(GRANT_BYTES),
  scopes: z.array(z.string()),
  /** Milliseconds since 1970. */
  pairedAt: z.number(),
});
/** A host that this computer is paired with. */
export type PairedHost = z.infer<typeof host>;

const schema = z.strictObject({ hosts: z.array(host).max(MAX_HOSTS) });
const stored = new Stored<z.infer<typeof schema>>({
  ...{ folder: FOLDER, file: "hosts.json", schema, empty: { hosts: [] }, failed: errors.RELAY_STORED },
});

/** The hosts that this computer is paired with. Throws RELAY_STORED for a damaged file. */
export function pairedHosts(): PairedHost[] {
  return stored.read().hosts;
}

/** Stores a host, and replaces an earlier pairing with the same host. Returns it with its name on this computer. Throws RELAY_MANY. */
export async function keepHost(given: PairedHost): Promise<PairedHost> {
  const { hosts } = await stored.change((now) => {
    const others = now.hosts.filter((each) => each.id !== given.id);
    if (others.length === MAX_HOSTS) throw errors.RELAY_MANY({ what: "hosts", max: MAX_HOSTS });
    const name = freeName(
      given.name,
      others.map((each) => each.name),
    );
    return { hosts: [...others, { ...given, name }] };
  });
  return hosts.at(-1) as PairedHost;
}

/** Stores a new grant of a host, if this computer is still paired with it. */
export async function keepGrant(id: string, grant: Bytes): Promise<void> {
  await stored.change(({ hosts }) => ({
    hosts: hosts.map((each) => (each.id === id ? { ...each, grant: base64url(grant) } : each)),
  }));
}

/** Stores the relays that a host has named. */
export async function keepTold(id: string, told: readonly string[]): Promise<void> {
  await stored.change(({ hosts }) => ({
    hosts: hosts.map((each) => (each.id === id ? { ...each, told: [...told] } : each)),
  }));
}

/** Renames a host on this computer, given by its name, id or fingerprint. A name that another host has gets a number. Throws RELAY_HOST_UNKNOWN. */
export async function renameHost(wanted: string, name: string): Promise<PairedHost> {
  const { id } = hostNamed(wanted);
  const { hosts } = await stored.change((now) => ({
    hosts: renamed(now.hosts, id, { name }),
  }));
  return hosts.find((each) => each.id === id) as PairedHost;
}

/** Removes a pairing, given by the host's name, id or fingerprint. Throws RELAY_HOST_UNKNOWN. */
export async function forgetHost(wanted: string): Promise<PairedHost> {
  const gone = hostNamed(wanted);
  await stored.change((now) => ({ hosts: now.hosts.filter((each) => each.id !== gone.id) }));
  return gone;
}

/** The command that connects to a host. The host chose its name itself, so it is quoted as one word for the shell. */
export function attachCommand({ name }: Pick<PairedHost, "name">): string {
  return `scorel attach --device ${shellWord(lineOf(name))}`;
}

/** Finds a host by its name, id or fingerprint. Throws RELAY_HOST_UNKNOWN. */
export function hostNamed(wanted: string): PairedHost {
  const hosts = pairedHosts();
  const found = namedBy(hosts, wanted);
  if (!found) throw errors.RELAY_HOST_UNKNOWN({ host: wanted, known: hosts.map(({ name }) => name) });
  return found;
}
