import type { Page } from "playwright-core";
import { expect } from "vitest";
import { delayUntil, gate, text, wait } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const paragraphs = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}\n\n`);

/** A page whose view follows a reply that has begun, and goes on for a while when `more` is opened. */
async function streaming() {
  const more = gate();
  const reply = [
    text(paragraphs("first", 80).join("")),
    delayUntil(more.promise),
    ...paragraphs("second", 40).flatMap((paragraph) => [text(paragraph), wait(20)]),
    text("The end."),
  ];
  const t = await browserStage([text("An earlier answer."), reply]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await page.getByRole("link", { name: /an earlier question/ }).waitFor({ state: "attached" });
  await page.evaluate((directory) => location.assign(`#/new/${encodeURIComponent(directory)}`), t.s.project);
  await field(page).fill("Go.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("first 79", { exact: true }).waitFor();
  return { t, page, more, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

itWith("chromium", "a menu stays open while a reply grows", async () => {
  await using stage = await streaming();
  const { t, page, more } = stage;
  await page
    .locator(".chat-head")
    .getByRole("button", { name: /^(More|Actions)/ })
    .click();
  const menu = page.getByRole("menu");
  await menu.waitFor();
  more.open();
  await page.getByRole("log").getByText("The end.").waitFor();
  expect(await menu.isVisible()).toBe(true);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the view no longer follows a reply when somebody scrolls up a little", async () => {
  await using stage = await streaming();
  const { t, page, more } = stage;
  const scroller = page.locator(".scroller");
  const above = () => scroller.evaluate(({ scrollTop }) => scrollTop);
  await scroller.hover();
  const end = await above();
  await page.mouse.wheel(0, -40);
  await expect.poll(above).toBe(end - 40);
  more.open();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  expect(await above()).toBe(end - 40);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the field says that Enter queues, and no time is counted without the host", async () => {
  await using stage = await streaming();
  const { t, page, more } = stage;
  const state = page.locator(".status > [role=status]");
  expect(await field(page).getAttribute("placeholder")).toBe("What should be done next? Enter queues it.");
  await expect.poll(() => state.textContent()).toMatch(/^answering \d+ s$/);
  t.network.refuse(true);
  await expect.poll(() => state.textContent()).toBe("");
  t.network.refuse(false);
  more.open();
  await page.getByRole("log").getByText("The end.").waitFor();
});

itWith("chromium", "the list of commands closes when the mark of the command is removed", async () => {
  await using stage = await streaming();
  const { t, page } = stage;
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await field(page).focus();
  await page.keyboard.press("/");
  await list.waitFor();
  await page.keyboard.press("Backspace");
  await list.waitFor({ state: "detached" });
  expect(await field(page).inputValue()).toBe("");
  expect(t.complaints).toEqual([]);
});
