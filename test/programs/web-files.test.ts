import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage, FULL } from "./browser.ts";

itWith("chromium", "a file of the project is found, shown with numbered and coloured lines, and followed", async () => {
  const replies = [
    text("An answer."),
    toolCall("Read", { file_path: "src/cart.ts" }),
    toolCall("Write", { file_path: "src/cart.ts", content: "export const tax = 2;\n" }),
    text("Changed."),
  ];
  await using t = await browserStage(replies, { more: FULL });
  t.s.file("src/cart.ts", "export const tax = 1; // per cent\n\nexport const all = `a\nb`;\n");
  t.s.file("src/long.txt", Array.from({ length: 5_000 }, (_, at) => `row ${at + 1}`).join("\n"));
  t.s.file("src/wide.txt", `${"x".repeat(300_000)}\nthe end`);
  t.s.file("src/none.txt", "");
  writeFileSync(join(t.s.project, "src/program"), Buffer.from([0x7f, 0x45, 0, 0]));
  await t.s.run(["-p", "a question", "--yes"]);
  const page = await t.open();
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("button", { name: "Details" }).click();
  const panel = page.getByRole("complementary", { name: "Details" });
  await panel.getByRole("tab", { name: "Files" }).click();
  const find = panel.getByRole("searchbox", { name: "Find a file of the project" });
  const open = async (part: string, path: string) => {
    await find.fill(part);
    await panel.getByRole("button", { name: path, exact: true }).click();
    return panel.getByRole("region", { name: path });
  };
  await panel.getByRole("button", { name: "src/", exact: true }).click();
  expect(await find.inputValue()).toBe("src/");
  const cart = await open("sr cart", "src/cart.ts");
  await cart.locator(".code-keyword").first().waitFor();
  expect(
    await cart
      .locator("[data-number]")
      .evaluateAll((rows) => rows.map((row) => `${row.getAttribute("data-number")} ${row.textContent}`)),
  ).toEqual(["1 export const tax = 1; // per cent", "2 \n", "3 export const all = `a", "4 b`;"]);
  expect(await barriers(page, "files")).toEqual([]);

  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Change it.");
  await page.keyboard.press("Control+Enter");
  await cart.getByText("tax = 2;").waitFor();
  await panel.getByRole("tab", { name: "Changes" }).click();
  await panel.getByRole("button", { name: "Show all of src/cart.ts" }).click();
  await cart.getByText("tax = 2;").waitFor();

  const long = await open("long", "src/long.txt");
  await long.getByText("row 1", { exact: true }).waitFor();
  await panel.getByRole("tabpanel").evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await expect
    .poll(async () => {
      await panel.getByRole("tabpanel").evaluate((body) => body.scrollTo(0, body.scrollHeight));
      return long.locator("[data-number='5000']").allTextContents();
    })
    .toEqual(["row 5000"]);
  await (await open("wide", "src/wide.txt")).getByText("the end").waitFor();
  await (await open("none.t", "src/none.txt")).getByText("This file is empty.").waitFor();
  await (await open("program", "src/program")).getByText("This file is not text.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a page whose token may only look at sessions shows no files", async () => {
  await using t = await browserStage([text("An answer.")]);
  t.s.file("private.txt", "not for those who look on");
  await t.s.run(["-p", "a question"]);
  await t.s.run(["host", "token", "rotate", "watcher", "--scope", "view"]);
  const page = await t.open({ link: t.address });
  await page
    .getByLabel("Or enter a token of this host:")
    .fill(readFileSync(join(t.s.home, ".scorel/host/watcher.token"), "utf8"));
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("This page may not read files of the project.").waitFor();
  expect(t.complaints).toEqual([]);
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** Saves artifacts of several kinds when a turn ends. */
const keeper = `export default {
  id: "keeper", name: "Keeper", version: "1.0.0", needs: ["artifacts"],
  async onEvent(event, ctx) {
    if (event.type !== "turn_finish") return;
    const own = ctx.artifacts.of(ctx.session);
    await own.save({ name: "out/fib.txt", content: Buffer.from("54\\n"), mimeType: "text/plain" });
    await own.save({ name: "out/fib.txt", content: Buffer.from("55\\n"), mimeType: "text/plain" });
    await own.save({ name: "big", content: Buffer.alloc(9_000_000, "0123456789"), mimeType: "text/plain" });
    await own.save({ name: "user:raw", content: Buffer.from([0, 255, 10, 27]), mimeType: "application/octet-stream" });
    await own.save({ name: "dot.png", content: Buffer.from("${PIXEL}", "base64"), mimeType: "image/png" });
    await own.save({ name: "page.html", content: Buffer.from("<img src=x onerror=alert(1)>"), mimeType: "text/html" });
  },
};`;

itWith("chromium", "what tools have saved is shown and downloaded, byte by byte", async () => {
  await using t = await browserStage([text("An answer.")]);
  t.s.file("~/.scorel/extensions/keeper.ts", keeper);
  await t.s.run(["-p", "a question"]);
  const page = await t.open();
  await page.getByRole("link", { name: /a question/ }).click();
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("tab", { name: "Files" }).click();
  const saved = page.getByRole("region", { name: "Saved results" });
  await saved.getByRole("article").first().waitFor();
  expect((await saved.getByRole("article").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
    "big version 0, 9,000,000 bytes Download",
    "dot.png version 0, 70 bytes Show Download",
    "out/fib.txt version 1, 3 bytes Show Download",
    "page.html version 0, 28 bytes Show Download",
    "raw version 0, 4 bytes in all your sessions Download",
  ]);
  await saved.getByRole("button", { name: "Show out/fib.txt" }).click();
  await saved.getByText("55", { exact: true }).waitFor();
  await saved.getByRole("button", { name: "Show page.html" }).click();
  await saved.getByText("<img src=x onerror=alert(1)>").waitFor();
  await saved.getByRole("button", { name: "Show dot.png" }).click();
  await saved.getByRole("img", { name: "dot.png" }).waitFor();
  expect(await barriers(page, "saved results")).toEqual([]);
  const bytesOf = async (name: string) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      saved.getByRole("button", { name: `Download ${name}` }).click(),
    ]);
    return { name: file.suggestedFilename(), bytes: readFileSync((await file.path()) as string) };
  };
  expect(await bytesOf("raw")).toEqual({ name: "raw", bytes: Buffer.from([0, 255, 10, 27]) });
  expect(await bytesOf("out/fib.txt")).toEqual({ name: "fib.txt", bytes: Buffer.from("55\n") });
  const big = await bytesOf("big");
  expect(big.name).toBe("big");
  expect(big.bytes.equals(Buffer.alloc(9_000_000, "0123456789"))).toBe(true);
  expect(t.complaints).toEqual([]);
});
