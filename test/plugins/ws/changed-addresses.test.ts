import type { IncomingMessage } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { createVetting, Names } from "../../../plugins/web-server/vetting.ts";

it("a server on all addresses accepts the one that the computer gets in another network, and no longer the former", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const none = { names: [], origins: [], pages: [] };
  let address = "192.168.1.5";
  const interfaces = () => ({ lo: [{ address: "127.0.0.1" }], wlan0: [{ address }] });
  const options = { scheme: "https", bind: "0.0.0.0", port: 7777, ...none } as const;
  const names = new Names(options, interfaces);
  const vet = createVetting(options, names);
  const asked = (host: string) => {
    const rawHeaders = ["Host", host, "Origin", `https://${host}`];
    const refusal = vet({ rawHeaders, url: "/ws", method: "GET" } as IncomingMessage);
    return [refusal, names.authorities.has(host)];
  };
  const both = () => ["192.168.1.5:7777", "10.0.0.9:7777"].map(asked);
  expect(both()).toEqual([
    [undefined, true],
    [421, false],
  ]);
  address = "10.0.0.9";
  vi.advanceTimersByTime(1_000);
  expect(both()).toEqual([
    [421, false],
    [undefined, true],
  ]);
});

it("a server on all addresses keeps those that it knows while they cannot be read, and does not begin without any", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const options = { scheme: "https", bind: "::", port: 7777, names: [], origins: [], pages: [] } as const;
  const failure = Object.assign(new Error("uv_interface_addresses: EMFILE"), { code: "ERR_SYSTEM_ERROR" });
  let read = () => ({ wlan0: [{ address: "192.168.1.5" }] });
  const names = new Names(options, () => read());
  read = () => {
    throw failure;
  };
  vi.advanceTimersByTime(1_000);
  expect([...names.authorities]).toContain("192.168.1.5:7777");
  read = () => ({ wlan0: [{ address: "10.0.0.9" }] });
  vi.advanceTimersByTime(1_000);
  expect([...names.hosts].filter((host) => /^1[^2]/.test(host))).toEqual(["10.0.0.9:7777"]);
  const failing = () => {
    throw failure;
  };
  expect(() => new Names(options, failing)).toThrow(failure);
});
