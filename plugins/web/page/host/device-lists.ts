import type { Device } from "./device.ts";
import type { KnownDevice } from "./other.ts";

/** Stores the list of other hosts of a page. */
export interface DeviceKeeper {
  /** Whether this browser stores the list. Then it is known without any host. */
  isBrowser: boolean;
  read(): Promise<KnownDevice[]>;
  add(device: Omit<KnownDevice, "id">): Promise<KnownDevice>;
  rename(id: string, name: string): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  /** Allows the page to connect to a relay. Returns whether it may do so at once, and not only after a reload. */
  allow(relay: string): Promise<boolean>;
}

/** The list that the page's own host stores. */
export function listOfHost({ client }: Device): DeviceKeeper {
  return {
    isBrowser: false,
    read: async () => (await client.request("list_devices", {})).devices,
    add: async (device) => (await client.request("add_device", device)).device,
    rename: (id, name) => client.request("rename_device", { id, name }),
    remove: (id) => client.request("remove_device", { id }),
    allow: async (address) => {
      await client.request("allow_relay", { address });
      return false;
    },
  };
}

const relay = () => import("../relay/apart.ts");

/** The hosts that this browser is paired with, except for the one that the page shows as its own. */
export function listOfBrowser(own: string | undefined): DeviceKeeper {
  return {
    isBrowser: true,
    read: async () => (await (await relay()).pairedDevices()).filter(({ host }) => host !== own),
    // Pairing itself has stored it.
    add: async ({ host = "", ...device }) => ({ ...device, id: host === own ? "" : host, host }),
    rename: async (id, name) => (await relay()).renameHost(id, name),
    remove: async (id) => (await relay()).forgetHost(id),
    allow: async () => true,
  };
}
