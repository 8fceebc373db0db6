import { tokenId } from "@scorel/host/client";
import { useEffect } from "react";
import { forgetDrafts } from "../chat/drafts.ts";
import { forgetTokens, keptToken } from "../host/access.ts";
import type { Device } from "../host/device.ts";
import { forgetOwn } from "../host/own-ids.ts";
import { forgetPairings } from "../host/pairings.ts";
import { unsubscribe } from "../waiting/push.ts";
import { forgetSeen } from "../waiting/seen.ts";

/** Over it, the pages of this browser tell each other that the person has signed out. */
const CHANNEL = "scorel.signed-out";

/** How long a host that does not answer holds up the signing out, in milliseconds. */
const LONGEST_END_MS = 10_000;

/** Ends this page's access, and removes what this browser has of the host: for whoever uses the browser next. Other tabs follow. */
export async function signOut(device: Device): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("");
  channel.close();
  await leave(device);
}

/** Leaves when the person signs out in another tab. */
export function useSigningOut(device: Device): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => void leave(device);
    return () => channel.close();
  }, [device]);
}

async function leave({ client, kept }: Device): Promise<void> {
  const token = keptToken();
  // The token is good for hours: the host is told first, and gets the time that a busy one needs.
  const ending = token === undefined ? undefined : Promise.race([endAtHost(client, token), pause(LONGEST_END_MS)]);
  forgetTokens();
  forgetDrafts();
  forgetSeen();
  forgetOwn();
  // A browser that cannot be asked to forget has kept nothing.
  await Promise.allSettled([kept.forget(), forgetPairings()]);
  await ending;
  await client.close();
  location.reload();
}

/** Ends the pushes and the token at the host, too, if it is there: nobody can use it any more. Tokens that were entered by hand stay. */
async function endAtHost(client: Device["client"], token: string): Promise<void> {
  // The host ends the pushes with the token, also when it was not told.
  await unsubscribe({ client }).catch(() => {});
  if (client.state.state !== "live") return;
  await client.request("end_page", { page: await tokenId(token) }).catch(() => {});
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
