import type { DisplayAction } from "@scorel/kernel";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage, hostClient } from "./browser.ts";
import { drawingExtension } from "./drawing-extension.ts";

/**
 * The most characters of a text in one piece, since the time that browsers need to break a word into lines grows with
 * the square of its length.
 */
const LONGEST = 1_000;
const SIZES = [200_000, 1_000_000];

const word = (size: number) => `begin${"A".repeat(size)}end`;

/** The forms in which a text without spaces can be in a conversation. */
const forms: Record<string, (words: string) => DisplayAction> = {
  reply: (words) => ({ display: "bubble", role: "assistant", text: words }),
  code: (words) => ({ display: "bubble", role: "assistant", text: `\`\`\`js\n${words}\n\`\`\`` }),
  list: (words) => ({ display: "bubble", role: "assistant", text: `- **${words}**` }),
  table: (words) => ({
    display: "bubble",
    role: "assistant",
    text: `| name | word |\n| --- | --- |\n| a | ${words} |`,
  }),
  message: (words) => ({ display: "bubble", role: "user", text: words }),
  notice: (words) => ({ display: "notice", level: "info", text: words }),
  diff: (words) => ({ display: "diff", path: "a.txt", text: `@@ -1,2 +1,2 @@\n-${words}\n+${words}` }),
  card: (words) => ({ display: "card", title: "Bash", status: "error", text: words }),
  title: (words) => ({ display: "card", title: words, status: "done", text: "" }),
  steps: (words) => ({ display: "list", title: words, items: [{ text: words, state: "open" }], text: "" }),
  marker: (words) => ({ display: "marker", text: words }),
};

interface Shown {
  /** Whether the whole word is shown. */
  isWhole: boolean;
  /** The length of the longest piece of text. */
  piece: number;
}

/** Opens a session's cards, and returns how a word of this size is shown. */
async function shownIn(page: Page, size: number): Promise<Shown> {
  const log = page.getByRole("log");
  await log.getByText("AAAA").first().waitFor({ timeout: 60_000 });
  const closed = log.getByRole("button", { expanded: false });
  if ((await closed.count()) > 0) await closed.first().click();
  return log.evaluate((element: any, count) => {
    const texts = element.ownerDocument.createTreeWalker(element, 4);
    let piece = 0;
    while (texts.nextNode()) piece = Math.max(piece, texts.currentNode.data.length);
    return { isWhole: element.textContent.split("A").length > count, piece };
  }, size);
}

/**
 * Measures the longest time for which the page did not respond. Returns a function that gets this time and starts
 * again.
 */
async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const all = globalThis as any;
    all.longestTask = 0;
    new all.PerformanceObserver((list: any) => {
      for (const { duration } of list.getEntries()) all.longestTask = Math.max(all.longestTask, duration);
    }).observe({ type: "longtask" });
  });
  return () =>
    page.evaluate(() => {
      const all = globalThis as any;
      const longest = Math.round(all.longestTask);
      all.longestTask = 0;
      return longest;
    });
}

itWith(
  "chromium",
  "words of a megabyte are shown in short pieces wherever they stand",
  async () => {
    await using t = await browserStage([text("First.")]);
    const names = Object.keys(forms);
    const actions = SIZES.flatMap((size) => Object.values(forms).map((form) => form(word(size))));
    t.s.file(
      "~/.scorel/extensions/drawing.ts",
      drawingExtension({ actions, question: { title: "", choices: [], details: [] }, outputs: [] }),
    );
    await t.s.run(["-p", "first"]);
    const client = await hostClient(t.s.home, "drawer");
    try {
      const page = await t.open();
      await page.getByRole("link", { name: /first/ }).waitFor();
      const longestTask = await watchTasks(page);
      const wrong: string[] = [];
      const times: string[] = [];
      for (const at of actions.keys()) {
        const size = SIZES[Math.floor(at / names.length)] as number;
        const name = `${names[at % names.length]} of ${size}`;
        const { sessionId } = await client.request("create_session", { cwd: t.s.project, name });
        await client.request("run_command", { sessionId, name: "draw", args: String(at) });
        await page.evaluate((id) => (globalThis as any).location.assign(`#/session/${id}`), sessionId);
        await page.getByRole("article", { name, exact: true }).waitFor({ timeout: 60_000 });
        const { isWhole, piece } = await shownIn(page, size);
        if (!isWhole || piece > LONGEST) wrong.push(`${name}: ${isWhole ? "whole" : "cut"}, in pieces of ${piece}`);
        times.push(`${name}: ${await longestTask()} ms`);
      }
      console.info(`Longest tasks of the page:\n${times.join("\n")}`);
      expect(wrong).toEqual([]);
      expect(t.complaints).toEqual([]);
    } finally {
      await client.close();
    }
  },
  300_000,
);

itWith("chromium", "on a phone, a long title leaves room for what stands beside it", async () => {
  await using t = await browserStage([text("The answer.")]);
  const width = 360;
  await t.s.run([
    "-p",
    "The total of a cart is wrong. Find out why, repair it, and say which of the tests should have seen it.",
  ]);
  const page = await t.open({ viewport: { width, height: 740 } });
  const recent = page.getByRole("region", { name: "Recent sessions" });
  await recent.getByRole("link", { name: /^The total/ }).waitFor();
  const [box, scrolled] = [await recent.boundingBox(), await page.evaluate(() => document.body.scrollWidth)];
  expect(box?.x ?? -1).toBeGreaterThanOrEqual(0);
  expect([(box?.x ?? 0) + (box?.width ?? width), scrolled].map((end) => end <= width)).toEqual([true, true]);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: /^The total/ }).click();
  const head = page.getByRole("article").locator("header");
  for (const name of ["Menu", "Details", /^Actions for The total/]) {
    const box = await head.getByRole("button", { name }).boundingBox();
    expect(box, `${name}`).toMatchObject({ height: expect.any(Number) });
    expect((box?.x ?? width) + (box?.width ?? 0), `${name}`).toBeLessThanOrEqual(width);
    expect(box?.height, `${name}`).toBeLessThan(50);
  }
});
