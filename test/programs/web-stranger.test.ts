import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage } from "./browser.ts";
import { Stranger } from "./stranger.ts";

const replies = [text("The first answer.\n\n```ts\nconst one = 1;\n```"), text("The second answer.")];
const warning = (page: Page) => page.getByText("What answers at this address has not proved that it is your host.");
const portOf = (t: BrowserStage) => Number(new URL(t.address).port);

/** The number of records that this browser has saved. */
function keptCount(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open("scorel");
        opening.onsuccess = () => {
          const counting = opening.result.transaction("texts").objectStore("texts").count();
          counting.onsuccess = () => {
            opening.result.close();
            resolve(counting.result);
          };
        };
      }),
  );
}

/** Opens a page that shows a session; returns the page and its token. */
async function pageWithSession(t: BrowserStage): Promise<{ page: Page; token: string }> {
  await t.s.run(["-p", "the first question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "the first question" }).click();
  await page.getByRole("log").getByText("const one = 1;").waitFor();
  await eventually(async () => expect(await keptCount(page)).toBe(2));
  // Reloads the page where no code is shown, so that the highlighter is not loaded yet.
  await page.goto(`${t.address}/#/`);
  await page.reload();
  await page.getByRole("link", { name: "the first question" }).waitFor();
  const token = await page.evaluate(() => sessionStorage.getItem("scorel.token") ?? "");
  expect(token).toMatch(/^scorel_/);
  return { page, token };
}

/** Checks that the page has greeted a stranger, and sent nothing that grants access. */
async function learnsNothing(stranger: Stranger, page: Page, token: string): Promise<void> {
  await eventually(() => expect(stranger.messages.length).toBeGreaterThan(0));
  const types = stranger.messages.map((each) => (JSON.parse(each) as { type: string }).type);
  expect([...new Set(types)]).toEqual(["prove"]);
  expect(stranger.heard.filter((each) => each.includes(token) || each.includes("secret"))).toEqual([]);
  await warning(page).waitFor();
}

/** Starts the host again on its port, and checks that the page reconnects by itself. */
async function goesOn(t: BrowserStage, page: Page): Promise<void> {
  const { code, stdout } = await t.s.run(["host", "serve", "--port", String(portOf(t))], { ownProcess: true });
  expect([code, stdout]).toEqual([0, expect.stringContaining(t.address)]);
  await warning(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Connect now" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "the first question" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("The second question.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("The second answer.").waitFor();
}

const welcome = {
  type: "welcome",
  protocol: 1,
  version: "9",
  instance: "i",
  clientId: "c",
  secret: "s",
  resumed: true,
};
const refused = { code: "GATEWAY_MESSAGE", message: "The host received a message that it does not understand." };

itWith("chromium", "who listens at the port of a host that has ended is not told the page's token", async () => {
  await using t = await browserStage(replies);
  const { page, token } = await pageWithSession(t);
  await t.s.run(["host", "stop"]);
  const answers: [string, object][] = [
    ["as a host of an earlier version", { type: "closing", error: refused, retry: false }],
    ["as if the proof had been given", welcome],
    ["with a proof that is none", { type: "proof", proof: "A".repeat(43) }],
  ];
  for (const [, answer] of answers) {
    await using stranger = await Stranger.at(portOf(t), () => answer);
    await page.getByRole("button", { name: "Connect now" }).click();
    await learnsNothing(stranger, page, token);
    // The page has loaded all scripts that it needs at its start, since later ones would come from the stranger.
    await page.getByRole("link", { name: "the first question" }).click();
    await page.getByRole("log").locator("code span").first().waitFor();
    await page.getByRole("link", { name: "New session in project" }).click();
    // The browser itself requests these at any time.
    expect(stranger.paths.filter((path) => !["/page/icon.svg", "/worker.js"].includes(path))).toEqual([]);
  }
  await goesOn(t, page);
});

itWith("chromium", "who passes everything on to the host at another port is not told the page's token", async () => {
  await using t = await browserStage(replies);
  const { page, token } = await pageWithSession(t);
  await t.s.run(["host", "stop"]);
  const elsewhere =
    /http:\/\/[\d.:]+/.exec((await t.s.run(["host", "serve", "--port", "0"], { ownProcess: true })).stdout)?.[0] ?? "";
  {
    await using stranger = await Stranger.relay(portOf(t), elsewhere);
    await page.getByRole("button", { name: "Connect now" }).click();
    await learnsNothing(stranger, page, token);
    expect(readFileSync(join(t.s.home, ".scorel/host/tokens.json"), "utf8")).toContain('"pages"');
  }
  await t.s.run(["host", "stop"]);
  await goesOn(t, page);
});
