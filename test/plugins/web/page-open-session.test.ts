import type { RemoteClient, SessionView, ViewChange } from "@scorel/host/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Device } from "../../../plugins/web/page/host/device.ts";
import { ALL } from "../../../plugins/web/page/host/rights.ts";
import { OpenSession } from "../../../plugins/web/page/host/session.ts";

beforeEach(() => {
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("cancelAnimationFrame", () => {});
});
afterEach(() => void vi.unstubAllGlobals());

/** A session that this browser has stored, and that nothing happens in. */
const storedView = {
  ...{ sessionId: "s1", rows: [], live: [], queue: [], requests: [], status: { running: false, connection: "live" } },
  ...{ subscribe: () => () => {}, close: async () => {} },
} as unknown as SessionView;

it("a session that the host refused to open is released when it is left", async () => {
  const released: string[] = [];
  const asked: string[] = [];
  const client = { request: async (operation: string) => void asked.push(operation) } as unknown as RemoteClient;
  const device = { client, release: (id: string) => released.push(id) > 0 } as unknown as Device;
  const opened = Promise.reject(new Error("No such session: s1"));
  const session = new OpenSession(client, { view: storedView, opened }, ALL);
  await session.close(device);
  expect({ released, asked }).toEqual({ released: ["s1"], asked: ["close_session"] });
});

it.each([
  ["answers its questions again, if it may answer", true, ["attend_requests"]],
  ["asks for nothing, if it may not", false, []],
])("a page whose session was reloaded %s", (_what, answer, expected) => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  const asked: string[] = [];
  const client = { request: async (operation: string) => void asked.push(operation) } as unknown as RemoteClient;
  let hear: (change: ViewChange) => void = () => {};
  const subscribe = (listener: typeof hear) => {
    hear = listener;
    return () => {};
  };
  const view = { ...storedView, subscribe } as unknown as SessionView;
  new OpenSession(client, { view, opened: Promise.resolve(undefined) }, { ...ALL, answer });
  const event = { type: "session_start", seq: 1, sessionId: "s1", clientId: "host", ts: 1 };
  hear({ kind: "passing", delivered: { event, display: { display: "hidden" } } } as ViewChange);
  expect(asked).toEqual(expected);
});

it.each([
  ["an unanswered message", { display: "bubble", role: "user", text: "hi" }, { reason: "cancelled" }, true],
  [
    "a part of a reply",
    { display: "bubble", role: "assistant", text: "I", partial: true },
    { reason: "cancelled" },
    false,
  ],
  ["a turn that has ended by itself", { display: "bubble", role: "user", text: "hi" }, { reason: "completed" }, false],
])(
  "whether a turn was stopped without a trace is told by its end and what is shown: %s",
  (_what, display, end, isStopped) => {
    vi.stubGlobal("requestAnimationFrame", () => 1);
    let hear: (change: ViewChange) => void = () => {};
    const subscribe = (listener: typeof hear) => {
      hear = listener;
      return () => {};
    };
    const rows = [{ id: "e1", type: "message", active: true, event: {}, display }];
    const view = { ...storedView, rows, subscribe } as unknown as SessionView;
    const session = new OpenSession({} as RemoteClient, { view, opened: Promise.resolve(undefined) }, ALL);
    const event = { type: "runtime_end", seq: 1, sessionId: "s1", clientId: "host", ts: 1, ...end };
    hear({ kind: "passing", delivered: { event, display: { display: "hidden" } } } as ViewChange);
    expect(session.isStopped.get()).toBe(isStopped);
  },
);
