import type { Contributions } from "@scorel/kernel";
import { scopeNames } from "@scorel/kit/values/scopes";
import { z } from "zod";
import type {} from "./contract.ts";
import type { RelayService } from "./host/service.ts";
import { MAX_ADDRESS_BYTES, MAX_ADDRESSES } from "./protocol/addresses.ts";

const name = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "must be one line of visible characters");
const scopes = z.array(z.enum(scopeNames)).min(1);
const code = z.string().max(32);
const device = () =>
  z.strictObject({ id: z.string(), name: z.string(), scopes, pairedAt: z.number(), fingerprint: z.string() });
const followed = () =>
  z.union([
    z.strictObject({ state: z.literal("waiting") }),
    z.strictObject({
      state: z.literal("asked"),
      device: z.strictObject({ name: z.string(), fingerprint: z.string() }),
    }),
    z.strictObject({ state: z.literal("ended"), reason: z.string() }),
  ]);

/** Operations about devices that reach this host through relays. Only clients that may do everything can call them. */
export function operations(service: () => Promise<RelayService>) {
  return {
    offer_pairing: {
      summary: "Connects the host with a relay, and makes a code with which one device can pair there.",
      size: { bounded: "There are at most 8 relays." },
      params: () =>
        z.strictObject({
          relays: z.array(z.string().max(MAX_ADDRESS_BYTES)).min(1).max(MAX_ADDRESSES).optional(),
          insecure: z.boolean().optional(),
          name,
        }),
      result: () =>
        z.strictObject({
          ...{ code: z.string(), hostId: z.string(), fingerprint: z.string(), seconds: z.number() },
          relays: z.array(z.string()),
        }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "offer_pairing");
        return (await service()).offer(params);
      },
    },
    follow_pairing: {
      summary: "Returns the state of pairing with a code, as soon as it changes, or after 20 seconds.",
      params: () => z.strictObject({ code, state: z.enum(["waiting", "asked", "ended"]) }),
      result: followed,
      run: async (params, { assertOperations }) => {
        assertOperations("all", "follow_pairing");
        return (await service()).pairing(params.code).follow(params.state);
      },
    },
    answer_pairing: {
      summary: "Lets the device that has used a code in, or refuses it.",
      size: { bounded: "A device has at most 4 scopes." },
      params: () => z.strictObject({ code, accept: z.boolean(), scopes: scopes.optional() }),
      result: () => z.strictObject({ device: device().optional() }),
      run: async ({ code: shown, accept, scopes: given = ["view", "prompt", "approve"] }, { assertOperations }) => {
        assertOperations("all", "answer_pairing");
        const paired = await (await service()).answer(shown, accept, given);
        return paired ? { device: paired } : {};
      },
    },
    list_paired_devices: {
      summary: "Lists the devices that may reach this host through relays, and these relays.",
      size: { bounded: "There are at most 200 devices and 8 relays." },
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          devices: z.array(device().extend({ connected: z.boolean() })),
          relays: z.array(z.strictObject({ address: z.string(), state: z.string() })),
        }),
      run: async (_params, { assertOperations }) => {
        assertOperations("all", "list_paired_devices");
        return (await service()).list();
      },
    },
    change_paired_device: {
      summary: "Changes the name or the scopes of a device that reaches this host through a relay.",
      size: { bounded: "A device has at most 4 scopes." },
      params: () => z.strictObject({ device: z.string().max(100), name: name.optional(), scopes: scopes.optional() }),
      result: () => z.strictObject({ device: device() }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "change_paired_device");
        return { device: await (await service()).change(params.device, params) };
      },
    },
    revoke_paired_device: {
      summary: "Unpairs a device that reaches this host through a relay, and closes its connections.",
      size: { bounded: "A device has at most 4 scopes." },
      params: () => z.strictObject({ device: z.string().max(100) }),
      result: () => z.strictObject({ device: device() }),
      run: async (params, { assertOperations }) => {
        assertOperations("all", "revoke_paired_device");
        return { device: await (await service()).revoke(params.device) };
      },
    },
    renew_grant: {
      summary: "Gives a paired device a new grant for its relay, which only this device can use.",
      readOnly: true,
      params: () => z.strictObject({ device: z.string().max(100) }),
      result: () => z.strictObject({ grant: z.string() }),
      run: async ({ device: id }) => (await service()).renew(id),
    },
    prove_relay_identity: {
      summary: "Returns the id by which relays know this host, and its signature of a nonce.",
      readOnly: true,
      params: () => z.strictObject({ nonce: z.string().regex(/^[\w-]{43}$/, "must be 32 bytes in base64url") }),
      result: () => z.strictObject({ host: z.string().optional(), signature: z.string().optional() }),
      run: async ({ nonce }, { assertOperations }) => {
        assertOperations("all", "prove_relay_identity");
        return (await import("./host/proof.ts")).proofOf(nonce);
      },
    },
    leave_relay: {
      summary: "Ends this host's connection with a relay, for good.",
      params: () => z.strictObject({ relay: z.string().max(500) }),
      result: () => z.strictObject({ left: z.boolean() }),
      run: async ({ relay }, { assertOperations }) => {
        assertOperations("all", "leave_relay");
        return { left: await (await service()).leave(relay) };
      },
    },
  } satisfies Contributions["operations"];
}
