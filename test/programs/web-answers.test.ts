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

const lines = (word: string) => Array.from({ length: 6 }, (_, at) => `${word} ${at}`).join("\n");

/** A page with a new session, in which a message was sent that is answered by a call that needs a permission. */
async function askingStage(replies: readonly Reply[], options: BrowserContextOptions = {}) {
  const t = await browserStage([text("An earlier answer."), ...replies]);
  t.s.file("a.txt", `${lines("old")}\n`);
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

itWith("chromium", "a question keeps its answers in view, and the button to the end covers nothing", async () => {
  const edit = toolCall("Edit", { file_path: "a.txt", old_string: lines("old"), new_string: lines("new") });
  await using stage = await askingStage([toolCall("Read", { file_path: "a.txt" }), edit, text("Edited.")], {
    viewport: { width: 390, height: 844 },
  });
  const { t, page, conversation } = stage;
  const edges = (selector: string) =>
    page.locator(selector).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return { top: Math.round(top), bottom: Math.round(bottom) };
    });
  const [asked, answers, body] = [await edges(".question"), await edges(".answers"), await edges(".question-body")];
  expect(answers.bottom).toBeLessThanOrEqual(asked.bottom);
  expect(body.bottom - body.top).toBeGreaterThan(200);
  expect(await question(page).getByRole("region", { name: "It ends with:" }).count()).toBe(0);
  await conversation.hover();
  await page.mouse.wheel(0, -1_000);
  const jump = page.locator(".jump");
  await jump.waitFor({ state: "attached" });
  for (const [width, height] of [
    [640, 400],
    [390, 500],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await jump.isVisible()).toBe(false);
  }
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the line below the field keeps its height when the state of the session changes", async () => {
  const command = "touch made.txt; while [ ! -f go ]; do sleep 0.1; done";
  await using stage = await askingStage([toolCall("Bash", { command }), text("It is there.")], {
    viewport: { width: 1280, height: 800 },
  });
  const { t, page, conversation } = stage;
  const state = page.locator(".status > [role=status]");
  const height = () => page.locator(".status").evaluate((element) => element.getBoundingClientRect().height);
  await state.getByText("waiting for you").waitFor();
  const asking = await height();
  await question(page).getByRole("button", { name: "Yes, this once" }).click();
  await expect.poll(() => state.textContent()).toMatch(/^running a tool \d+ s$/);
  expect(await height()).toBe(asking);
  t.s.file("go", "");
  await conversation.getByText("It is there.").waitFor();
  expect(await height()).toBe(asking);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a question leaves room for what was said before, also above waiting messages", async () => {
  const call = toolCall("Bash", { command: Array.from({ length: 30 }, (_, at) => `touch made-${at}.txt`).join("\n") });
  await using stage = await askingStage([call, text("Made.")], { viewport: { width: 1200, height: 657 } });
  const { t, page, conversation } = stage;
  const items = page.getByRole("region", { name: "Waiting messages" }).getByRole("listitem");
  const texts = () => items.locator(".queue-text").allTextContents();
  const messages = ["first", "second", "third"];
  for (const [at, message] of messages.entries()) {
    await field(page).fill(message);
    await page.keyboard.press("Control+Enter");
    await expect.poll(texts).toEqual(messages.slice(0, at + 1));
  }
  // Messages for the running turn are sent first, so they are listed first.
  await items.nth(1).getByRole("button", { name: "Steer" }).click();
  await expect.poll(texts).toEqual(["second", "first", "third"]);
  expect(await items.nth(1).getByRole("button", { name: "Move up" }).isDisabled()).toBe(true);
  const heightOf = (element: Element) => element.getBoundingClientRect().height;
  expect(await page.locator(".conversation").evaluate(heightOf)).toBeGreaterThanOrEqual(120);
  const answers = await question(page)
    .locator(".answers")
    .evaluate((element) => element.getBoundingClientRect().bottom);
  expect(answers).toBeLessThan(657);
  await question(page).getByRole("button", { name: "No" }).first().click();
  await conversation.getByText("Made.").waitFor();
  expect(t.complaints).toEqual([]);
});

const sizes = [
  [1280, 800],
  [1440, 900],
  [390, 844],
  [640, 400],
] as const;
const lengths = [50, 120];

itWith("chromium", "whoever answers a long question too early can answer it again, at any size", async () => {
  const long = (at: number, count: number) => {
    const content = Array.from({ length: count }, (_, line) => `line ${line} of many ${"words ".repeat(20)}`).join(
      "\n",
    );
    return toolCall("Write", { file_path: `long-${at}.txt`, content });
  };
  const cases = sizes.flatMap(([width, height]) => lengths.map((count) => ({ width, height, count })));
  const replies = cases.flatMap(({ count }, at) => [long(at, count), text(`Written ${at}.`)]);
  await using stage = await askingStage(replies, { viewport: { width: 1280, height: 800 } });
  const { t, page, conversation } = stage;
  const yes = question(page).getByRole("button", { name: "Yes, this once" });
  for (const [at, { width, height }] of cases.entries()) {
    await page.setViewportSize({ width, height });
    if (at > 0) {
      await field(page).fill("And another.");
      await page.keyboard.press("Control+Enter");
    }
    await yes.click();
    await question(page).getByText("Its end had not been on the screen.").waitFor();
    await yes.click();
    await conversation.getByText(`Written ${at}.`).waitFor();
  }
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "in a low window, the answers of a question are in view", async () => {
  const edit = toolCall("Edit", { file_path: "a.txt", old_string: "old 1", new_string: "new 1" });
  await using stage = await askingStage([toolCall("Read", { file_path: "a.txt" }), edit, text("Edited.")], {
    viewport: { width: 640, height: 400 },
  });
  const { t, page, conversation } = stage;
  const bottom = await page.locator(".choices").evaluate((element) => element.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThanOrEqual(400);
  await question(page).getByRole("button", { name: "No" }).first().click();
  await conversation.getByText("Edited.").waitFor();
  expect(t.complaints).toEqual([]);
});
