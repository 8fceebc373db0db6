import { hasStored, removeStored } from "@scorel/kit/files/stored";
import { FOLDER } from "./identity.ts";

/** Files in the folder: the identity of this home, the devices that may reach it, and the hosts that it may reach. */
const FILES = ["identity.json", "host.json", "hosts.json"];

/** Describes the stored pairings for `scorel host reset`. After it, no device is paired. */
export function keptPairings() {
  if (!FILES.some((file) => hasStored(FOLDER, file))) return undefined;
  return {
    what: "the pairings with devices and hosts through relays",
    clear: () => {
      for (const file of FILES) removeStored(FOLDER, file);
    },
  };
}
