import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { delayUntil, gate, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const question = (page: Page) => page.getByRole("region", { name: "Your answer is needed" });
const hasKeyboard = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

/** Opens the form for a new session. */
async function newSession(page: Page): Promise<void> {
  await page.getByRole("link", { name: "New session in project" }).click();
  await field(page).waitFor();
}

itWith("chromium", "what is typed while a new session begins goes into its field, and answers nothing", async () => {
  const held = gate();
  await using t = await browserStage([
    text("An earlier answer."),
    [delayUntil(held.promise), toolCall("Bash", { command: "touch made.txt" })],
    text("It is made."),
  ]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await newSession(page);
  await page.keyboard.type("Make a file.");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type("now 1 ");
  await page.getByRole("log").getByText("Make a file.").waitFor();
  await page.keyboard.type("next 1");
  held.open();
  await question(page).waitFor();
  await page.keyboard.type("1");
  expect(await field(page).inputValue()).toBe("now 1 next 11");
  expect(await hasKeyboard(page)).toBe("Message");
  expect(existsSync(join(t.s.project, "made.txt"))).toBe(false);

  await page.getByRole("link", { name: "New session in project" }).click();
  await field(page).fill("Never sent.");
  await page.goBack();
  await page.getByRole("log").getByText("Make a file.").waitFor();
  await expect.poll(() => hasKeyboard(page)).toBe("Message");
  await page.goForward();
  expect(await field(page).inputValue()).toBe("Never sent.");
  expect(t.complaints).toEqual([]);
});

/** Holds back the next request of a page with this text. Returns a function that sends it. */
async function holdRequest(page: Page, text: string): Promise<() => Promise<void>> {
  await page.evaluate((wanted) => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
      if (!String(data).includes(wanted)) return send.call(this, data);
      WebSocket.prototype.send = send;
      Object.assign(window, { sendHeld: () => send.call(this, data) });
    };
  }, text);
  return () => page.evaluate(() => (window as unknown as { sendHeld(): void }).sendHeld());
}

itWith("chromium", "a session that is ready late does not take the person away from where they now write", async () => {
  await using t = await browserStage([text("An earlier answer."), text("A late answer.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await newSession(page);
  await field(page).fill("A question to a slow host.");
  const answer = await holdRequest(page, '"send_message"');
  await page.keyboard.press("Control+Enter");
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("link", { name: "an earlier question" }).click();
  await page.getByRole("log").getByText("An earlier answer.").waitFor();
  const here = page.url();
  await field(page).focus();
  await page.keyboard.type("For the ear");
  await answer();
  // It has a new reply, which nobody has seen.
  await list.getByRole("link", { name: "A question to a slow host. new" }).waitFor();
  await page.keyboard.type("lier one");
  expect([page.url(), await field(page).inputValue()]).toEqual([here, "For the earlier one"]);

  await list.getByRole("link", { name: "A question to a slow host." }).click();
  await page.getByRole("log").getByText("A late answer.").waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a path with a question is still there when the page ends before the host has it", async () => {
  await using t = await browserStage([text("An earlier answer.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "an earlier question" }).click();
  await page.getByRole("log").getByText("An earlier answer.").waitFor();
  await holdRequest(page, '"send_message"');
  await field(page).focus();
  await page.keyboard.type("/tmp/cart.ts fails");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("status").getByText("/tmp/cart.ts fails").waitFor();
  await page.reload();
  await page.getByRole("log").getByText("An earlier answer.").waitFor();
  expect(await field(page).inputValue()).toBe("/tmp/cart.ts fails");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a number that is pressed again and again answers no question that has just come", async () => {
  const held = gate();
  await using t = await browserStage([
    text("An earlier answer."),
    [delayUntil(held.promise), toolCall("Bash", { command: "touch made.txt" })],
    text("It is made."),
  ]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await newSession(page);
  await field(page).fill("Make a file.");
  await page.keyboard.press("Control+Enter");
  const conversation = page.getByRole("log");
  await conversation.getByText("Make a file.").waitFor();
  await conversation.focus();
  await page.keyboard.press("1");
  held.open();
  await question(page).waitFor();
  // As long as a person types without looking up, and longer than a question must be visible.
  const begin = performance.now();
  while (performance.now() - begin < 1_500) {
    await page.keyboard.press("1");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  }
  expect(await question(page).count()).toBe(1);
  expect(existsSync(join(t.s.project, "made.txt"))).toBe(false);
  // After a second without typing, an answer is accepted.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_100)));
  await page.keyboard.press("1");
  await conversation.getByText("It is made.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "numbers answer a question from an empty field, and are text in any other", async () => {
  const make = (name: string) => toolCall("Bash", { command: `touch ${name}.txt` });
  await using t = await browserStage([text("An earlier answer."), make("one"), make("two"), text("They are made.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await newSession(page);
  await page.keyboard.type("Make two files.");
  await page.keyboard.press("Enter");
  const badges = question(page).locator(".key");
  const ready = question(page).locator(".key:not([data-early])");
  const pause = () => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_100)));
  await ready.first().waitFor();
  await page.keyboard.type("Number ");
  await expect.poll(() => badges.count()).toBe(0);
  await pause();
  await page.keyboard.press("1");
  expect(await field(page).inputValue()).toBe("Number 1");
  await field(page).fill("");
  await ready.first().waitFor();
  await pause();
  expect(await hasKeyboard(page)).toBe("Message");
  await page.keyboard.press("1");
  await expect.poll(() => existsSync(join(t.s.project, "one.txt"))).toBe(true);
  await question(page).getByText("touch two.txt").first().waitFor();
  await question(page).getByRole("textbox").focus();
  await expect.poll(() => badges.count()).toBe(0);
  await field(page).focus();
  await ready.first().waitFor();
  await page.keyboard.press("1");
  await page.getByRole("log").getByText("They are made.").waitFor();
  expect([await field(page).inputValue(), await hasKeyboard(page)]).toEqual(["", "Message"]);
  expect(t.complaints).toEqual([]);
});
