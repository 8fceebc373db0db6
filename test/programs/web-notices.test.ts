import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { writeSession } from "../bench/terminal-stage.ts";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage, hostClient } from "./browser.ts";

const failing = `export default {
  id: "failing", name: "Failing", version: "1.0.0",
  async onEvent(event) {
    if (event.type === "turn_start") throw new Error("no luck\\u001b[31m today");
  },
};`;

itWith("chromium", "the page says what failed, and what is wrong with a log, until it is hidden", async () => {
  await using t = await browserStage([text("An answer."), text("Another answer.")]);
  t.s.file("~/.scorel/extensions/failing.ts", failing);
  t.s.file("~/.scorel/extensions/broken.ts", "throw new Error('never loads');");
  await t.s.run(["-p", "a question"]);
  const damaged = writeSession(t.s.home, 2);
  const log = join(t.s.home, ".scorel/sessions", `${damaged}.jsonl`);
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.with(3, "this is no event").join("\n"));

  const page = await t.open();
  await page.getByRole("link", { name: /a question/ }).click();
  const notices = page.getByRole("region", { name: "Notices" });
  await notices
    .getByRole("list")
    .getByText(/never loads/)
    .waitFor();
  expect(await barriers(page, "notices")).toEqual([]);
  // On a phone, the notices are one line, which expands at a tap.
  const before = page.viewportSize() as { width: number; height: number };
  await page.setViewportSize({ width: 360, height: 740 });
  const list = notices.getByRole("list");
  await list.waitFor({ state: "hidden" });
  expect((await notices.boundingBox())?.height).toBeLessThan(64);
  await notices.getByRole("button", { expanded: false }).click();
  await list.getByText(/never loads/).waitFor();
  await page.setViewportSize(before);
  await page.getByRole("button", { name: "Hide the notices" }).click();
  await notices.waitFor({ state: "detached" });

  await page.goto(`${t.address}/#/session/${damaged}`);
  await notices.getByRole("list").getByText("Warning: the session's log, line 4").waitFor();
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Again.");
  await page.keyboard.press("Control+Enter");
  await notices
    .getByRole("list")
    .getByText(/failing.*no luck/)
    .waitFor();
  await page.getByRole("log").getByText("Another answer.").waitFor();
  expect(
    await notices
      .getByRole("list")
      .getByText(/failing.*no luck/)
      .count(),
  ).toBe(1);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "one line says who else is here now, and disappears by itself", async () => {
  await using t = await browserStage([text("An answer.")]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open({ before: (opened) => opened.clock.install() });
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("log").getByText("An answer.").waitFor();
  const sessionId = /session\/([\w-]+)/.exec(page.url())?.[1] as string;
  const join = async (name: string) => {
    const client = await hostClient(t.s.home, name);
    await client.subscribe(sessionId, () => {});
    return client;
  };
  const line = page.locator(".presence:not(.stopped)");
  const bot = await join("bot");
  await line.getByText("Also here: bot.", { exact: true }).waitFor();
  const other = await join("other");
  await line.getByText("Also here: bot and other.", { exact: true }).waitFor();
  await other.close();
  await line.getByText("No longer here: other. Also here: bot.", { exact: true }).waitFor();
  await bot.close();
  await line.getByText("No longer here: bot.", { exact: true }).waitFor();
  await page.clock.fastForward(11_000);
  await expect.poll(() => line.textContent()).toBe("");
  expect(await page.getByRole("region", { name: "Notices" }).count()).toBe(0);
  expect(t.complaints).toEqual([]);
});
