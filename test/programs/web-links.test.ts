import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { terminal } from "../e2e/pty.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage } from "./browser.ts";

/** Milliseconds; less than the 15 s that a client waits at most before it reconnects, and enough for a busy machine. */
const SOON_MS = 10_000;

/** Whether an error on the console is about a host that does not answer, which is intended here. */
const isOfCut = (complaint: string) => /WebSocket connection|net::ERR_/.test(complaint);

itWith(
  "chromium",
  "a page goes on when its host was replaced during a turn: nothing is lost or doubled, and what waits still waits",
  async () => {
    const never = gate();
    await using t = await browserStage([
      text("An earlier answer."),
      [text("Half of an answer."), delayUntil(never.promise)],
    ]);
    await t.s.run(["-p", "an earlier question"]);
    const page = await t.open();
    await page.getByRole("link", { name: "New session in project" }).click();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("The first question.");
    await page.keyboard.press("Control+Enter");
    const conversation = page.getByRole("log");
    await conversation.getByText("Half of an answer.").waitFor();
    await field.fill("What waits.");
    await page.keyboard.press("Control+Enter");
    const waiting = page.getByRole("region", { name: "Waiting messages" });
    await waiting.getByText("What waits.").waitFor();

    const said = page.getByText("The host has stopped. The page goes on when it is started again.").waitFor();
    const replaced = await t.s.run(["host", "serve", "--replace", "--port", new URL(t.address).port], {
      ownProcess: true,
    });
    const back = performance.now();
    expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringContaining(t.address)]);
    await said;
    await page.getByText("The host has stopped.").waitFor({ state: "detached" });
    expect(performance.now() - back).toBeLessThan(SOON_MS);
    await waiting.getByText("What waits.").waitFor();
    expect(await conversation.getByText("The first question.").count()).toBe(1);
    expect(await conversation.getByText("Half of an answer.").count()).toBe(1);

    const file = readFileSync(join(t.s.home, ".scorel/host/tokens.json"), "utf8");
    const token = await page.evaluate(() => sessionStorage.getItem("scorel.token"));
    expect(token).toMatch(/^scorel_/);
    expect(file).not.toContain(token);
    expect((await t.s.run(["host", "token", "list"])).stdout).toMatch(/^page {2}admin {2}until \S+Z$/m);
    expect((await t.s.run(["host", "token", "remove", "page"])).code).toBe(0);
    await page.getByText("The host does not accept this page's token any more.").waitFor();
    never.open();
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);

/** Opens a page that shows this session. */
async function pageAt(t: BrowserStage, sessionId: string): Promise<Page> {
  const page = await t.open();
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  await page.goto(`${new URL(page.url()).origin}/#/session/${sessionId}`);
  await page.getByRole("log").waitFor();
  return page;
}

/** The id of the session that was created in the stage's project. */
function onlySession(t: BrowserStage): string {
  return basename(t.s.logs()[0] ?? "", ".jsonl");
}

/** Sends a message with the page's field. */
async function send(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Control+Enter");
}

itWith(
  "chromium",
  "a question in two pages and a terminal vanishes in all of them soon after the answer in one",
  async () => {
    await using t = await browserStage([
      text("An earlier answer."),
      text("Hello to you."),
      toolCall("Bash", { command: "touch made.txt" }),
      text("It is made."),
      toolCall("Bash", { command: "touch other.txt" }),
      text("The other one, too."),
    ]);
    await t.s.run(["-p", "an earlier question"]);
    const first = await t.open();
    await first.getByRole("link", { name: "New session in project" }).click();
    await send(first, "Hello.");
    await first.getByRole("log").getByText("Hello to you.").waitFor();
    const [, sessionId = ""] = /#\/session\/(.+)$/.exec(first.url()) ?? [];
    const second = await pageAt(t, sessionId);
    await using third = terminal(t.s, ["attach", sessionId]);
    await third.shows("> ");
    const question = (page: Page) => page.getByRole("region", { name: "Your answer is needed" });
    await send(first, "Make it.");
    await Promise.all([question(first).waitFor(), question(second).waitFor(), third.shows("touch made.txt")]);
    await question(second).getByRole("button", { name: "yes, this once" }).click();
    const answered = performance.now();
    await question(first).waitFor({ state: "detached" });
    expect(performance.now() - answered).toBeLessThan(SOON_MS);
    await third.shows("has answered: ");
    await third.shows("It is made.");
    for (const page of [first, second]) await page.getByRole("log").getByText("It is made.").waitFor();

    await third.shows("> ");
    third.type("And another.\r");
    await Promise.all([question(first).waitFor(), question(second).waitFor(), third.shows("touch other.txt")]);
    await question(first).getByRole("button", { name: "yes, this once" }).click();
    const answeredHere = performance.now();
    await Promise.all([question(second).waitFor({ state: "detached" }), third.shows("has answered: ")]);
    expect(performance.now() - answeredHere).toBeLessThan(SOON_MS);
    for (const page of [first, second]) {
      await page.getByRole("log").getByText("The other one, too.").waitFor();
      for (const message of ["Make it.", "And another."])
        expect(await page.getByRole("log").getByText(message, { exact: true }).count()).toBe(1);
    }
    expect(existsSync(join(t.s.project, "other.txt"))).toBe(true);
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "a page whose network was cut, and one that slept, soon show what they missed", async () => {
  const [held, asleep] = [gate(), gate()];
  await using t = await browserStage([
    text("An earlier answer."),
    [text("While it is there, "), delayUntil(held.promise), text("and while it is away.")],
    [text("While it is awake, "), delayUntil(asleep.promise), text("and while it sleeps.")],
  ]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await pageAt(t, onlySession(t));
  const conversation = page.getByRole("log");
  await send(page, "One.");
  await conversation.getByText("While it is there,").waitFor();
  t.network.refuse(true);
  await page.getByText("The connection was lost.").waitFor();
  held.open();
  await eventually(() => expect(readFileSync(t.s.logs()[0] ?? "", "utf8")).toContain("and while it is away."));
  t.network.refuse(false);
  const back = performance.now();
  // It may have reconnected by itself before.
  await page
    .getByRole("button", { name: "Connect now" })
    .click({ timeout: 2_000 })
    .catch(() => {});
  await conversation.getByText("While it is there, and while it is away.").waitFor();
  expect(performance.now() - back).toBeLessThan(SOON_MS);

  await send(page, "Two.");
  await conversation.getByText("While it is awake,").waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  t.network.cut();
  asleep.open();
  await eventually(() => expect(readFileSync(t.s.logs()[0] ?? "", "utf8")).toContain("and while it sleeps."));
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  const awake = performance.now();
  await conversation.getByText("While it is awake, and while it sleeps.").waitFor();
  expect(performance.now() - awake).toBeLessThan(SOON_MS);
  for (const message of ["One.", "Two."])
    expect(await conversation.getByText(message, { exact: true }).count()).toBe(1);
  expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
});

itWith("chromium", "two tabs show two sessions at once, each with its own messages alone", async () => {
  await using t = await browserStage(({ text: sent }) => [
    text(sent.includes("Of the left") ? "Left begins, " : "Right begins, "),
    text(sent.includes("Of the left") ? "left ends." : "right ends."),
  ]);
  await t.s.run(["-p", "an earlier question"]);
  const pages = await Promise.all(
    ["Of the left.", "Of the right."].map(async (message) => {
      const page = await t.open();
      await page.getByRole("link", { name: "New session in project" }).click();
      await send(page, message);
      return page;
    }),
  );
  const [left, right] = pages.map((page) => page.getByRole("log"));
  await left?.getByText("Left begins, left ends.").waitFor();
  await right?.getByText("Right begins, right ends.").waitFor();
  expect(await left?.getByText("Of the right.").count()).toBe(0);
  expect(await right?.getByText("Of the left.").count()).toBe(0);
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "a page with a token that may only read follows a session, says so, and offers nothing that is refused",
  async () => {
    await using t = await browserStage([
      text("An earlier answer."),
      text("Hello to you."),
      toolCall("Bash", { command: "touch made.txt" }),
      text("It is made."),
    ]);
    await t.s.run(["-p", "an earlier question"]);
    const owner = await t.open();
    await owner.getByRole("link", { name: "New session in project" }).click();
    await send(owner, "Hello.");
    await owner.getByRole("log").getByText("Hello to you.").waitFor();
    await t.s.run(["host", "token", "rotate", "reader", "--scope", "view"]);
    const reader = await t.open({ link: owner.url() });
    await reader
      .getByLabel("Or enter a token of this host:")
      .fill(readFileSync(join(t.s.home, ".scorel/host/reader.token"), "utf8"));
    await reader.getByRole("button", { name: "Connect" }).click();
    const conversation = reader.getByRole("log");
    await conversation.getByText("Hello to you.").waitFor();
    expect(await reader.getByRole("note").allTextContents()).toEqual([
      "You may only read this session: others send messages and answer questions.",
    ]);
    await send(owner, "Make it.");
    const question = owner.getByRole("region", { name: "Your answer is needed" });
    await question.waitFor();
    await conversation.getByText("Make it.").waitFor();
    expect(await reader.getByRole("region", { name: "Your answer is needed" }).count()).toBe(0);
    expect(await reader.getByRole("textbox", { name: "Message" }).count()).toBe(0);
    await question.getByRole("button", { name: "yes, this once" }).click();
    await conversation.getByText("It is made.").waitFor();
    expect(t.complaints).toEqual([]);
  },
);
