import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { type Reply, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { type BrowserStage, browserStage, FULL } from "./browser.ts";

type StageOptions = Parameters<BrowserStage["open"]>[0] & { isAsked?: boolean };

const BEFORE = Array.from({ length: 40 }, (_, at) => `export const value${at + 1} = ${at + 1};\n`).join("");

/** A stage whose project has a file, and a page that shows a session in which a message was sent. */
async function workStage(replies: readonly Reply[], { isAsked = false, ...options }: StageOptions = {}) {
  const t = await browserStage([text("An earlier answer."), ...replies], isAsked ? {} : { more: FULL });
  t.s.file("src/values.ts", BEFORE);
  await t.s.run(["-p", "an earlier question"], { guarded: isAsked });
  const page = await t.open({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  if ((options.viewport?.width ?? 1_280) < 760) await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: /an earlier question/ }).click();
  const conversation = page.getByRole("log");
  await conversation.getByText("An earlier answer.").waitFor();
  return { t, page, conversation, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

async function send(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(message);
  await page.keyboard.press("Control+Enter");
}

const edits = [
  toolCall("Read", { file_path: "src/values.ts" }),
  [
    toolCall("Edit", {
      file_path: "src/values.ts",
      old_string: "export const value9 = 9;\n",
      new_string: "export const value9 = 900;\nexport const added = true;\n",
    }),
    toolCall("Edit", {
      file_path: "src/values.ts",
      old_string: "export const value30 = 30;",
      new_string: "export const value30 = 31;",
    }),
  ],
  text("Changed."),
];

/** The text that a person gets who selects an element and copies it. */
async function copied(page: Page, element: Locator): Promise<string> {
  await element.evaluate((node: any) => {
    const { getSelection } = globalThis as any;
    getSelection().selectAllChildren(node);
  });
  await page.keyboard.press("Control+c");
  return await page.evaluate(() => navigator.clipboard.readText());
}

itWith("chromium", "a change shows its lines with numbers, the words that differ, and copies as code", async () => {
  await using stage = await workStage(edits, { viewport: { width: 1500, height: 900 } });
  const { t, page, conversation } = stage;
  await send(page, "Change the values.");
  await conversation.getByText("Changed.").waitFor();
  const first = conversation.getByRole("figure").first();
  await first.getByRole("button", { name: "Side by side", pressed: true }).press("Enter");
  await first.getByRole("button", { name: "Side by side", pressed: false }).waitFor();
  expect(await first.locator("mark").allTextContents()).toEqual([]);
  expect(await first.locator("ins").allTextContents()).toEqual([
    "export const value9 = 900;",
    "export const added = true;",
  ]);
  const second = conversation.getByRole("figure").nth(1);
  expect(await second.locator("mark").allTextContents()).toEqual(["30", "31"]);
  const numbers = second.locator("[data-number]");
  expect(await numbers.evaluateAll((lines) => lines.map((line: any) => line.dataset.number))).toEqual(
    "28 29 30 31 31 32 33 34".split(" "),
  );
  await second.getByText("⋯ 27 unchanged lines").waitFor();
  const near = (at: number, value = at) => `export const value${at} = ${value};\n`;
  const lines = [near(27), near(28), near(29), near(30), near(30, 31), near(31), near(32), near(33)];
  expect(await copied(page, second.locator(".diff-body"))).toBe(lines.join("").trimEnd());
  await page.reload();
  await conversation.getByRole("button", { name: "Side by side", pressed: false }).first().press("Enter");
  await conversation.getByRole("button", { name: "Side by side", pressed: true }).first().waitFor();
  const right = first.locator("ins").first();
  await right.hover();
  const box = (await right.boundingBox()) as { x: number; y: number };
  await page.mouse.move(box.x + 60, box.y - 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 10, { steps: 5 });
  await page.mouse.up();
  await first.locator(".only-now").waitFor();
  await page.keyboard.press("Control+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/value8 = 8;\nexport const value9 = 900;$/);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a question about a change of 20,000 lines shows all of them, and its answers at once", async () => {
  const content = Array.from({ length: 20_000 }, (_, at) => `const line${at + 1} = ${at + 1};\n`).join("");
  await using stage = await workStage([toolCall("Write", { file_path: "large.ts", content }), text("Written.")], {
    viewport: { width: 360, height: 740 },
    isAsked: true,
  });
  const { t, page, conversation } = stage;
  await send(page, "Write a large file.");
  const question = page.getByRole("region", { name: "Your answer is needed" });
  const yes = question.getByRole("button", { name: "yes, this once" });
  await yes.waitFor();
  expect(await question.getByText("const line1 = 1;", { exact: true }).count()).toBe(1);
  expect(await question.getByRole("button", { name: /Show/ }).count()).toBe(0);
  expect(await question.locator("ins").count()).toBeLessThan(1_000);
  const body = page.getByRole("region", { name: "What the question is about" });
  await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await question.getByText("const line20000 = 20000;", { exact: true }).waitFor();
  expect(await body.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  await yes.click();
  await conversation.getByText("Written.").waitFor();
  expect(readFileSync(join(t.s.project, "large.ts"), "utf8")).toBe(content);
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "the details beside a conversation tell what it has changed and used, and what its branches are",
  async () => {
    await using stage = await workStage([...edits, text("Another answer.")], {
      viewport: { width: 1500, height: 900 },
    });
    const { t, page, conversation } = stage;
    await page.getByRole("button", { name: "Details" }).click();
    const details = page.getByRole("complementary", { name: "Details" });
    await details.getByText("No files have changed.").waitFor();
    await send(page, "Change the values.");
    await conversation.getByText("Changed.").waitFor();
    await details.getByText("1 file has changed.").waitFor();
    const file = details.getByRole("region", { name: "src/values.ts" });
    await file.locator("ins").getByText("export const value9 = 900;").waitFor();
    await details.getByLabel("Changes of files").selectOption({ label: "since before “Change the values.”" });
    await file.locator("ins").getByText("export const value9 = 900;").waitFor();
    await file.getByText("changed", { exact: true }).waitFor();

    await details.getByRole("tab", { name: "Usage" }).click();
    await details
      .getByRole("row", { name: /scripted-model/ })
      .getByRole("cell", { name: "?", exact: true })
      .waitFor();
    await details.getByText("System prompt").waitFor();
    await details.getByRole("tab", { name: "Skills" }).click();
    await details.getByRole("tabpanel", { name: "Skills" }).getByRole("listitem").first().waitFor();

    await conversation.getByRole("button", { name: "Edit", exact: true }).last().press("Enter");
    const message = page.getByRole("textbox", { name: "Message", exact: true });
    await expect.poll(() => message.inputValue()).toBe("Change the values.");
    await send(page, "Another way.");
    await conversation.getByText("Another answer.").waitFor();
    await details.getByRole("tab", { name: "Branches" }).click();
    const branches = details.getByRole("tabpanel", { name: "Branches" });
    await branches.getByRole("button", { name: /Another way\. *Another answer\..*current/ }).waitFor();
    await branches.getByText("2 branches.").waitFor();
    await branches.getByRole("button", { name: /Change the values/ }).click();
    await conversation.getByText("Changed.").waitFor();
    await page.reload();
    await details.getByRole("tab", { name: "Branches", selected: true }).waitFor();
    await branches.getByRole("button", { name: /Change the values.*current/ }).waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "the panel says what is wrong with the host, and what to do about it", async () => {
  await using stage = await workStage([]);
  const { t, page } = stage;
  await page.getByRole("button", { name: "Details" }).click();
  const details = page.getByRole("complementary", { name: "Details" });
  await details.getByRole("tab", { name: "Health" }).click();
  const panel = details.getByRole("tabpanel", { name: "Health" });
  await panel.getByRole("button", { name: "Check now" }).click();
  const about = (text: string | RegExp) => panel.getByRole("listitem").filter({ hasText: text });
  // A check waits up to 25 s for an extension that does not respond; here there is none.
  await about("Only you can read and change your folder").getByText("fine").waitFor({ timeout: 60_000 });
  await panel.getByText(/^Checked in [\d.]+ s\.$/).waitFor();
  expect(await barriers(page, "what is wrong with the host")).toEqual([]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the menu of a session summarizes its conversation", async () => {
  await using stage = await workStage([]);
  const { t, page } = stage;
  const shown = page.getByRole("article", { name: "an earlier question" });
  await shown.getByRole("button", { name: "Actions for an earlier question" }).click();
  await page.getByRole("menuitem", { name: "Compact now" }).click();
  await page.getByRole("status").getByText("Nothing was summarized in “an earlier question”.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a command that failed shows so, with its exit code and the end of its output", async () => {
  const command = "seq 20; sleep 0.2; exit 3";
  await using t = await browserStage([toolCall("Bash", { command }), text("It failed.")]);
  await t.s.run(["-p", "run it", "--yes"]);
  const page = await t.open();
  await page.getByRole("link", { name: /run it/ }).click();
  const card = page.getByRole("log").locator(".card");
  await card.getByText(command).waitFor();
  await card.getByRole("img", { name: "failed" }).waitFor();
  expect(await card.locator(".card-ending").textContent()).toMatch(/^exit code 3 · \d\.\d s$/);
  expect(await card.locator(".tail").textContent()).toMatch(/^14\n15\n[\s\S]*20\n\[exit code 3\]$/);
  expect(t.complaints).toEqual([]);
});
