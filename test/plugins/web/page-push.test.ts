import { afterEach, expect, it, vi } from "vitest";
import { gate } from "../../model-server.ts";

const emptyStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

afterEach(() => void vi.unstubAllGlobals());

/** A browser with the page of a host. `browser` and `host` have the subscriptions of each. */
async function page() {
  const browser = new Set<string>();
  const subscription = { endpoint: "https://push.example.org/abc", unsubscribe: async () => browser.delete("abc") };
  const pushManager = {
    subscribe: async () => {
      browser.add("abc");
      return subscription;
    },
    getSubscription: async () => (browser.has("abc") ? subscription : null),
  };
  for (const [name, value] of Object.entries({
    isSecureContext: true,
    PushManager: class {},
    Notification: { permission: "granted" },
    navigator: { platform: "", serviceWorker: { getRegistration: async () => ({ pushManager }) } },
    location: new URL("http://127.0.0.1:7777/"),
    sessionStorage: { ...emptyStorage, getItem: (key: string) => (key === "scorel.token" ? "a token" : null) },
    localStorage: emptyStorage,
    addEventListener: () => {},
  }))
    vi.stubGlobal(name, value);
  const host = new Set<string>();
  const answered = gate();
  const request = async (operation: string) => {
    if (operation === "get_push_key") return { key: "a key" };
    if (operation === "unsubscribe_push") return { ended: host.delete("id") };
    host.add("id");
    await answered.promise;
    return { id: "id" };
  };
  const push = await import("../../../plugins/web/page/waiting/push.ts");
  return { push, client: { request, state: { state: "live" } } as never, browser, host, answered };
}

it("no subscription stays if pushes are switched off while the host is asked for one", async () => {
  const { push, client, browser, host, answered } = await page();
  push.pushOn.set(true);
  const subscribing = push.subscribe({ client });
  await vi.waitUntil(() => host.size === 1);
  await push.unsubscribe({ client });
  answered.open();
  await subscribing;
  expect([push.pushId.get(), push.pushProblem.get(), [...browser], [...host]]).toEqual([undefined, undefined, [], []]);
});
