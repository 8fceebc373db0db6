import { afterEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import type { Device } from "../../../plugins/web/page/host/device.ts";
import type { DeviceKeeper } from "../../../plugins/web/page/host/device-lists.ts";
import type { KnownDevice } from "../../../plugins/web/page/host/other.ts";
import { Store } from "../../../plugins/web/page/store.ts";
import { eventually } from "../../eventually.ts";
import { gate } from "../../model-server.ts";
import { testWeb } from "../ws/home.ts";

/** Provides the parts of a browser that the page's modules use. Returns the sockets that are opened. */
function asBrowser(address: string): WebSocket[] {
  const sockets: WebSocket[] = [];
  class Recorded extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const storage = new Map<string, string>();
  vi.stubGlobal("SCOREL_VERSION", "1.0.0");
  vi.stubGlobal("WebSocket", Recorded);
  vi.stubGlobal("location", new URL(address));
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  });
  return sockets;
}

/** A list of hosts in memory. */
function listInMemory(): DeviceKeeper {
  let listed: KnownDevice[] = [];
  return {
    isBrowser: true,
    read: async () => listed,
    add: async (device) => {
      const known = { ...device, id: "d1" };
      listed = [known];
      return known;
    },
    rename: async () => {},
    remove: async () => {
      listed = [];
    },
    allow: async () => true,
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("nothing of a host is stored after it was removed", async () => {
  await using host = await testWeb();
  const address = new URL(".", host.address.replace(/^ws/, "http")).href;
  asBrowser(address);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const { Devices } = await import("../../../plugins/web/page/host/devices.ts");
  const done: string[] = [];
  const note = (what: string) => async (key: string) => void done.push(`${what} ${key}`);
  const kept = { ...{ read: note("read"), timeOf: () => 0 }, write: note("write"), forgetDevice: note("forget") };
  const devices = new Devices(
    { id: "", address, kept, sessions: { projects: new Store([]) } } as never,
    listInMemory(),
  );
  const known = await devices.add("desk", address, host.token());
  await devices.read();
  await eventually(() => expect(devices.connected()[1]?.link.get().state).toBe("live"));
  const { client, sessions } = devices.connected()[1] as Device;
  const { sessionId } = await client.request("create_session", { cwd: host.home.cwd });
  await eventually(() => expect(sessions.find(sessionId)).toBeDefined());
  await devices.remove(known);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(done.at(-1)).toBe(`forget ${address}`);
});

it("a host that is removed while the page is connecting to it is disconnected", async () => {
  await using host = await testWeb();
  const address = new URL(".", host.address.replace(/^ws/, "http")).href;
  const sockets = asBrowser(address);
  const { Devices } = await import("../../../plugins/web/page/host/devices.ts");
  const reading = gate();
  // Connecting takes until the gate opens, because the lists that this browser has stored are read before it ends.
  const read = async (key: string) => (key.includes("lists") ? reading.promise : undefined);
  const kept = { read, timeOf: () => 0, write: async () => {}, remove: async () => {}, forgetDevice: async () => {} };
  const devices = new Devices(
    { id: "", address, kept, sessions: { projects: new Store([]) } } as never,
    listInMemory(),
  );
  const known = await devices.add("desk", address, host.token());
  await devices.read();
  await eventually(() => expect(sockets.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN]));
  await devices.remove(known);
  reading.open();
  await eventually(() => expect(sockets.map(({ readyState }) => readyState)).toEqual([WebSocket.CLOSED]));
  expect(devices.others.get()).toEqual([]);
});
