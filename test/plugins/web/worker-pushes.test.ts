import { afterEach, beforeEach, expect, it, vi } from "vitest";

const PAGE = "../../../plugins/web/page/waiting/worker-notification.ts";
/** Not imported by a constant path, since it is compiled with the types of service workers. */
const WORKER = "../../../plugins/web/worker/worker.ts";
const SCOPE = "http://127.0.0.1:7777/";

type Shown = NotificationLike & { close(): void };
interface NotificationLike {
  tag: string;
  body: string;
  silent?: boolean;
  data?: unknown;
}

beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** A browser with the worker of the page, and a page in the background. */
async function browser() {
  vi.useFakeTimers({ toFake: ["Date"] });
  const shown = new Map<string, Shown>();
  const registration = {
    scope: SCOPE,
    getNotifications: async ({ tag }: { tag?: string } = {}) =>
      [...shown.values()].filter((each) => tag === undefined || each.tag === tag),
    showNotification: async (_title: string, options: NotificationLike) => {
      shown.delete(options.tag);
      shown.set(options.tag, { ...options, close: () => void shown.delete(options.tag) });
    },
  };
  const listeners = new Map<string, (event: object) => void>();
  const got: unknown[] = [];
  const page = { url: SCOPE, postMessage: (message: unknown) => void got.push(message), focus: async () => {} };
  vi.stubGlobal("self", {
    registration,
    clients: { matchAll: async () => [page] },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
  });
  vi.stubGlobal("SCOREL_SHELL", { files: [], digest: "d" });
  const serviceWorker = { getRegistration: async () => registration };
  vi.stubGlobal("navigator", { language: "en", serviceWorker });
  await import(WORKER);
  const { WorkerNotification } = await import(PAGE);
  const happen = async (type: string, event: object = {}) => {
    let work: unknown;
    listeners.get(type)?.({ ...event, waitUntil: (given: unknown) => (work = given) });
    await work;
  };
  return {
    got,
    push: () => happen("push"),
    click: (tag: string) => happen("notificationclick", { notification: shown.get(tag) }),
    wait: async (tag: string, body: string, place: string) => {
      new WorkerNotification({ tag, body }, place);
      await vi.waitUntil(() => shown.get(tag)?.body === body);
    },
    pass: (ms: number) => vi.setSystemTime(Date.now() + ms),
    shown: () => [...shown.values()].map(({ tag, body, silent = false }) => ({ tag, body, silent })),
  };
}

const pushed = { tag: "scorel.pushed", body: "A session waits for you, or has ended its work.", silent: false };

it("a push repeats silently what a page in the background has just shown, and a click opens the place of that", async () => {
  const t = await browser();
  await t.wait("scorel.a", "A waits.", "#/session/a");
  await t.wait("scorel.b", "B waits.", "#/session/b");
  t.pass(6_000);
  await t.push();
  expect(t.shown()).toEqual([
    { tag: "scorel.a", body: "A waits.", silent: false },
    { tag: "scorel.b", body: "B waits.", silent: true },
  ]);
  await t.click("scorel.b");
  expect(t.got).toEqual([{ open: "#/session/b" }]);
});

it("a push is announced although a notification of a page still stands, as after the system has ended that page", async () => {
  const t = await browser();
  await t.wait("scorel.a", "A waits.", "#/session/a");
  t.pass(60_000);
  await t.push();
  expect(t.shown()).toEqual([{ tag: "scorel.a", body: "A waits.", silent: false }, pushed]);
  await t.click("scorel.pushed");
  expect([t.shown(), t.got]).toEqual([[{ tag: "scorel.a", body: "A waits.", silent: false }], []]);
});
