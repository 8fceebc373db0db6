import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage } from "./browser.ts";

/** Opens the palette, searches for a command, and runs it. */
async function find(page: Page, wanted: string): Promise<void> {
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Find a session or an action" });
  await palette.waitFor();
  await page.keyboard.type(wanted);
  // Some commands appear only after the host has answered.
  await palette.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
}

itWith(
  "chromium",
  "a person opens a session, writes, answers, goes back and renames by the keyboard alone",
  async () => {
    await using t = await browserStage([
      text("An earlier answer."),
      text("Another answer."),
      toolCall("Bash", { command: "touch made.txt" }),
      text("It is made."),
    ]);
    await t.s.run(["-p", "the first question"]);
    await t.s.run(["-p", "another question"]);
    const page = await t.open();
    const conversation = page.getByRole("log");
    await page.getByRole("link", { name: /the first question/ }).waitFor();
    await find(page, "frst ques");
    await conversation.getByText("An earlier answer.").waitFor();

    await page.keyboard.press("j");
    await conversation.getByText("Another answer.").waitFor();
    await page.keyboard.press("k");
    await conversation.getByText("An earlier answer.").waitFor();
    await find(page, "mode ask");
    await expect.poll(() => page.getByLabel("Permission mode").inputValue()).toBe("ask");
    await page.keyboard.press("i");
    await page.keyboard.type("jk? n1 w: make it");
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    expect(await field.inputValue()).toBe("jk? n1 w: make it");
    await page.keyboard.press("Control+Enter");
    const question = page.getByRole("region", { name: "Your answer is needed" });
    await question.getByText("$ touch made.txt").waitFor();
    await question
      .getByRole("button", { name: "yes, this once" })
      .and(page.locator("[aria-keyshortcuts='1']"))
      .waitFor();
    expect(await question.getByRole("button", { name: "yes, this once" }).locator(".key").isVisible()).toBe(true);
    await page.keyboard.press("F6");
    expect(await question.evaluate((section) => section === document.activeElement)).toBe(true);
    await page.keyboard.press("1");
    await question.waitFor({ state: "detached" });
    await conversation.getByText("It is made.").waitFor();
    expect(existsSync(join(t.s.project, "made.txt"))).toBe(true);

    await find(page, "go back last");
    const rewind = page.getByRole("dialog", { name: "Go back to before this message" });
    await rewind.getByRole("button", { name: "Only the conversation" }).and(page.locator(":enabled")).waitFor();
    for (let tabs = 0; tabs < 10; tabs++) {
      if ((await page.evaluate(() => document.activeElement?.textContent)) === "Only the conversation") break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await expect.poll(() => conversation.getByText("It is made.").count()).toBe(0);
    await expect.poll(() => field.inputValue()).toBe("jk? n1 w: make it");

    await find(page, "rename");
    await page.getByRole("dialog", { name: "Rename the session" }).waitFor();
    await page.keyboard.type("Named by keys");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Named by keys" }).waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "keys are listed, can be switched off, and never act in a field", async () => {
  await using t = await browserStage([text("An answer.")]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open();
  await page.getByRole("link", { name: /a question/ }).waitFor();
  const help = page.getByRole("dialog", { name: "Keys" });
  const search = page.getByRole("searchbox", { name: "Search sessions" });
  await search.focus();
  await page.keyboard.type("?jkwni1");
  expect(await search.inputValue()).toBe("?jkwni1");
  expect(await help.count()).toBe(0);
  await search.fill("");
  await page.keyboard.press("F6");
  await page.keyboard.press("?");
  await help.getByText("next session, previous session").waitFor();
  expect(await barriers(page, "help")).toEqual([]);
  await help.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  // The browser leaves the entry of the dialog in its history a moment later, and would give up a reload that begins before.
  await expect.poll(() => page.evaluate(() => history.state?.overlay)).toBeUndefined();
  await page.reload();
  await page.getByRole("link", { name: /a question/ }).waitFor();
  await page.keyboard.press("w");
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Find a session or an action" });
  await palette.getByRole("option").first().waitFor();
  expect(await barriers(page, "palette")).toEqual([]);
  expect(await help.count()).toBe(0);
  await page.keyboard.type("nothing like it");
  await palette.getByText("Nothing found.").waitFor();
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await find(page, "Keys");
  await help.waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "letters outside of fields begin a message, and Esc closes the details", async () => {
  await using t = await browserStage([text("An answer.")]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("log").getByText("An answer.").waitFor();
  const button = page.getByRole("button", { name: "Details", exact: true });
  const panel = page.getByRole("complementary", { name: "Details" });
  await button.click();
  await panel.waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await button.click();
  await panel.getByRole("tabpanel").click();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);

  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("Now: ");
  await page.getByRole("main").focus();
  await page.keyboard.press("Control+b");
  await page.keyboard.type("also just this");
  expect(await field.inputValue()).toBe("Now: also just this");
  await page.getByRole("main").focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find a session or an action" }).waitFor();
  await page.keyboard.type("xyz");
  expect(await field.inputValue()).toBe("Now: also just this");
  expect(t.complaints).toEqual([]);
});
