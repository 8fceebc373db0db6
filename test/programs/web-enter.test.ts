import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage } from "./browser.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

/** A page with the form for a new session. */
async function newSession(t: BrowserStage, options: Parameters<BrowserStage["open"]>[0] = {}): Promise<Page> {
  const page = await t.open(options);
  if (options.isMobile) await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("link", { name: "New session in project" }).click();
  await field(page).focus();
  return page;
}

itWith("chromium", "Enter sends, and other keys make a line break", async () => {
  await using t = await browserStage([text("An earlier answer."), text("First answer."), text("Second answer.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await newSession(t);
  const conversation = page.getByRole("log");
  expect(await field(page).getAttribute("placeholder")).toBe("What should be done? Enter sends.");
  for (const key of ["Shift+Enter", "Alt+Enter", "Control+j"]) {
    await page.keyboard.type(`a line, ${key}`);
    await page.keyboard.press(key);
  }
  await page.keyboard.type("end");
  const lines = "a line, Shift+Enter\na line, Alt+Enter\na line, Control+j\nend";
  expect(await field(page).inputValue()).toBe(lines);
  // Input methods end a word with Enter, and mark this key event in one of two ways.
  for (const told of [{ isComposing: true }, { keyCode: 229 }])
    await field(page).evaluate(
      (element, given) =>
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...given })),
      told,
    );
  expect(await field(page).inputValue()).toBe(lines);
  await page.keyboard.press("Enter");
  await conversation.getByText("First answer.").waitFor();

  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Alt+Enter");
  await page.keyboard.type("three");
  await page.keyboard.press("Enter");
  await conversation.getByText("Second answer.").waitFor();
  expect(await conversation.getByText("three").textContent()).toBe("one\ntwo\nthree");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "on a touch screen, Enter makes a line break until a keyboard was used", async () => {
  await using t = await browserStage([text("An earlier answer."), text("First answer.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await newSession(t, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  expect(await field(page).getAttribute("placeholder")).toBe("What should be done?");
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  expect(await field(page).inputValue()).toBe("one\ntwo");
  await page.keyboard.press("Control");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("First answer.").waitFor();
  expect(t.complaints).toEqual([]);
});
