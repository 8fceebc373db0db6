import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { delayUntil, gate, status, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const refused = (why: string) => status(400, { error: { message: why } });

itWith("chromium", "without a model, the page says as a whole what to do, and sends once there is one", async () => {
  await using t = await browserStage([text("Ready."), text("Answered.")]);
  const config = readFileSync(join(t.s.home, ".scorel/config.toml"), "utf8");
  await t.s.run(["-p", "an earlier question"]);
  t.s.file("~/.scorel/config.toml", "");
  const page = await t.open();
  await page.getByRole("link", { name: "New session in project" }).click();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("hello");
  await page.keyboard.press("Control+Enter");
  const alert = page.getByRole("alert").filter({ hasText: "The message was not sent: No model is configured." });
  await alert.getByText("scorel host serve --replace").waitFor();
  expect(await alert.textContent()).not.toContain("this shell");
  for (const size of [
    { width: 1_000, height: 700 },
    { width: 360, height: 740 },
  ]) {
    await page.setViewportSize(size);
    expect(await alert.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  }
  await page.setViewportSize({ width: 1_000, height: 700 });
  await page.getByRole("button", { name: /no model/ }).click();
  await page.getByRole("dialog").getByText("scorel login openai").waitFor();
  await page.keyboard.press("Escape");
  t.s.file("~/.scorel/config.toml", config);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log").getByText("Answered.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a turn without a word says that it waits for the model, and that it was stopped", async () => {
  const never = gate();
  await using t = await browserStage([text("Ready."), [delayUntil(never.promise), text("late")], text("Answered.")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "New session in project" }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("first");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("status").getByText("waiting for the model").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  const stopped = page.getByRole("status").getByText("Stopped.", { exact: true });
  await stopped.waitFor();
  never.open();
  await field.fill("second");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("Answered.").waitFor();
  expect(await stopped.count()).toBe(0);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "while a call is tried again, the page says when, which attempt it is, and why", async () => {
  const busy = status(429, { error: { message: "too many requests" } }, { "retry-after": "60" });
  await using t = await browserStage([text("Ready."), busy]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "New session in project" }).click();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("first");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("status")
    .getByText(/^trying again in \d+ s \(1 of \d\): 429 too many requests$/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("status").getByText("Stopped.", { exact: true }).waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a failed turn is told at its place, from the first message on and after a reload", async () => {
  await using t = await browserStage([text("Ready."), refused("no such key"), text("Answered."), refused("no credit")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "New session in project" }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  const conversation = page.getByRole("log");
  const lines = () => conversation.locator(".bubble .plain, .bubble .markdown, .notice").allTextContents();
  const send = async (message: string) => {
    await field.fill(message);
    await page.keyboard.press("Control+Enter");
  };
  await send("first");
  await conversation.getByText("The model call failed: 400 no such key").waitFor();
  await send("second");
  await conversation.getByText("Answered.").waitFor();
  await send("third");
  await conversation.getByText("The model call failed: 400 no credit").waitFor();
  const shown = ["first", expect.stringContaining("no such key"), "second", "Answered.", "third"];
  await expect.poll(lines).toEqual([...shown, expect.stringContaining("no credit")]);
  expect(await page.getByRole("region", { name: "Notices" }).count()).toBe(0);

  await page.reload();
  await expect.poll(lines).toEqual([...shown, expect.stringContaining("no credit")]);
  await conversation.getByRole("button", { name: "Retry" }).waitFor();
  expect(t.complaints).toEqual([]);
});
