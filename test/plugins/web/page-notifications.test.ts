import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Device } from "../../../plugins/web/page/host/device.ts";
import type { OtherDevice } from "../../../plugins/web/page/host/devices.ts";
import type { ProjectRow } from "../../../plugins/web/page/host/session-list.ts";
import { Store } from "../../../plugins/web/page/store.ts";
import { wordsOf } from "../../../plugins/web/page/words/words.ts";

/** The tags of the notifications that the browser shows. */
let shown: Set<string>;

// The page looks once, when it is loaded, at what the browser supports.
beforeEach(() => {
  vi.resetModules();
  shown = new Set();
  class TestNotification {
    static permission = "granted";
    private readonly tag: string;

    constructor(_title: string, { tag }: { tag: string }) {
      this.tag = tag;
      shown.add(tag);
    }

    close() {
      shown.delete(this.tag);
    }
  }
  vi.stubGlobal("Notification", TestNotification);
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: true }));
  vi.stubGlobal("location", new URL("http://127.0.0.1/"));
  vi.stubGlobal("localStorage", { getItem: (key: string) => (key === "scorel.notifications" ? "on" : null) });
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  for (const name of ["addEventListener", "removeEventListener"]) vi.stubGlobal(name, () => {});
});
afterEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
});

/** A device, and how to let some of its sessions wait. */
function testDevice(id: string) {
  const projects = new Store<readonly ProjectRow[]>([]);
  const keyOf = (name: string) => `${id} ${name}`;
  const device = { id, keyOf, sessions: { hasBegun: true, projects } } as unknown as Device;
  const wait = (...sessionIds: string[]) => {
    const sessions = sessionIds.map((sessionId) => ({ sessionId, questions: ["select"] }));
    projects.set([{ id: "p", name: "p", directory: "/p", sessions }] as unknown as ProjectRow[]);
  };
  return { device, wait };
}

it("the notifications of a device end with it, and not when the list of devices is read again", async () => {
  const { notifyOfWaiting } = await import("../../../plugins/web/page/waiting/notifications.ts");
  const [own, box] = [testDevice("own"), testDevice("box")];
  const others = new Store<readonly OtherDevice[]>([]);
  const connected = () => [own.device, ...others.get().flatMap(({ device }) => device ?? [])];
  const end = notifyOfWaiting({ others, connected }, wordsOf(["en"]).words);
  const become = (device?: Device) => others.set([{ id: "box", name: "box", address: "", device }]);
  const steps: [string, () => void][] = [
    ["a session waits", () => own.wait("a")],
    ["another device is connected", () => become(box.device)],
    ["a session of it waits", () => box.wait("b")],
    ["the list is read again", () => become(box.device)],
    ["another session waits", () => own.wait("a", "c")],
    ["somebody has answered", () => own.wait("c")],
    ["the other device is gone", () => become()],
    ["the page ends", end],
  ];
  const seen = steps.map(([what, happen]) => {
    happen();
    return [what, ...shown];
  });
  expect(seen).toEqual([
    ["a session waits", "scorel.own a"],
    ["another device is connected", "scorel.own a"],
    ["a session of it waits", "scorel.own a", "scorel.box b"],
    ["the list is read again", "scorel.own a", "scorel.box b"],
    ["another session waits", "scorel.own a", "scorel.box b", "scorel.own c"],
    ["somebody has answered", "scorel.box b", "scorel.own c"],
    ["the other device is gone", "scorel.own c"],
    ["the page ends"],
  ]);
});
