import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { AllowedRelays } from "./devices.ts";

const name = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^\P{Cc}*$/u, "must be one line");
const address = z.string().max(500);
/** The id of a host behind a relay. */
const host = z
  .string()
  .regex(/^[\w-]{43}$/, "must be an id of 43 characters")
  .optional();
/** Addresses of the host's other relays. */
const more = z.array(address).max(7).optional();
const device = () => z.strictObject({ id: z.string(), name: z.string(), address: z.string(), host, more });
const store = () => import("./devices.ts");

/**
 * Operations about the other hosts that the page may connect to. Only for clients that may do everything, since a page could send what it
 * knows to a host that is added here.
 */
export const deviceOperations = (allowed: AllowedRelays) =>
  ({
    list_devices: {
      summary: "Lists the other hosts that the page of this host may connect to.",
      size: { bounded: "There are at most 50." },
      params: () => z.strictObject({}),
      result: () => z.strictObject({ devices: z.array(device()) }),
      run: async (_params, { assertOperations }) => {
        assertOperations("all", "list_devices");
        return { devices: (await store()).readDevices() };
      },
    },
    add_device: {
      summary: "Lets the page of this host connect to another host.",
      size: { bounded: "A host has at most 8 relays." },
      params: () => z.strictObject({ name, address, host, more }),
      result: () => z.strictObject({ device: device() }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "add_device");
        return { device: await (await store()).addDevice(params) };
      },
    },
    allow_relay: {
      summary: "Lets pages that are loaded within the next ten minutes connect to a relay, to pair with a host there.",
      params: () => z.strictObject({ address }),
      result: () => z.strictObject({ address: z.string() }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "allow_relay");
        return { address: (await store()).allowRelay(params.address, allowed) };
      },
    },
    rename_device: {
      summary: "Renames a host that the page may connect to.",
      size: { bounded: "A host has at most 8 relays." },
      params: () => z.strictObject({ id: z.string().max(64), name }),
      result: () => z.strictObject({ device: device() }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "rename_device");
        return { device: await (await store()).renameDevice(params.id, params.name) };
      },
    },
    remove_device: {
      summary: "Removes a host from the list of those that the page may connect to.",
      params: () => z.strictObject({ id: z.string().max(64) }),
      result: () => z.strictObject({ removed: z.boolean() }),
      run: async ({ id }, { assertOperations }) => {
        assertOperations("all", "remove_device");
        return { removed: await (await store()).removeDevice(id) };
      },
    },
  }) satisfies Contributions["operations"];
