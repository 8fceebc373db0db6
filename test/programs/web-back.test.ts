import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

itWith("chromium", "Back closes what covers the page, and then leads to the place before", async () => {
  await using t = await browserStage([text("One."), text("Two.")]);
  for (const question of ["first", "second"]) await t.s.run(["-p", question]);
  const page = await t.open(PHONE);
  const article = (name: string) => page.getByRole("article", { name });
  const menu = page.getByRole("button", { name: "Menu" });
  const choose = async (name: string) => {
    await menu.click();
    await page.getByRole("navigation").getByRole("link", { name }).click();
    await article(name).waitFor();
  };
  await choose("first");
  await choose("second");

  const details = page.getByRole("complementary", { name: "Details" });
  await page.getByRole("button", { name: "Details" }).click();
  await details.waitFor();
  await page.goBack();
  await details.waitFor({ state: "detached" });
  await article("second").waitFor();

  await menu.click();
  const drawer = page.getByRole("navigation", { name: "Sessions" });
  await drawer.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Keys", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  expect(await drawer.isVisible()).toBe(true);
  await drawer.getByRole("button", { name: "More" }).click();
  await page.getByRole("menu").waitFor();
  await page.goBack();
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await drawer.isVisible()).toBe(true);
  await page.goBack();
  await drawer.waitFor({ state: "hidden" });
  await article("second").waitFor();

  // Overlays that were closed in another way have left no entries.
  await page.getByRole("button", { name: "Details" }).click();
  await details.getByRole("button", { name: "Close" }).click();
  await details.waitFor({ state: "detached" });
  await isAtPlace(page);
  await page.goBack();
  await article("first").waitFor();
  expect(t.complaints).toEqual([]);
});

/** Waits until the current entry of the browser's history is that of a place. */
async function isAtPlace(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => history.state)).toBe(null);
}
