import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage, hostClient } from "./browser.ts";

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

const TABLE = [
  "| name | price | description |",
  "| --- | ---: | --- |",
  "| apple | 4.50 | A sentence that is too long for a line on a phone, and longer than the words of the other columns are. |",
  "| pear | 13.00 | See https://example.com/a/very/long/address/without/a/place/to/break/anywhere/in/the/whole/of/it. |",
].join("\n");
const WIDE_TABLE = [1, 2, 3].map((row) => `|${"a-whole-word|".repeat(20)}${row === 1 ? `\n${"|-".repeat(20)}|` : ""}`);

/** How many lines each cell of a table has, row by row, and whether the table is wider than its room. */
function looksOf(table: any): { lines: number[][]; scrolls: boolean } {
  const lines = [...table.querySelectorAll("tr")].map((row) =>
    [...row.cells].map((cell) => {
      const range = cell.ownerDocument.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    }),
  );
  return { lines, scrolls: table.scrollWidth > table.clientWidth };
}

itWith("chromium", "words and numbers in a table stay whole, and long texts and addresses wrap", async () => {
  await using t = await browserStage([text(`${TABLE}\n\n---\n\n${WIDE_TABLE.join("\n")}`)]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await page.getByRole("link", { name: "a question" }).click();
  const [table, wide] = [page.locator(".table").first(), page.locator(".table").last()];
  await table.waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 740 });
    const { lines, scrolls } = await table.evaluate(looksOf);
    expect(lines.map(([name, price]) => [name, price])).toEqual(lines.map(() => [1, 1]));
    expect(scrolls).toBe(false);
    expect((await wide.evaluate(looksOf)).scrolls).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  const [, ...texts] = (await table.evaluate(looksOf)).lines.map((row) => row[2]);
  expect(texts.map((count) => (count ?? 0) > 1)).toEqual([true, true]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the language of a code block is on the same line as its copy button", async () => {
  await using t = await browserStage([text("```ts\nconst total = 1;\n```")]);
  await t.s.run(["-p", "a question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "a question" }).click();
  const head = page.locator(".code-head");
  const middles = await head.evaluate((element: any) =>
    [...element.children].map((child) => {
      const { top, height } = child.getBoundingClientRect();
      return top + height / 2;
    }),
  );
  expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 0))).toBeLessThan(2);
});

itWith("chromium", "on a phone, the bar of waiting sessions is above the header of a new session", async () => {
  await using t = await browserStage([toolCall("Bash", { command: "touch a.txt" })]);
  const client = await hostClient(t.s.home, "writer");
  try {
    const { sessionId } = await client.request("create_session", { cwd: t.s.project, permission: "ask" });
    await client.request("attend_requests", { sessionId });
    await client.request("send_message", { sessionId, content: "Make a file." });
    const page = await t.open({ viewport: { width: 390, height: 740 } });
    await page.getByRole("button", { name: "Begin a session in project" }).click();
    const bar = page.getByRole("button", { name: "1 session waits for you" });
    await bar.waitFor();
    const header = page.getByRole("article", { name: "New session" }).locator("header");
    const [above, below] = [await bar.boundingBox(), await header.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  } finally {
    await client.close();
  }
});
