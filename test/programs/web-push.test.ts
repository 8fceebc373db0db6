import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage, hostClient } from "./browser.ts";

/** A push service on this computer, with the paths of its requests. */
async function pushService(): Promise<AsyncDisposable & { origin: string; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Runs in the page before its scripts: subscribes at the test's service, since the browser's own one is not on this
 * computer.
 */
function subscribeAt(origin: string) {
  const all = globalThis as any;
  const subscription = {
    endpoint: `${origin}/to/this-browser`,
    unsubscribe: async () => {
      all.localStorage.removeItem("test.pushed");
      return true;
    },
  };
  all.PushManager.prototype.subscribe = async ({ applicationServerKey }: { applicationServerKey: string }) => {
    all.localStorage.setItem("test.pushed", applicationServerKey);
    return subscription;
  };
  all.PushManager.prototype.getSubscription = async () =>
    all.localStorage.getItem("test.pushed") === null ? null : subscription;
}

/** The notifications that the worker shows. */
const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = (await registration.getNotifications()) as (Notification & { renotify: boolean })[];
    return all.map(({ title, body, tag, silent, renotify }) => ({ title, body, tag, silent, renotify }));
  });

/** When the notifications were shown, in milliseconds since 1970. */
const times = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(
      (shown) => (shown as Notification & { timestamp: number }).timestamp,
    );
  });

itWith(
  "chromium",
  "a browser is pushed to while its page is closed, and the question waits for its answer",
  async () => {
    await using service = await pushService();
    await using t = await browserStage([toolCall("Bash", { command: "touch made.txt" }), text("It is made.")], {
      full: true,
      more: `\n[web]\npushServices = ["${service.origin}"]\n`,
    });
    const client = await hostClient(t.s.home, "writer");
    const { sessionId } = await client.request("create_session", {
      cwd: t.s.project,
      name: "Secret",
      permission: "ask",
    });
    const page = await t.open({
      permissions: ["notifications"],
      before: (page) => page.addInitScript(subscribeAt, service.origin),
    });
    await page.getByRole("link", { name: /^Secret/ }).click();
    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.getByRole("button", { name: "Waiting" }).click();
    await page.getByRole("button", { name: "Notify me…" }).click();
    await page.getByRole("checkbox", { name: "Also while no page is open" }).check();
    const stored = () => JSON.parse(readFileSync(join(t.s.home, ".scorel/host/push.json"), "utf8"));
    await eventually(() => expect(stored().subscriptions).toHaveLength(1));
    const key = await page.evaluate(() => localStorage.getItem("test.pushed"));
    expect(Buffer.from(key ?? "", "base64url")).toHaveLength(65);
    expect(await barriers(page, "pushes")).toEqual([]);
    await page.keyboard.press("Escape");

    // No page shows the session when the question arrives.
    const other = await page.context().newPage();
    await other.goto(`${t.address}/page/icon.svg`);
    await page.close();
    await client.request("send_message", { sessionId, content: "Make it." });
    // A page that disappears without signing off counts as visible for a minute.
    await expect.poll(() => service.paths, { timeout: 90_000 }).toEqual(["POST /to/this-browser"]);
    const { requests } = await client.request("list_requests", { sessionId });
    expect(requests).toHaveLength(1);

    // The notification names nothing of the session, and opens the page.
    const devtools = await other.context().newCDPSession(other);
    const registered = new Promise<string>((resolve) =>
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [first] = registrations;
        if (first) resolve(first.registrationId);
      }),
    );
    await devtools.send("ServiceWorker.enable");
    const registrationId = await registered;
    const deliver = () =>
      devtools.send("ServiceWorker.deliverPushMessage", { origin: t.address, registrationId, data: "" });
    const body = "A session waits for you, or has ended its work.";
    const pushed = { title: "Scorel", body, tag: "scorel.pushed", silent: false, renotify: true };
    // Again if it is not shown: a busy Chromium now and then drops a push that arrives while it stops the worker.
    await eventually(async () => {
      await deliver();
      await expect.poll(() => shown(other), { timeout: 5_000 }).toEqual([pushed]);
    });
    const since = await times(other);

    // A later one is about something else, so it is announced, too, also if the first is still there.
    await deliver();
    await eventually(async () => expect((await times(other))[0]).toBeGreaterThan(since[0] as number));
    expect(await shown(other)).toEqual([pushed]);

    // Signing out ends the subscription.
    const again = await other.context().newPage();
    await again.addInitScript(subscribeAt, service.origin);
    await again.goto(await t.link());
    await again.getByRole("link", { name: /^Secret/ }).waitFor();
    await eventually(async () => expect(await shown(again)).toEqual([]));
    await again.getByRole("button", { name: "More" }).click();
    await again.getByRole("menuitem", { name: "Sign out" }).click();
    await eventually(() => expect(stored().subscriptions).toEqual([]));
    await again.getByRole("heading", { name: "Open this page with a link" }).waitFor();
    expect(await again.evaluate(() => localStorage.getItem("test.pushed"))).toBe(null);
    await client.close();
    expect(t.complaints).toEqual([]);
  },
  180_000,
);
