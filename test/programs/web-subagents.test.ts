import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

itWith("chromium", "the card of a subagent leads to its session, and back", async () => {
  const task = toolCall("Task", { description: "Count the files", prompt: "Count them." });
  await using t = await browserStage(({ body }) => {
    const asked = JSON.stringify(body.messages);
    if (asked.includes('"Count them."') && !asked.includes('"Ask another."')) return text("There are three.");
    return asked.includes("There are three.") ? text("Three files.") : task;
  });
  const config = join(t.s.home, ".scorel/config.toml");
  writeFileSync(config, `use = ["subagents"]\n${readFileSync(config, "utf8")}`);
  await t.s.run(["-p", "Ask another."]);
  const page = await t.open();
  await page.getByRole("link", { name: "Ask another." }).click();
  const log = page.getByRole("log");
  await log.getByText("Three files.").waitFor();
  const parent = page.url();
  await log.getByRole("link", { name: "Open its session" }).click();
  await page.getByRole("article", { name: "Count the files" }).waitFor();
  await log.getByText("There are three.").waitFor();
  expect(page.url()).not.toBe(parent);
  await page.getByRole("link", { name: "To the session that it belongs to" }).click();
  await page.getByRole("article", { name: "Ask another." }).waitFor();
  expect(page.url()).toBe(parent);
  await log.getByText("Three files.").waitFor();
  expect(t.complaints).toEqual([]);
});
