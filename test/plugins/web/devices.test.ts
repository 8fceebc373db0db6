import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientScope } from "@scorel/host/contract";

import { describe, expect, it } from "vitest";
import { type AllowedRelays, allowRelay, deviceOrigins } from "../../../plugins/web/devices.ts";
import web from "../../../plugins/web/index.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

const open = () => testHost([echoAgent], [], [web]);
const codeOf = (error: { code: string }) => error.code;

describe("the devices of the page", () => {
  it("are kept for the user alone, without tokens, and widen the policy of the page by their origins", async () => {
    using home = testHome();
    await using t = await open();
    const { device } = await t.client.request("add_device", {
      name: "build",
      address: "https://Build.example.org:7777/",
    });
    expect(device).toEqual({ id: expect.any(String), name: "build", address: "wss://build.example.org:7777" });
    await t.client.request("add_device", { name: "below", address: "wss://example.org/scorel/" });
    expect((await t.client.request("list_devices", {})).devices.map(({ address }) => address)).toEqual([
      "wss://build.example.org:7777",
      "wss://example.org/scorel/",
    ]);
    expect(deviceOrigins()).toEqual(["wss://build.example.org:7777", "wss://example.org"]);
    expect(statSync(join(home.home, ".scorel/host/devices.json")).mode & 0o777).toBe(0o600);

    const renamed = await t.client.request("rename_device", { id: device.id, name: "the builder" });
    expect(renamed.device).toEqual({ ...device, name: "the builder" });
    expect(await t.client.request("remove_device", { id: device.id })).toEqual({ removed: true });
    expect(await t.client.request("remove_device", { id: device.id })).toEqual({ removed: false });
    expect(await t.client.request("rename_device", { id: device.id, name: "gone" }).catch(codeOf)).toBe(
      "WEB_DEVICE_UNKNOWN",
    );
    expect(deviceOrigins()).toEqual(["wss://example.org"]);
  });

  it.each([
    "build.example.org",
    "ftp://build.example.org",
    "wss://user:password@build.example.org",
    "wss://build.example.org/?token=secret",
    "wss://build.example.org/#code=secret",
    "wss://[::1]:7777",
    "wss://build.example.org;script-src",
    "wss://a,b",
    "wss://*.example.org",
    "javascript:alert(1)",
    "",
  ])("are addresses of hosts, which %j is not", async (address) => {
    using _home = testHome();
    await using t = await open();
    expect(await t.client.request("add_device", { name: "other", address }).catch(codeOf)).toBe("WEB_DEVICE_ADDRESS");
    expect(deviceOrigins()).toEqual([]);
  });

  it("are reached through a relay with the id of their host, which makes them the same ones", async () => {
    using _home = testHome();
    await using t = await open();
    const host = "x".repeat(43);
    const add = (name: string, address: string) => t.client.request("add_device", { name, address, host });
    const { device } = await add("desk", "wss://relay.example/relay");
    expect(device).toEqual({ id: expect.any(String), name: "desk", address: "wss://relay.example/relay", host });
    await add("my desk", "wss://other.example/relay");
    expect((await t.client.request("list_devices", {})).devices).toEqual([
      { ...device, name: "my desk", address: "wss://other.example/relay" },
    ]);
    expect(deviceOrigins()).toEqual(["wss://other.example"]);
    const request = { name: "no id", address: "wss://relay.example", host: "short" };
    expect(await t.client.request("add_device", request).catch(codeOf)).toBe("HOST_PARAMS_INVALID");
  });

  it("may be paired with through a relay that is allowed for a while", async () => {
    using _home = testHome();
    await using t = await open();
    expect(await t.client.request("allow_relay", { address: "wss://relay.example/relay" })).toEqual({
      address: "wss://relay.example/relay",
    });
    const refused = t.client.request("allow_relay", { address: "wss://a.example;script-src" });
    expect(await refused.catch(codeOf)).toBe("WEB_DEVICE_ADDRESS");
    const limited = t.host.connect({ scope: { operations: "read" } });
    const forbidden = limited.request("allow_relay", { address: "wss://relay.example" });
    expect(await forbidden.catch(codeOf)).toBe("HOST_FORBIDDEN");

    const allowed: AllowedRelays = new Map();
    for (let at = 0; at < 9; at++) allowRelay(`wss://relay${at}.example/relay`, allowed);
    expect(deviceOrigins(allowed)).toEqual(Array.from({ length: 8 }, (_, at) => `wss://relay${at + 1}.example`));
    expect(deviceOrigins(new Map([["wss://late.example", performance.now()]]))).toEqual([]);
  });

  it("are limited to fifty", async () => {
    using _home = testHome();
    await using t = await open();
    const add = (at: number) =>
      t.client.request("add_device", { name: `${at}`, address: `wss://host${at}.example.org` });
    for (let at = 0; at < 50; at++) await add(at);
    expect(await add(50).catch(codeOf)).toBe("WEB_DEVICE_MANY");
    expect((await add(49)).device.name).toBe("49");
  });

  it("cannot be seen or changed by clients with limits", async () => {
    using _home = testHome();
    await using t = await open();
    const scopes: ClientScope[] = [{ operations: "read" }, { operations: ["add_device", "list_devices"] }];
    for (const { request } of scopes.map((scope) => t.host.connect({ scope }))) {
      expect(await request("list_devices", {}).catch(codeOf)).toBe("HOST_FORBIDDEN");
      expect(await request("add_device", { name: "a", address: "wss://a.example.org" }).catch(codeOf)).toBe(
        "HOST_FORBIDDEN",
      );
    }
    expect(deviceOrigins()).toEqual([]);
  });

  it("allow nothing when their list is damaged, and the reason is said", async () => {
    using home = testHome();
    await using t = await open();
    await t.client.request("add_device", { name: "build", address: "wss://build.example.org" });
    const path = join(home.home, ".scorel/host/devices.json");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    expect(deviceOrigins()).toEqual([]);
    expect(await t.client.request("list_devices", {}).catch(codeOf)).toBe("WEB_DEVICES");
  });
});
