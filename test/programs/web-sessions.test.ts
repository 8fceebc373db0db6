import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

/** Opens the menu of a session or project, and chooses a command. */
async function choose(page: Page, menu: string, command: string): Promise<void> {
  await listed(page).getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: command, exact: true }).click();
}

function listed(page: Page): Locator {
  return page.getByRole("navigation", { name: "Sessions" });
}

itWith("chromium", "a session is renamed, exported, cloned, deleted and brought back", async () => {
  await using t = await browserStage([text("The **first** answer."), text("In the clone.")]);
  await t.s.run(["-p", "an early question"]);
  const page = await t.open();
  const link = (name: string) => listed(page).getByRole("link", { name });
  await link("an early question").click();
  await page.getByRole("log").getByText("The first answer.").waitFor();

  await choose(page, "Actions for an early question", "Rename");
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Named/here");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("article", { name: "Named/here" }).waitFor();

  const downloading = page.waitForEvent("download");
  await choose(page, "Actions for Named/here", "Export as Markdown");
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("Named-here.md");
  expect(readFileSync(await download.path(), "utf8")).toContain("The **first** answer.");

  const address = page.url();
  await choose(page, "Actions for Named/here", "Clone");
  await expect.poll(() => page.url()).not.toBe(address);
  await page.getByRole("log").getByText("The first answer.").waitFor();
  expect(await link("Named/here").count()).toBe(2);

  await listed(page).getByRole("button", { name: "Actions for Named/here" }).first().click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("“Named/here” is in the trash.").waitFor();
  await expect.poll(() => link("Named/here").count()).toBe(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => link("Named/here").count()).toBe(2);
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "a session is archived, found among the archived ones, and back when something is said in it",
  async () => {
    await using t = await browserStage([text("The answer."), text("The last answer."), text("Back.")]);
    await t.s.run(["-p", "an old question"]);
    await t.s.run(["-p", "a later question"]);
    const page = await t.open();
    const link = listed(page).getByRole("link", { name: "an old question" });

    await choose(page, "Actions for an old question", "Archive");
    await page.getByText("“an old question” is archived.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await link.waitFor();
    await choose(page, "Actions for an old question", "Archive");
    await link.waitFor({ state: "detached" });

    const archived = listed(page).getByRole("button", { name: "Archived (1)" });
    await archived.click();
    await link.click();
    await page.getByRole("log").getByText("The answer.").waitFor();
    await archived.waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Message" }).fill("Go on.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("log").getByText("Back.").waitFor();
    await listed(page).getByRole("link", { name: "a later question" }).click();
    await link.waitFor();
    expect(await archived.count()).toBe(0);

    // On a phone, where the list is behind a button, the page shows the sessions that were used last.
    await choose(page, "Actions for a later question", "Archive");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate(() => {
      location.hash = "#/";
    });
    const recent = page.getByRole("region", { name: "Recent sessions" });
    await recent.getByRole("link", { name: "an old question" }).click();
    await page.getByRole("log").getByText("Back.").waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "a session that is deleted elsewhere says so, and each page can restore it", async () => {
  await using t = await browserStage([text("The only answer.")]);
  await t.s.run(["-p", "a question to delete"]);
  const page = await t.open();
  const link = listed(page).getByRole("link", { name: "a question to delete" });
  await link.click();
  await page.getByRole("log").getByText("The only answer.").waitFor();
  const [sessionId = ""] = /[\w-]+$/.exec(page.url()) ?? [];

  expect(await t.s.run(["session", "delete", sessionId])).toMatchObject({ code: 0 });
  await page.getByText("This session was deleted.").waitFor();
  expect(await link.count()).toBe(0);

  await page.reload();
  await page.getByText("This session was deleted.").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("log").getByText("The only answer.").waitFor();

  await choose(page, "Actions for a question to delete", "Delete");
  await page.getByText("This session was deleted.").waitFor();
  await choose(page, "More", "Deleted sessions");
  await page.getByRole("button", { name: "Restore a question to delete" }).click();
  await page.getByRole("log").getByText("The only answer.").waitFor();
  await link.waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a new session begins with the chosen options, which can be changed within it", async () => {
  await using t = await browserStage([text("Answered as chosen.")]);
  t.s.file("~/.scorel/presets/careful.toml", 'description = "Reads only."\nextends = "coding"\n');
  await t.s.run(["project", "add", t.s.project]);
  const page = await t.open();
  await listed(page).getByRole("link", { name: "New session in project" }).click();
  const options = page.getByRole("group", { name: "Options of the new session" });
  await options.getByLabel("Preset").selectOption("careful");
  await options.getByLabel("Permission mode").selectOption("plan");
  await options.getByLabel("Thinking level").selectOption("high");
  await options.getByRole("button", { name: "Model: scripted/scripted-model" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a model" });
  await dialog.getByRole("searchbox", { name: "Find a model" }).fill("no such model");
  await dialog.getByText("Nothing found.").waitFor();
  await dialog.getByRole("searchbox", { name: "Find a model" }).fill("SCRIPTED model");
  await dialog.getByRole("button", { name: /^scripted\/scripted-model.*tokens/ }).click();
  expect(await listed(page).getByRole("listitem").count()).toBe(0);

  await page.getByRole("textbox", { name: "Message" }).fill("Choose like this");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("Answered as chosen.").waitFor();
  const mode = page.getByLabel("Permission mode");
  const level = page.getByLabel("Thinking level");
  expect([await mode.inputValue(), await level.inputValue()]).toEqual(["plan", "high"]);
  const { stdout } = await t.s.run(["session", "list", "--output", "json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ title: "Choose like this", preset: "careful" }]);

  await level.selectOption("low");
  // The modes are loaded when the list is about to be opened.
  await mode.focus();
  await mode.selectOption("ask");
  await page.getByRole("button", { name: "Model: scripted/scripted-model" }).click();
  await dialog.getByRole("button", { name: /^scripted\/scripted-model/ }).click();
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("log").getByText("Answered as chosen.").waitFor();
  expect([await mode.inputValue(), await level.inputValue()]).toEqual(["ask", "low"]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a project is found among the directories of the host, added, and removed", async () => {
  await using t = await browserStage([]);
  const home = join(t.s.project, "../home");
  mkdirSync(join(home, "work/tool/inner"), { recursive: true });
  mkdirSync(join(home, "work/gone"));
  const page = await t.open();
  await choose(page, "More", "Add a project");
  const dialog = page.getByRole("dialog", { name: "Add a project" });
  const path = dialog.getByRole("textbox", { name: "Directory" });
  const directory = (name: string) => dialog.getByRole("listitem").getByRole("button", { name, exact: true });
  await directory("work").click();
  await directory("gone").waitFor();
  rmSync(join(home, "work/gone"), { recursive: true });
  await directory("gone").click();
  await dialog.getByRole("alert").getByText("it does not exist").waitFor();
  await directory("tool").click();
  await directory("inner").click();
  await dialog.getByText("There are no directories in it.").waitFor();
  await dialog.getByRole("button", { name: "Up to the directory above" }).click();
  await expect.poll(() => path.inputValue()).toBe(join(home, "work/tool"));
  await path.fill("/etc");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").getByText("/etc is not listed").waitFor();
  await path.fill(join(home, "work/tool"));
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Add this directory" }).click();
  await page.getByRole("article", { name: "New session" }).getByText(join(home, "work/tool")).waitFor();

  const project = listed(page).getByRole("region", { name: "tool" });
  await project.getByRole("button", { name: "Remove tool from the list" }).click();
  await expect.poll(() => project.count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await project.waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a first message that is refused stays in the field, and leaves no session behind", async () => {
  await using t = await browserStage([text("An early answer.")]);
  await t.s.run(["-p", "an early question"]);
  t.s.file("~/.scorel/config.toml", "");
  const page = await t.open();
  await listed(page).getByRole("link", { name: "New session in project" }).click();
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Is there a model?");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("No model is configured").waitFor();
  expect(await field.inputValue()).toBe("Is there a model?");
  const sessions = listed(page).locator("ul").getByRole("link");
  await expect.poll(() => sessions.allTextContents()).toEqual([expect.stringContaining("an early question")]);
});
