import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { type Reply, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const question = (page: Page) => page.getByRole("region", { name: "Your answer is needed" });
const pause = (page: Page, ms: number) =>
  page.evaluate((given) => new Promise((resolve) => setTimeout(resolve, given)), ms);

/** A page with a new session, in which a message was sent that is answered by a call that needs a permission. */
async function askingStage(replies: readonly Reply[], options: BrowserContextOptions = {}) {
  const t = await browserStage([text("An earlier answer."), ...replies]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open(options);
  await page.getByRole("link", { name: /an earlier question/ }).waitFor({ state: "attached" });
  await page.evaluate((directory) => location.assign(`#/new/${encodeURIComponent(directory)}`), t.s.project);
  await field(page).fill("Make a file.");
  await page.keyboard.press("Control+Enter");
  await question(page).waitFor();
  return { t, page, conversation: page.getByRole("log"), [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

itWith("chromium", "a number answers a long question when its end has been on the screen for a moment", async () => {
  const command = `touch made.txt\n${"# a remark\n".repeat(60)}echo end`;
  await using stage = await askingStage([toolCall("Bash", { command }), text("It is made.")], {
    viewport: { width: 1280, height: 900 },
  });
  const { t, page, conversation } = stage;
  const ready = question(page).locator(".key:not([data-early])");
  const length = question(page).getByRole("note");
  await ready.first().waitFor();
  expect(await length.textContent()).toMatch(/^6\d lines, \d+ characters\. The end is below: scroll to see it\.$/);
  await pause(page, 1_100);
  await page.keyboard.press("1");
  await question(page).getByText("Its end had not been on the screen.").waitFor();
  await expect.poll(() => length.textContent()).toMatch(/^6\d lines, \d+ characters\.$/);
  expect(existsSync(join(t.s.project, "made.txt"))).toBe(false);
  await ready.first().waitFor();
  await page.keyboard.press("1");
  await conversation.getByText("It is made.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "digits that come too early for a question are not text for the empty field", async () => {
  await using stage = await askingStage([toolCall("Bash", { command: "touch made.txt" }), text("It is made.")]);
  const { t, page, conversation } = stage;
  const badges = question(page).locator(".key");
  await field(page).focus();
  for (const digit of ["1", "1", "9", "1"]) {
    await page.keyboard.press(digit);
    await pause(page, 50);
  }
  expect({ text: await field(page).inputValue(), badges: (await badges.count()) > 0 }).toEqual({
    text: "",
    badges: true,
  });
  await question(page).locator(".key:not([data-early])").first().waitFor();
  await pause(page, 1_100);
  await page.keyboard.press("1");
  await conversation.getByText("It is made.").waitFor();
  expect([await field(page).inputValue(), existsSync(join(t.s.project, "made.txt"))]).toEqual(["", true]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "Enter after a reason answers no with it", async () => {
  await using stage = await askingStage([toolCall("Bash", { command: "touch made.txt" }), text("Then not.")]);
  const { t, page, conversation } = stage;
  const reason = question(page).getByRole("textbox", { name: "Reason for no (optional)", exact: true });
  await reason.fill("The folder is not mine.");
  await reason.press("Enter");
  await conversation.getByText("Then not.").waitFor();
  expect(t.s.logs().some((path) => readFileSync(path, "utf8").includes("The folder is not mine."))).toBe(true);
  expect([await question(page).count(), existsSync(join(t.s.project, "made.txt"))]).toEqual([0, false]);
  expect(t.complaints).toEqual([]);
});
