import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { freshNonce, hasSigned } from "../../../plugins/relay/browser.ts";
import { homeIdentity } from "../../../plugins/relay/host/identity.ts";
import type { RelayService } from "../../../plugins/relay/host/service.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { operations } from "../../../plugins/relay/operations.ts";
import { base64url } from "../../../plugins/relay/protocol/bytes.ts";
import { createIdentity, type Identity, joinKeys } from "../../../plugins/relay/protocol/identity.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

const relay = definePlugin({
  ...{ id: "relay", name: "Relay", version: "1.0.0" },
  operations: () => {
    const { prove_relay_identity } = operations(async () => ({}) as RelayService);
    return { prove_relay_identity };
  },
});

/** The entry that a browser keeps of a host that it has paired with. */
const paired = ({ id, publicKeys }: Identity) => ({
  ...{ id: base64url(id), keys: base64url(joinKeys(publicKeys)), name: "desk" },
  ...{ relay: "wss://relay.example/relay", grant: "", scopes: [] },
});

describe("a host that is reached directly", () => {
  it("proves with its own key and for one nonce that relays also lead to it", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [relay]);
    const [nonce, other] = [freshNonce(), freshNonce()];
    expect(await t.client.request("prove_relay_identity", { nonce })).toEqual({});
    const identity = await homeIdentity();
    const { host, signature = "" } = await t.client.request("prove_relay_identity", { nonce });
    expect(host).toBe(base64url(identity.id));
    expect(await hasSigned(paired(identity), nonce, signature)).toBe(true);
    expect(await hasSigned(paired(identity), other, signature)).toBe(false);
    expect(await hasSigned(paired(await createIdentity(nodeCrypto)), nonce, signature)).toBe(false);
    expect(await hasSigned(paired(identity), nonce, "no base64url!")).toBe(false);
    await expect(t.client.request("prove_relay_identity", { nonce: "short" })).rejects.toThrow("32 bytes");
  });

  it("tells this only to clients that may do everything", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [relay]);
    const limited = t.host.connect({ scope: { operations: ["prove_relay_identity"] } });
    const nonce = freshNonce();
    await expect(limited.request("prove_relay_identity", { nonce })).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  });
});
