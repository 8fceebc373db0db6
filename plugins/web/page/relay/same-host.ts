import type { Client } from "@scorel/host/contract";
import { freshNonce, hasSigned } from "@scorel/relay/browser";
import { pairedHost } from "./pairings.ts";

/** The id of the paired host that answers here; undefined for one that this browser is not paired with, or that may not say it. */
export async function pairedHostAt(client: Pick<Client, "request">): Promise<string | undefined> {
  const nonce = freshNonce();
  const { host, signature } = await client.request("prove_relay_identity", { nonce });
  if (host === undefined || signature === undefined) return undefined;
  const paired = await pairedHost(host);
  return paired && (await hasSigned(paired, nonce, signature)) ? host : undefined;
}
