import { tokenId } from "@scorel/host/client";
import { useEffect } from "react";
import { forgetTokens, keptToken } from "../host/access.ts";
import type { Device } from "../host/device.ts";
import { forgetLocal } from "../host/local.ts";
import { forgetPairings } from "../host/pairings.ts";
import { unsubscribe } from "../waiting/push.ts";

/** Channel on which the pages of this browser tell each other that the person has signed out. */
const CHANNEL = "scorel.signed-out";

/** Milliseconds for which a host that does not answer delays signing out. */
const LONGEST_END_MS = 10_000;

/**
 * Ends this page's access, and removes everything that this browser stores about the host, so that the next user of the browser does not
 * find it. Other tabs do the same.
 */
export async function signOut(device: Device): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("");
  channel.close();
  await leave(device);
}

/** Signs out this page when the person signs out in another tab. */
export function useSigningOut(device: Device): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => void leave(device);
    return () => channel.close();
  }, [device]);
}

async function leave({ client, kept }: Device): Promise<void> {
  const token = keptToken();
  // Started first, since the token is valid for hours. A busy host gets some time for it.
  const ending = token === undefined ? undefined : Promise.race([endAtHost(client, token), pause(LONGEST_END_MS)]);
  forgetTokens();
  forgetLocal();
  // Fails only if the browser cannot store anything.
  await Promise.allSettled([kept.forget(), forgetPairings()]);
  await ending;
  await client.close();
  location.reload();
}

/** Ends the pushes and the token at the host, if it can be reached. Tokens that were entered by hand stay valid. */
async function endAtHost(client: Device["client"], token: string): Promise<void> {
  // If this fails, the host ends the pushes together with the token.
  await unsubscribe({ client }).catch(() => {});
  if (client.state.state !== "live") return;
  await client.request("end_page", { page: await tokenId(token) }).catch(() => {});
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
