import { afterEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import type { Device } from "../../../plugins/web/page/host/device.ts";
import type { DeviceKeeper } from "../../../plugins/web/page/host/device-lists.ts";
import type { KnownDevice } from "../../../plugins/web/page/host/other.ts";
import { Store } from "../../../plugins/web/page/store.ts";
import { eventually } from "../../eventually.ts";
import { gate } from "../../model-server.ts";
import { testWeb } from "../ws/home.ts";

/** The strings of a browser's storage, as its own properties. */
class TestStorage {
  [key: string]: unknown;

  getItem(key: string) {
    return this[key] ?? null;
  }

  setItem(key: string, text: string) {
    this[key] = text;
  }

  removeItem(key: string) {
    delete this[key];
  }
}

/** Provides the parts of a browser that the page's modules use. Returns the sockets that are opened. */
function asBrowser(address: string): WebSocket[] {
  const sockets: WebSocket[] = [];
  class Recorded extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  vi.stubGlobal("SCOREL_VERSION", "1.0.0");
  vi.stubGlobal("WebSocket", Recorded);
  vi.stubGlobal("location", new URL(address));
  vi.stubGlobal("document", new EventTarget());
  const events = new EventTarget();
  for (const name of ["addEventListener", "dispatchEvent"] as const) vi.stubGlobal(name, events[name].bind(events));
  vi.stubGlobal("sessionStorage", new TestStorage());
  vi.stubGlobal("localStorage", new TestStorage());
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

const keptNowhere = {
  ...{ read: async () => undefined, timeOf: () => 0 },
  ...{ write: async () => {}, remove: async () => {}, forgetDevice: async () => {} },
};

/** A page with another host, to which it is connected. */
async function pageWithHost(host: Awaited<ReturnType<typeof testWeb>>) {
  const address = new URL(".", host.address.replace(/^ws/, "http")).href;
  const sockets = asBrowser(address);
  const { Devices } = await import("../../../plugins/web/page/host/devices.ts");
  const own = { id: "", address, kept: keptNowhere, sessions: { projects: new Store([]) } };
  const devices = new Devices(own as never, listInMemory());
  const end = devices.begin();
  const known = await devices.add("desk", address, host.token());
  await devices.read();
  const device = await eventually(() => {
    const [, other] = devices.connected();
    expect(other?.link.get().state).toBe("live");
    return other as Device;
  });
  return { devices, known, device, sockets, end };
}

it("a removed host leaves no drafts and no record of what was seen, while those of other hosts stay", async () => {
  await using host = await testWeb();
  const { devices, known, device } = await pageWithHost(host);
  const others = {
    "scorel.seen": "own",
    "scorel.draft.s1": "own",
    "scorel.draft.d11:s1": "d11",
    "scorel.seen.d11": "d11",
  };
  for (const [key, text] of Object.entries(others)) localStorage.setItem(key, text);
  const { keepDraft } = await import("../../../plugins/web/page/chat/drafts.ts");
  for (const place of ["s1", "new:/project"]) keepDraft(device.keyOf(place), "secret");
  device.seen.set({ since: 1, sessions: {} });
  expect(Object.keys(localStorage)).toHaveLength(7);
  await devices.remove(known);
  device.seen.set({ since: 2, sessions: {} });
  expect({ ...localStorage }).toEqual(others);
});

it("a removed host no longer listens to the page, and its sessions are no longer counted", async () => {
  await using host = await testWeb();
  const { devices, known, device } = await pageWithHost(host);
  await devices.remove(known);
  const hurry = vi.spyOn(device.client, "hurry");
  dispatchEvent(new Event("online"));
  document.dispatchEvent(new Event("visibilitychange"));
  const changed = { key: "scorel.seen.d1", newValue: '{"since":5,"sessions":{}}' };
  dispatchEvent(Object.assign(new Event("storage"), changed));
  device.sessions.projects.set([]);
  expect([hurry.mock.calls.length, device.seen.get()?.since, [...devices.waiting.get().keys()]]).toEqual([
    0,
    undefined,
    [""],
  ]);
});

it("a host whose connection has ended is connected again when the person asks for it", async () => {
  await using host = await testWeb();
  const { devices, known, device } = await pageWithHost(host);
  await device.client.close();
  expect(devices.connected()).toHaveLength(1);
  devices.hurry(known.id);
  await eventually(() => expect(devices.connected()[1]?.link.get().state).toBe("live"));
  await devices.remove(known);
});

it("a page that shows the form for its token again is no longer connected to other hosts", async () => {
  await using host = await testWeb();
  const { devices, sockets, end } = await pageWithHost(host);
  end();
  await devices.read();
  await eventually(() => expect(sockets.map(({ readyState }) => readyState)).toEqual([WebSocket.CLOSED]));
  expect(devices.connected()).toHaveLength(1);
});

it("a page of no host keeps drafts and what was seen apart for each host that it shows first", async () => {
  asBrowser("http://127.0.0.1:1/");
  const { Device } = await import("../../../plugins/web/page/host/device.ts");
  const first = async (host: string) =>
    Device.connect(undefined, {
      ...{ id: "", address: `relay:${host}`, kept: keptNowhere as never },
      through: { relay: "wss://relay.example.org", host, dial: () => Promise.reject(new Error("away")) },
    });
  const [one, other] = [await first("one"), await first("other")];
  one.seen.set({ since: 1, sessions: {} });
  expect([one.keyOf("s1"), other.keyOf("s1"), { ...localStorage }]).toEqual([
    ...["one:s1", "other:s1"],
    { "scorel.seen.one": '{"since":1,"sessions":{}}' },
  ]);
  for (const { client } of [one, other]) await client.close();
});

it("a list of hosts that was asked for before another one is not shown after it", async () => {
  asBrowser("http://127.0.0.1:1/");
  const { Devices } = await import("../../../plugins/web/page/host/devices.ts");
  const answers: ((devices: KnownDevice[]) => void)[] = [];
  const read = () => new Promise<KnownDevice[]>((resolve) => answers.push(resolve));
  const own = { id: "", address: "http://127.0.0.1:1/", kept: keptNowhere, sessions: { projects: new Store([]) } };
  const devices = new Devices(own as never, { ...listInMemory(), read });
  const reads = [devices.read(), devices.read()];
  const [first, second] = answers;
  second?.([]);
  await reads[1];
  first?.([{ id: "d1", name: "removed", address: "ws://127.0.0.1:1" }]);
  await reads[0];
  expect(devices.others.get()).toEqual([]);
});
