import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { behindRelay } from "./behind-relay.ts";
import { type BrowserStage, browserStage, keysOf } from "./browser.ts";

/** A separate address, since the browser's connections to the usual one go to the host of the page. */
const BIND = ["--bind", "127.0.0.2"];

/** Another host with its own home and model, which accepts the page at this address. */
async function otherHost(origin: string) {
  const s = scratch();
  const model = await startModelServer([
    text("The answer there."),
    toolCall("Write", { file_path: "there.txt", content: "Hello.\n" }),
    text("Written there."),
  ]);
  s.useModel(model.baseUrl, `\n[web-server]\npages = ["${origin}"]\n`);
  const served = await s.run(["host", "serve", "--port", "0", ...BIND]);
  const [, port = ""] = /http:\/\/127\.0\.0\.2:(\d+)/.exec(served.stdout) ?? [];
  return {
    s,
    address: `ws://127.0.0.2:${port}`,
    port,
    token: async (scope: string) => {
      await s.run(["host", "token", "rotate", "page-elsewhere", "--scope", scope]);
      return readFileSync(join(s.home, ".scorel/host/page-elsewhere.token"), "utf8").trim();
    },
    stop: () => s.run(["host", "stop"]),
    serve: () => s.run(["host", "serve", "--port", port, ...BIND]),
    async [Symbol.asyncDispose]() {
      await s.run(["host", "stop"]);
      await model.close();
      s[Symbol.dispose]();
    },
  };
}

const listed = (page: Page) => page.getByRole("region", { name: "Devices" });

/** Adds a device in the dialog of the page. */
async function add(page: Page, { name, address, token }: { name: string; address: string; token: string }) {
  await page.getByRole("button", { name: "More" }).first().click();
  await page.getByRole("menuitem", { name: "Add a device" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a device" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Address").fill(address);
  await dialog.getByLabel("Token").fill(token);
  await dialog.getByRole("button", { name: "Add a device" }).click();
  return dialog;
}

itWith("chromium", "another host is added, used, missed, renamed and removed, beside the page's own", async () => {
  await using t = await browserStage([text("The answer here.")]);
  await using other = await otherHost(t.address);
  await t.s.run(["-p", "a question here"]);
  await other.s.run(["-p", "a question there"]);
  const page = await t.open();

  const refused = await add(page, { name: "there", address: `${other.address}/?token=secret`, token: "secret" });
  await refused.getByRole("alert").getByText("Leave the token, user and password out of the address.").waitFor();
  expect(await barriers(page, "a device is added")).toEqual([]);
  await page.keyboard.press("Escape");
  await add(page, { name: "there", address: other.address, token: await other.token("admin") });
  await listed(page).getByRole("link", { name: "there" }).getByText("connected").waitFor();
  await listed(page).getByRole("link", { name: "This host" }).getByText("connected").waitFor();

  expect(await barriers(page, "a list of devices")).toEqual([]);
  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  expect(await page.getByRole("link", { name: "a question here" }).count()).toBe(0);
  await page.getByLabel("Permission mode").focus();
  await page.getByLabel("Permission mode").selectOption("ask");
  await page.getByRole("textbox", { name: "Message" }).fill("Write a file.");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("region", { name: /question|Question/ })
    .first()
    .waitFor();

  // A question of the other host can be answered in the list of open questions on the page of this host.
  await listed(page).getByRole("link", { name: "This host" }).click();
  await page.getByRole("link", { name: "a question here" }).click();
  await page.getByRole("log").getByText("The answer here.").waitFor();
  await page.getByRole("button", { name: "1 waiting" }).click();
  const waiting = page.getByRole("dialog").getByRole("list", { name: "there" });
  await waiting.getByRole("button", { name: "yes, this once" }).click();
  await page.keyboard.press("Escape");
  await eventually(() => expect(readFileSync(join(other.s.project, "there.txt"), "utf8")).toBe("Hello.\n"));

  await eventually(async () => expect((await keysOf(page)).filter((key) => key.includes(other.port))).toHaveLength(2));
  await other.stop();
  await listed(page).getByRole("link", { name: "there" }).getByText("away").waitFor();
  await listed(page).getByRole("link", { name: "there" }).click();
  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  await other.serve();
  await listed(page).getByRole("link", { name: "there" }).getByText("connected").waitFor();

  await listed(page).getByRole("button", { name: "Actions for there" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("the builder");
  await page.keyboard.press("Enter");
  await listed(page).getByRole("link", { name: "the builder" }).waitFor();
  await listed(page).getByRole("button", { name: "Actions for the builder" }).click();
  await page.getByRole("menuitem", { name: "Remove from this page" }).click();
  await listed(page).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "a question here" }).waitFor();
  expect((await keysOf(page)).filter((key) => key.includes(other.port))).toEqual([]);
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("scorel.token."))),
  ).toEqual([]);
});

itWith("chromium", "a token that the other host does not know opens nothing, and says so", async () => {
  await using t: BrowserStage = await browserStage([]);
  await using other = await otherHost(t.address);
  const page = await t.open();
  await add(page, { name: "there", address: other.address, token: `scorel_${"x".repeat(43)}` });
  await page.getByText("has not proved that it is your host").waitFor();
  await page.getByRole("link", { name: "Back to this host" }).click();
  await listed(page).getByRole("link", { name: "there" }).getByText("identity not proved").waitFor();
});

itWith(
  "chromium",
  "a device that is also paired through a relay is one entry, and is reached there when its address fails",
  async () => {
    await using t = await browserStage([]);
    await using other = await otherHost(t.address);
    await using r = await behindRelay();
    await other.s.run(["-p", "a question there"]);
    const page = await t.open();
    await add(page, { name: "there", address: other.address, token: await other.token("admin") });
    const entry = listed(page).getByRole("link", { name: "there" }).getByText("connected");
    await entry.waitFor();

    const offering = other.s.start(["--preset", "none", "pair", "--relay", r.address, "--yes"], { open: true });
    const link = (await offering.line((line) => line.includes("#pair="))).trim();
    await page.goto(`${t.address}/${link}`);
    await page.getByRole("dialog").getByRole("button", { name: "Pair", exact: true }).click();
    await offering.finished;
    await entry.waitFor();
    await eventually(async () => expect(await listed(page).getByRole("link").count()).toBe(2));

    // Only the direct connection is cut; the page remembers that the relay is another way.
    await page.routeWebSocket(new RegExp(`127\\.0\\.0\\.2:${other.port}/`), (socket) => socket.close());
    await page.goto(`${t.address}/`);
    await entry.waitFor();
    expect(await listed(page).getByRole("link").count()).toBe(2);
    await listed(page).getByRole("link", { name: "there" }).click();
    await page.getByRole("link", { name: "a question there" }).click();
    await page.getByRole("log").getByText("The answer there.").waitFor();
  },
);
