import type { Device } from "./device.ts";
import { Kept } from "./kept.ts";
import { connectOther } from "./other.ts";

/** Whether the server of this page is not a host. The build for such servers marks the page. */
export const isApart = document.querySelector('meta[name="scorel-apart"]') !== null;

const relay = () => import("../relay/apart.ts");

/** The host that a page without a host of its own shows first. Undefined if this browser is not paired with any. */
export async function ownHost(): Promise<Device | undefined> {
  const [first] = await (await relay()).pairedDevices();
  return first && connectOther({ ...first, id: "" }, new Kept());
}

/** Shows another host first after the next reload, if there is one, since this host has revoked this browser. */
export async function leaveOwn({ kept, host, address }: Device): Promise<void> {
  if (host !== undefined) await (await relay()).markShutOut(host);
  // Without access, nobody should find the sessions in this browser.
  await kept.forgetDevice(address);
}
