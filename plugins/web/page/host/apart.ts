import type { Device } from "./device.ts";
import { Kept } from "./kept.ts";
import { connectOther } from "./other.ts";

/** Whether the server of this page is no host: the build for such servers has said so in the page. */
export const isApart = document.querySelector('meta[name="scorel-apart"]') !== null;

const relay = () => import("../relay/apart.ts");

/** The host that a page of no host shows as its own; undefined for a browser that is not paired with any. */
export async function ownHost(): Promise<Device | undefined> {
  const [first] = await (await relay()).pairedDevices();
  return first && connectOther({ ...first, id: "" }, new Kept());
}

/** Shows another host as the page's own from the next loading on, if there is one, since this one has revoked this browser. */
export async function leaveOwn({ kept, host, address }: Device): Promise<void> {
  if (host !== undefined) await (await relay()).putLast(host);
  // Whoever may not see the sessions any more shall not find them here.
  await kept.forgetDevice(address);
}
