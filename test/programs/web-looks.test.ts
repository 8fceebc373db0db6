import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

itWith("chromium", "nothing scrolls that need not, and a phone keeps its room for the conversation", async () => {
  await using t = await browserStage([text("An answer.")]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await page.getByRole("button", { name: "Begin a session in project" }).click();
  await page.getByRole("article", { name: "New session" }).waitFor();
  await page.getByRole("link", { name: "a question" }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  const tabs = page.getByRole("tablist", { name: "Details" });
  await page.getByRole("button", { name: "Details" }).click();
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await field.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0);
    expect(await tabs.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
  await page.getByRole("complementary", { name: "Details" }).getByRole("button", { name: "Close" }).click();
  const mode = page.getByLabel("Permission mode");
  expect(await mode.isVisible()).toBe(false);
  expect((await page.locator(".status").boundingBox())?.height).toBeLessThan(60);
  await page.locator(".status-fold").click();
  await mode.waitFor();
  expect(t.complaints).toEqual([]);
});
