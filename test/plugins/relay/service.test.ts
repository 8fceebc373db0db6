import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { userDir } from "../../../plugins/kit/files/home.ts";
import relay from "../../../plugins/relay/index.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";
import { startRelay } from "./relays.ts";

const gateway = definePlugin({
  ...{ id: "gateway", name: "Gateway", version: "1.0.0", provides: ["gateway"] },
  activate: (ctx) => ctx.provide("gateway", {} as never),
});

it("the operations of pairing work again when a damaged file is repaired", async () => {
  using _home = testHome();
  await using t = await testHost([echoAgent], [], [gateway, relay]);
  const folder = join(userDir(), "relay");
  const path = join(folder, "host.json");
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(path, "{", { mode: 0o600 });
  await expect(t.client.request("list_paired_devices", {})).rejects.toMatchObject({ code: "RELAY_STORED" });
  rmSync(path);
  expect(await t.client.request("list_paired_devices", {})).toEqual({ devices: [], relays: [] });
});

it("a host pairs under a name of up to 64 bytes, and says so of a longer one", async () => {
  using _home = testHome();
  const { address } = await startRelay();
  await using t = await testHost([echoAgent], [], [gateway, relay]);
  const offer = (name: string) => t.client.request("offer_pairing", { relays: [address], name });
  const { code } = await offer("x".repeat(64));
  await expect(offer("名".repeat(22))).rejects.toMatchObject({ code: "RELAY_DEVICE_NAME" });
  expect(await t.client.request("follow_pairing", { code, state: "asked" })).toEqual({ state: "waiting" });
});
