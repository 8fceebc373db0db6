import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

/** Opens the menu of a session or project, and runs one of its commands. */
async function choose(page: Page, menu: string, command: string): Promise<void> {
  await listed(page).getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: command, exact: true }).click();
}

function listed(page: Page): Locator {
  return page.getByRole("navigation", { name: "Sessions" });
}

itWith("chromium", "a session is renamed, exported, cloned, deleted and brought back", async () => {
  await using t = await browserStage([text("The **first** answer."), text("In the clone.")]);
  await t.s.run(["-p", "an early question"]);
  const page = await t.open();
  const link = (name: string) => listed(page).getByRole("link", { name });
  await link("an early question").click();
  await page.getByRole("log").getByText("The first answer.").waitFor();

  await choose(page, "Actions for an early question", "Rename");
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Named/here");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("article", { name: "Named/here" }).waitFor();

  const downloading = page.waitForEvent("download");
  await choose(page, "Actions for Named/here", "Export as Markdown");
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("Named-here.md");
  expect(readFileSync(await download.path(), "utf8")).toContain("The **first** answer.");

  const address = page.url();
  await choose(page, "Actions for Named/here", "Clone");
  await expect.poll(() => page.url()).not.toBe(address);
  await page.getByRole("log").getByText("The first answer.").waitFor();
  expect(await link("Named/here").count()).toBe(2);

  await listed(page).getByRole("button", { name: "Actions for Named/here" }).first().click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("“Named/here” is in the trash.").waitFor();
  await expect.poll(() => link("Named/here").count()).toBe(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => link("Named/here").count()).toBe(2);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a session that is deleted elsewhere says so, and each page can restore it", async () => {
  await using t = await browserStage([text("The only answer.")]);
  await t.s.run(["-p", "a question to delete"]);
  const page = await t.open();
  const link = listed(page).getByRole("link", { name: "a question to delete" });
  await link.click();
  await page.getByRole("log").getByText("The only answer.").waitFor();
  const [sessionId = ""] = /[\w-]+$/.exec(page.url()) ?? [];

  expect(await t.s.run(["session", "delete", sessionId])).toMatchObject({ code: 0 });
  await page.getByText("This session was deleted.").waitFor();
  expect(await link.count()).toBe(0);

  await page.reload();
  await page.getByText("This session was deleted.").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("log").getByText("The only answer.").waitFor();

  await choose(page, "Actions for a question to delete", "Delete");
  await page.getByText("This session was deleted.").waitFor();
  await choose(page, "More", "Deleted sessions");
  await page.getByRole("button", { name: "Restore a question to delete" }).click();
  await page.getByRole("log").getByText("The only answer.").waitFor();
  await link.waitFor();
  expect(t.complaints).toEqual([]);
});
