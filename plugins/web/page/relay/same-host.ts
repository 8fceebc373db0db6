import type { Client } from "@scorel/host/contract";
import { freshNonce, hasSigned } from "@scorel/relay/browser";
import { pairedHost } from "./pairings.ts";

/** The id of the paired host behind this connection. Undefined if this browser is not paired with it, or it does not tell. */
export async function pairedHostAt(client: Pick<Client, "request">): Promise<string | undefined> {
  const nonce = freshNonce();
  const { host, signature } = await client.request("prove_relay_identity", { nonce });
  if (host === undefined || signature === undefined) return undefined;
  const paired = await pairedHost(host);
  return paired && (await hasSigned(paired, nonce, signature)) ? host : undefined;
}
