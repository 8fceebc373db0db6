import { hasStored, removeStored } from "@scorel/kit/files/stored";
import { FOLDER } from "./identity.ts";

/** Files of the folder: who this home is, who may reach it, and whom it may reach. */
const FILES = ["identity.json", "host.json", "hosts.json"];

/** For \`scorel host reset\`: after it, no device is paired. */
export function keptPairings() {
  if (!FILES.some((file) => hasStored(FOLDER, file))) return undefined;
  return {
    what: "the pairings with devices and hosts through relays",
    clear: () => {
      for (const file of FILES) removeStored(FOLDER, file);
    },
  };
}
