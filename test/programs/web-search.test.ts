import type { Page } from "playwright-core";
import { expect } from "vitest";
import { FIRST_QUESTION, writeSession } from "../bench/terminal-stage.ts";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage } from "./browser.ts";

const rowsIn = (page: Page) => page.getByRole("region", { name: "In conversations" }).getByRole("link");

/** Whether a marked match is visible, roughly in the middle third. */
const isInSight = (page: Page, words: string) =>
  page.getByRole("log").evaluate((log, wanted) => {
    const entry = log.querySelector("[data-found]");
    if (!entry?.textContent?.includes(wanted)) return `not marked: ${entry?.textContent}`;
    const [outer, inner] = [log.getBoundingClientRect(), entry.getBoundingClientRect()];
    return inner.bottom > outer.top && inner.top < outer.bottom ? "in sight" : "out of sight";
  }, words);

itWith("chromium", "words are found in all conversations, and a found message is shown and marked", async () => {
  await using t = await browserStage([
    text("The heron stands   in the reeds."),
    toolCall("Bash", { command: "echo a heron too" }),
    text("Nothing of that kind."),
  ]);
  await t.s.run(["-p", "the first bird"]);
  await t.s.run(["-p", "the second bird", "--yes"]);
  const page = await t.open();
  await page.getByRole("link", { name: /the first bird/ }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("a HERON");
  await expect.poll(() => rowsIn(page).count()).toBe(2);
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("heron");
  await expect.poll(() => rowsIn(page).count()).toBe(3);
  expect((await rowsIn(page).allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
    "the second bird now Bash: echo a heron too",
    "the second bird now Bash: a heron too",
    "the first bird now Reply: The heron stands in the reeds.",
  ]);
  expect(await rowsIn(page).last().locator("mark").allInnerTexts()).toEqual(["heron"]);
  expect(await barriers(page, "search")).toEqual([]);

  // The check of barriers has moved the focus.
  await page.getByRole("searchbox", { name: "Search sessions" }).focus();
  await page.keyboard.press("ArrowDown");
  expect(
    await rowsIn(page)
      .first()
      .evaluate((row) => row === document.activeElement),
  ).toBe(true);
  await page.keyboard.press("ArrowUp");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  for (let row = 0; row < 3; row++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => isInSight(page, "The heron stands")).toBe("in sight");
  expect(await page.getByRole("button", { name: "Jump to the end" }).count()).toBe(0);
  expect(page.url()).toMatch(/#\/session\/[\w-]+$/);
  const shown = page.url();
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("no such words");
  // The host has not answered yet, so the messages with the words before are still listed.
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "In conversations" }).getByText("Nothing found.").waitFor();
  expect(page.url()).toBe(shown);
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "earlier messages are loaded while somebody stays at the top, who continues to read at the same place",
  async () => {
    await using t = await browserStage([]);
    await t.s.run(["project", "add", t.s.project]);
    writeSession(t.s.home, 600);
    const page = await t.open();
    await page.locator('a[href^="#/session/"]').first().click();
    const log = page.getByRole("log");
    /** The number of the first visible question. */
    const first = () =>
      log.evaluate((scroller) => {
        const edge = scroller.getBoundingClientRect().top;
        for (const entry of scroller.querySelectorAll(".entry")) {
          const number = /Question (\d+):/.exec(entry.textContent ?? "")?.[1];
          if (number !== undefined && entry.getBoundingClientRect().bottom > edge) return Number(number);
        }
        return Number.POSITIVE_INFINITY;
      });
    const height = () => log.evaluate(({ scrollHeight }) => scrollHeight);
    await expect.poll(first).toBeLessThan(2_400);
    // Not with the key Home, whose scrolling may continue after new rows were inserted.
    const toBegin = () =>
      log.evaluate((scroller) => {
        scroller.dispatchEvent(new WheelEvent("wheel"));
        scroller.scrollTop = 0;
      });
    // 100 questions are loaded at a time, and their numbers rise by four.
    for (let begin = 2_000; begin > 0; begin -= 400) {
      const tall = await height();
      await toBegin();
      await expect.poll(height).toBeGreaterThan(tall);
      // The list draws the visible rows one frame after it was scrolled.
      await expect.poll(async () => Math.abs((await first()) - begin)).toBeLessThan(20);
    }
    // The list may still correct its position after it has measured new rows, so one scroll may end short of the
    // beginning.
    await expect
      .poll(async () => {
        await toBegin();
        return log.getByText(FIRST_QUESTION).isVisible();
      })
      .toBe(true);
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "a message far back in a long conversation is fetched and shown, again and again", async () => {
  await using t = await browserStage([]);
  await t.s.run(["project", "add", t.s.project]);
  const sessionId = writeSession(t.s.home, 600);
  const page = await t.open();
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("question 28: why");
  await rowsIn(page).first().waitFor();
  const row = rowsIn(page).first();
  await row.click();
  await expect.poll(() => isInSight(page, "Question 28:")).toBe("in sight");
  await page.getByRole("button", { name: "↓" }).click();
  await expect.poll(() => isInSight(page, "Question 28:")).not.toBe("in sight");
  await row.click();
  await expect.poll(() => isInSight(page, "Question 28:")).toBe("in sight");
  expect(page.url()).toContain(sessionId);
  expect(t.complaints).toEqual([]);
});
