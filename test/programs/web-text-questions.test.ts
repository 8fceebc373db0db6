import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage, hostClient } from "./browser.ts";

/** A tool that asks for a confirmation, and then for two names. */
const asker = `export default { id: "asker", name: "asker", version: "1.0.0", needs: ["ui"],
  tools: ({ ui }: any) => [{ name: "AskNames", description: "Asks", parameters: { type: "object", properties: {} },
    execute: async () => {
      await ui.confirm("May I ask?");
      const names = [await ui.input("First name"), await ui.input("Last name")];
      return { content: [{ type: "text", text: names.join(" ") }] };
    } }] };\n`;

const message = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const question = (page: Page, title: string) =>
  page.getByRole("region", { name: "Your answer is needed" }).filter({ hasText: title });
const answer = (page: Page) => page.getByRole("textbox", { name: "Answer", exact: true });
const keyboard = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

/** Opens a page with a new session that runs the tool. */
async function begun(t: BrowserStage, options: Parameters<BrowserStage["open"]>[0] = {}): Promise<Page> {
  t.s.file("~/.scorel/extensions/asker.ts", asker);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open(options);
  if (options.isMobile) await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("link", { name: "New session in project" }).click();
  await message(page).fill("Ask me.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Yes, this once" }).click();
  return page;
}

const script = () => [text("An earlier answer."), toolCall("AskNames", {}), text("Thank you.")];

itWith("chromium", "a question for a text takes the keyboard, and Esc only gives it back", async () => {
  await using t = await browserStage(script());
  const page = await begun(t);
  await question(page, "May I ask?").getByRole("button", { name: "Yes", exact: true }).click();
  await question(page, "First name").waitFor();
  await expect.poll(() => keyboard(page)).toBe("Answer");
  await page.keyboard.type("Ada");
  await page.keyboard.press("Escape");
  expect([await keyboard(page), await answer(page).inputValue()]).toEqual(["Message", "Ada"]);
  // Pressed once too often, it would lose the turn.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(1);
  await answer(page).press("Enter");
  await question(page, "Last name").waitFor();
  await expect.poll(() => keyboard(page)).toBe("Answer");
  await page.keyboard.type("Lovelace");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("Thank you.").waitFor();
  expect(
    t.s
      .logs()
      .map((path) => readFileSync(path, "utf8"))
      .join(""),
  ).toContain("Ada Lovelace");
  expect(await message(page).inputValue()).toBe("");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "whoever writes a message keeps the keyboard when a question for a text comes", async () => {
  await using t = await browserStage(script());
  const page = await begun(t);
  await question(page, "May I ask?").waitFor();
  await message(page).focus();
  await page.keyboard.type("half a ");
  const client = await hostClient(t.s.home, "other");
  const [row] = (await client.request("list_sessions", {})).sessions;
  const sessionId = row?.sessionId as string;
  const { requests } = await client.request("list_requests", { sessionId });
  await client.request("answer_request", { sessionId, requestId: requests[0]?.requestId as string, answer: "y" });
  await client.close();
  await question(page, "First name").waitFor();
  // Longer than the time after which a person counts as having stopped typing.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
  await page.keyboard.type("message");
  expect([await message(page).inputValue(), await answer(page).inputValue()]).toEqual(["half a message", ""]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "on a phone, the next question for a text has the keyboard, too", async () => {
  await using t = await browserStage(script());
  const page = await begun(t, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await question(page, "May I ask?").getByRole("button", { name: "Yes", exact: true }).tap();
  await question(page, "First name").waitFor();
  await expect.poll(() => keyboard(page)).toBe("Answer");
  expect(t.complaints).toEqual([]);
});
