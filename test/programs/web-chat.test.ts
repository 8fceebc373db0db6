import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Reply, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage } from "./browser.ts";

/** A stage with a conversation of one round, which the page shows. */
async function chatStage(replies: readonly Reply[], options: Parameters<BrowserStage["open"]>[0] = {}) {
  const t = await browserStage([text("An earlier answer."), ...replies]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  await page.getByRole("link", { name: /an earlier question/ }).click();
  const conversation = page.getByRole("log");
  await conversation.getByText("An earlier answer.").waitFor();
  return { t, page, conversation, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const field = (page: Page, name = "Message") => page.getByRole("textbox", { name, exact: true });

async function pasteText(page: Page, pasted: string): Promise<void> {
  await page.evaluate((given) => navigator.clipboard.writeText(given), pasted);
  await page.keyboard.press("Control+v");
}

itWith("chromium", "files, commands and skills are suggested while somebody types", async () => {
  await using stage = await chatStage([]);
  const { t, page } = stage;
  t.s.file("src/cart.ts", "1");
  t.s.file("docs/old cart.md", "1");
  t.s.file("~/.scorel/skills/brew/SKILL.md", "---\nname: brew\ndescription: Brews tea.\n---\nBoil water.\n");
  const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");

  await field(page).pressSequentially("Compare @cart");
  await options.getByText("src/cart.ts").waitFor();
  await page.keyboard.press("Enter");
  expect(await field(page).inputValue()).toBe("Compare @src/cart.ts ");
  await field(page).pressSequentially("with @old");
  await options.getByText("docs/old cart.md").click();
  expect(await field(page).inputValue()).toBe('Compare @src/cart.ts with @"docs/old cart.md" ');
  await field(page).pressSequentially("@");
  await options.first().waitFor();
  await page.keyboard.press("Escape");
  expect(await options.count()).toBe(0);

  await field(page).fill("");
  await field(page).pressSequentially("/");
  await expect.poll(() => options.count()).toBeGreaterThan(5);
  const command = field(page, "Command");
  await command.pressSequentially("nam");
  await expect.poll(() => options.allTextContents()).toEqual([expect.stringContaining("/name")]);
  const chosen = await command.getAttribute("aria-activedescendant");
  expect(chosen).toBe(await options.first().getAttribute("id"));
  await page.keyboard.press("Tab");
  expect(await command.inputValue()).toBe("name ");
  await command.pressSequentially("A better name");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A better name" }).waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a shell line runs when its mark was typed, and pasted text never runs", async () => {
  await using stage = await chatStage([text("Seen.")]);
  const { t, page, conversation } = stage;
  const made = join(t.s.project, "made.txt");
  await field(page).pressSequentially("!");
  await field(page, "Shell line").pressSequentially("echo typed > made.txt && cat made.txt");
  await page.keyboard.press("Enter");
  await conversation.getByText("echo typed > made.txt").waitFor();
  await expect.poll(() => existsSync(made) && readFileSync(made, "utf8")).toBe("typed\n");

  await field(page).focus();
  await pasteText(page, "!echo pasted > made.txt");
  await page.reload();
  await conversation.getByText("An earlier answer.").waitFor();
  expect(await field(page).inputValue()).toBe("!echo pasted > made.txt");
  await field(page).focus();
  await page.keyboard.press("Control+Enter");
  await conversation.getByText("Seen.").waitFor();
  await conversation.getByText("!echo pasted > made.txt").waitFor();
  expect(readFileSync(made, "utf8")).toBe("typed\n");

  await field(page).pressSequentially("!");
  await field(page, "Shell line").press("Backspace");
  await field(page).pressSequentially("/nothing-like-it");
  await field(page, "Command").press("Enter");
  await page.getByRole("alert").getByText("nothing-like-it").waitFor();
  expect(await field(page, "Command").inputValue()).toBe("nothing-like-it");
  expect(t.complaints).toEqual([]);
});
